"""`sources`: up to fifteen URLs fetched, checked and stored as fenced files, so that an agent needs no web tool at all."""

import argparse
import os
import stat
import sys
from typing import Final

from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.store import shown_path
from guarded_webfetch.commands import config, progress, terminal
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.outcome import refuse
from guarded_webfetch.core.limits import (
    DEADLINE_S,
    MAX_RUN_CHARS,
    MAX_TIMEOUT_S,
    MAX_URL_CHARS,
    MAX_URLS_PER_RUN,
    SOURCES_PAUSE_S,
)
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources import run as sources
from guarded_webfetch.sources.index import DEFAULT_FOLDER

_AGENT_OPTIONS: Final = frozenset(
    {"--out", "--min-ok", "--max-chars", "--language", "--timeout", "--redirects", "--quiet"}
)
_MAX_LIST_BYTES: Final = 4 * MAX_URL_CHARS * MAX_URLS_PER_RUN


def run(argv: list[str]) -> int:
    """For a person or a job: every option. Raises Refusal usage_invalid, path_invalid, and those of exit code 3."""
    return _run(_parser(person=True).parse_args(argv), person=True)


def run_agent(argv: list[str]) -> int:
    """For the skill's launcher: options of the closed list and nothing else; no --list, which would read a file for an agent."""
    if any(word.startswith("-") and word.partition("=")[0] not in _AGENT_OPTIONS for word in argv):
        raise Refusal("option_not_allowed")
    return _run(_parser(person=False).parse_args(argv), person=False)


def _parser(*, person: bool) -> Arguments:
    parser = Arguments("sources", "Fetches up to 15 URLs into fenced files; prints the path of index.json.")
    parser.add_argument("urls", nargs="*", metavar="URL")
    parser.add_argument(
        "--out", metavar="DIR", help=f"where the files go (default: {DEFAULT_FOLDER}); those of the last run go first"
    )
    parser.add_argument(
        "--min-ok", type=int, default=1, metavar="N", help="exit 5 when fewer sources could be read (default: 1)"
    )
    parser.add_argument("--max-chars", type=int, default=MAX_RUN_CHARS, metavar="N", help="of all files together")
    parser.add_argument("--language", choices=("en", "ja"), default="en", help="of the fixed words in the files")
    parser.add_argument(
        "--timeout", type=float, default=DEADLINE_S, metavar="S", help="seconds for each URL, at most 60"
    )
    parser.add_argument("--redirects", choices=("checked", "same-origin"), default="checked")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    if person:
        parser.add_argument("--list", metavar="FILE", help="URLs, one a line; blank lines and lines with # are skipped")
        parser.add_argument("--records", metavar="DIR", help="keep the records there, out of the agent's reach")
        parser.add_argument(
            "--robots", choices=("obey", "note", "ignore"), default="obey", help="what robots.txt means (default: obey)"
        )
        parser.add_argument(
            "--include-flagged", action="store_true", help="also the text of pages that look like an attack"
        )
        parser.add_argument(
            "--pause", type=float, default=SOURCES_PAUSE_S, metavar="S", help="between two URLs of one host"
        )
    return parser


def _run(chosen: argparse.Namespace, *, person: bool) -> int:
    urls = [*chosen.urls, *(_listed(chosen.list) if person and chosen.list else [])]
    plan = sources.Plan(
        urls=urls,
        folder=_out(chosen.out, person=person),
        records=shown_path(chosen.records) if person and chosen.records else None,
        language=chosen.language,
        max_chars=chosen.max_chars,
        pause_s=chosen.pause if person else SOURCES_PAUSE_S,
        include_flagged=person and chosen.include_flagged,
    )
    numbers_fit = 0 < chosen.timeout <= MAX_TIMEOUT_S and 0 <= plan.pause_s <= MAX_TIMEOUT_S and chosen.max_chars > 0
    if not 0 < len(urls) <= MAX_URLS_PER_RUN or not numbers_fit or not 0 <= chosen.min_ok <= len(urls):
        raise Refusal("usage_invalid")
    options = config.apply(Options())._replace(
        timeout_s=chosen.timeout,
        redirects=chosen.redirects,
        summary="none",
        raw_html=False,
        quiet=True,
        robots=chosen.robots if person else "obey",
    )
    with progress.lines(urls, quiet=chosen.quiet) as show:
        path, index = sources.run(plan, options, show)
    if sum(entry.ok for entry in index.sources) < chosen.min_ok:
        return refuse("too_few_sources", path)
    terminal.write(f"{path}\n")
    return 0


def _listed(path: str) -> list[str]:
    """The URLs in a file, or on standard input for "-"."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(_MAX_LIST_BYTES + 1)
        else:
            with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise Refusal("path_invalid")
                data = file.read(_MAX_LIST_BYTES + 1)
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise Refusal("usage_invalid") from None
    if len(data) > _MAX_LIST_BYTES:
        raise Refusal("usage_invalid")
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _out(path: str | None, *, person: bool) -> str:
    """For an agent: below the working folder, no hidden component but .temp."""
    shown = shown_path(path or DEFAULT_FOLDER)
    hidden = any(part.startswith(".") and part != ".temp" for part in shown.split(os.sep))
    if not person and (os.path.isabs(shown) or shown == "." or hidden):
        raise Refusal("path_invalid")
    return shown
