"""`links`: a model never writes a URL. The numbered list for its prompt, the page from its draft, the targets of a record."""

import os
import sys
from argparse import Namespace
from typing import Final

from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.commands import terminal, visible
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.new_file import write_new
from guarded_webfetch.core.limits import MAX_DRAFT_CHARS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.draft import OPTIONAL_KINDS
from guarded_webfetch.evidence.prompt import prompt
from guarded_webfetch.evidence.rebuild import Wanted, build
from guarded_webfetch.evidence.store import Store, read_store

_LANGUAGES: Final = ("en", "ja")


def run(argv: list[str]) -> int:
    """One of prompt, build, list. Raises Refusal usage_invalid, path_invalid, store_invalid, draft_invalid, record_unusable, held_back."""
    actions = {"prompt": _prompt, "build": _build, "list": _list}
    if argv and argv[0] in actions:
        return actions[argv[0]](argv[1:])
    if argv and argv[0] in ("--help", "-h"):
        terminal.write("usage: guarded-webfetch links prompt|build|list ...   (each has --help)\n")
        return 0
    raise Refusal("usage_invalid")


def _prompt(argv: list[str]) -> int:
    arguments = _parser("links prompt", "Print the items of a store as a numbered list without a single address.")
    chosen = _parsed(arguments, argv)
    store = _store(chosen.store)
    terminal.write(prompt(store.items, chosen.language))
    return 0


def _build(argv: list[str]) -> int:
    arguments = _parser("links build", "Build a page from a draft: every link in it comes from the store.")
    arguments.add_argument("--in", dest="draft", required=True, metavar="DRAFT", help="a file, or - for standard input")
    arguments.add_argument(
        "--format", choices=("html", "markdown"), default="html", help="of the draft and of the page"
    )
    arguments.add_argument("--out", metavar="FILE", help="write a new file instead of standard output")
    arguments.add_argument(
        "--allow", default="", metavar="KINDS", help=f"of {','.join(OPTIONAL_KINDS)}, joined by commas"
    )
    arguments.add_argument(
        "--complete", action="store_true", default=True, help="list items the draft did not name (default)"
    )
    arguments.add_argument("--no-complete", dest="complete", action="store_false")
    chosen = _parsed(arguments, argv)
    kinds = frozenset(filter(None, chosen.allow.split(",")))
    if not kinds <= set(OPTIONAL_KINDS):
        raise Refusal("usage_invalid")
    store = _store(chosen.store)
    page = build(_draft(chosen.draft), store.items, Wanted(chosen.format, chosen.language, chosen.complete, kinds))
    if chosen.out is None:
        terminal.write(page)
    else:
        write_new(chosen.out, page.encode("utf-8"))
        terminal.write(f"{chosen.out}\n")
    return 0


def _list(argv: list[str]) -> int:
    arguments = Arguments("links list", "List the numbered link targets of a record, for people.")
    arguments.add_argument("record", metavar="RECORD", help="path of a result-*.json")
    chosen = arguments.parse_args(argv)
    if visible.line(chosen.record) != chosen.record:
        raise Refusal("path_invalid")
    files = read_record(chosen.record)
    if files.record["outcome"] != "ok":
        raise Refusal("record_unusable")
    if files.record["verdict"] == "confirm" and not _agreed():
        raise Refusal("held_back")
    for row in files.links:
        terminal.write(
            f"L{row['n']:<5} {row['relation']:<12} {visible.line(row['url'])}  {visible.line(row['text'])}\n"
        )
    return 0


def _parser(command: str, description: str) -> Arguments:
    arguments = Arguments(command, description)
    arguments.add_argument(
        "--store", required=True, metavar="STORE", help="a JSON file of items, or a folder of records"
    )
    arguments.add_argument("--language", choices=_LANGUAGES, default="en", help="of fixed words")
    return arguments


def _parsed(arguments: Arguments, argv: list[str]) -> Namespace:
    chosen = arguments.parse_args(argv)
    for path in (chosen.store, getattr(chosen, "draft", ""), getattr(chosen, "out", "") or ""):
        if visible.line(path) != path:
            raise Refusal("path_invalid")
    return chosen


def _store(path: str) -> Store:
    """The store; records that are no items are named on stderr (their names are ours)."""
    store = read_store(path)
    for name, why in store.left_out:
        print(f"guarded-webfetch: left out {name}: {why}", file=sys.stderr)
    return store


def _draft(path: str) -> str:
    try:
        if path == "-":
            data = sys.stdin.buffer.read(4 * MAX_DRAFT_CHARS + 1)
        else:
            with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
                data = file.read(4 * MAX_DRAFT_CHARS + 1)
    except OSError:
        raise Refusal("path_invalid") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("draft_invalid") from None
    if len(text) > MAX_DRAFT_CHARS:
        raise Refusal("draft_invalid")
    return text


def _agreed() -> bool:
    """A person's word that held-back targets may be shown; without a terminal nobody can give it."""
    if not sys.stdin.isatty():
        return False
    print("This page was flagged. Show the targets of its links? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
