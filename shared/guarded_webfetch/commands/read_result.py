"""What `read-result.sh RECORD VIEW` prints: a record in stages, for clients that ask a person before page text is read.

A client can tell a rule for `summary` and `outline` from one for `section`, `text` and `html` by the view alone, so results may
lie where no other command may read them (references/hardened-mode.md).
"""

import json
import os
import sys
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.record_reader import RecordFiles, read_record
from guarded_webfetch.commands import config, terminal
from guarded_webfetch.core.reasons import Refusal

VIEWS: Final = ("summary", "outline", "section", "text", "html")
_QUESTION: Final = "This text was held back: {what}. Show it to whoever reads this terminal? [y/N] "


class Request(NamedTuple):
    """A checked command line; `number` is that of a section, from 1."""

    record: str
    view: str
    number: int = 0


def run_agent(argv: list[str]) -> int:
    """For the launcher. Raises Refusal usage_invalid, record_unusable, record_unknown, held_back, config_invalid."""
    request = parse(argv)
    files = read_record(request.record)
    if not ledger.knows(files.record_sha256, files.links_sha256):
        raise Refusal("record_unknown")
    for line in render(request, files, config.apply(Options())):
        terminal.write(line + "\n")
    return 0


def parse(argv: list[str]) -> Request:
    """`RECORD VIEW [N]`, or `VIEW [N] RECORD` for clients whose rules compare the beginning of a command."""
    words = list(argv)
    if words[:1] and words[0] in VIEWS:
        words = [words[-1], *words[:-1]]
    match words:
        case [record, "section", number] if number.isascii() and number.isdigit() and 0 < len(number) < 7:
            return Request(record, "section", int(number))
        case [record, ("summary" | "outline" | "text" | "html") as view]:
            return Request(record, view)
    raise Refusal("usage_invalid")


def render(request: Request, files: RecordFiles, options: Options) -> list[str]:
    """The lines to print. Words of the page that a verdict holds back are shown only once a person has agreed."""
    record = files.record
    if request.view == "summary":
        return [_json({name: value for name, value in record.items() if name not in ("raw_text", "raw_html")})]
    if record["outcome"] != "ok":
        raise Refusal("record_unusable")
    texts: dict[str, Any] = record | {"outline": files.trace["outline"] if files.trace else record["outline"]}
    if record["verdict"] == "confirm":
        if request.view == "outline" or files.held is None or not _agreed(record, options):
            raise Refusal("held_back")
        texts = files.held
    if request.view == "outline":
        return [_json({"n": n} | entry) for n, entry in enumerate(texts["outline"] or (), 1)]
    return [record["fence"]["begin"], _text(request, texts), record["fence"]["end"]]


def _text(request: Request, texts: dict[str, Any]) -> str:
    text: str | None = texts["raw_html"] if request.view == "html" else texts["raw_text"]
    if text is None:
        raise Refusal("record_unusable")
    if request.view != "section":
        return text
    outline = texts["outline"] or []
    if not 1 <= request.number <= len(outline):
        raise Refusal("section_unknown")
    entry = outline[request.number - 1]
    return text[entry["offset"] : entry["offset"] + entry["chars"]]


def _agreed(record: dict[str, Any], options: Options) -> bool:
    """Whether a person has agreed: their client asked them, as their config file says it does, or they answer here."""
    if options.client_asks:
        return True
    if not (os.isatty(0) and os.isatty(2)):
        return False
    categories = sorted({found["category"] for found in record["flags"]["suspicious_patterns"]})
    sys.stderr.write(_QUESTION.format(what=", ".join(categories) or "not all of it could be checked"))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
