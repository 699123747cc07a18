"""charset: served bytes with their header, judged by the text the parser makes of them.

exact         every line of the expected text stands in the title or the blocks, character for character
lossy         it does not, or bytes were replaced
lossy_flagged a lossy row with a reason code, a count of replacements, a conflict, or a name that was only guessed
"""

import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from scoring.pages.manifest import Row, body_of, is_doubtful, rows_of
from scoring.score import Score

DEFAULT: Final = "charset"
_LABEL: Final = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.I)


class Decoded(NamedTuple):
    """The text of a page, whether something says that it may be wrong, and the count of replaced bytes."""

    text: str
    flagged: bool
    replacements: int


Decoder = Callable[[bytes, str], Decoded]  # body, Content-Type header


def score(path: Path, peers: bool) -> Score:
    rows = rows_of(path)
    sure = [row for row in rows if not is_doubtful(row)]
    keys, failures = measure(path, sure, ours)
    found = Score(len(sure), keys, failures)
    if len(sure) < len(rows):
        doubtful, _ = measure(path, [row for row in rows if is_doubtful(row)], ours)
        found.skipped.append(f"doubtful rows: {doubtful['exact']} of {doubtful['cases']} exact")
    if peers:
        for name, (module, decoder) in PEERS.items():
            if find_spec(module) is None:
                found.skipped.append(f"{name}: not installed")
            else:
                found.peers[name] = measure(path, sure, decoder)[0]
    return found


def measure(folder: Path, rows: list[Row], decoder: Decoder) -> tuple[dict[str, Any], list[str]]:
    """The figures of a decoder, and one line for each row that is not exact."""
    keys = {"cases": len(rows), "exact": 0, "lossy": 0, "lossy_flagged": 0}
    failures = []
    for row in rows:
        said = decoder(body_of(folder, row), row.get("content_type") or "")
        missing = [line for line in _lines(row["expected_text"]) if line not in _collapsed(said.text)]
        keys["exact"] += not missing
        if missing or said.replacements:
            keys["lossy"] += 1
            keys["lossy_flagged"] += said.flagged
        if missing:
            state = "flagged" if said.flagged else "NOT FLAGGED"
            failures.append(f"{row['id']} {state}: lacks {missing[0][:60]!r}")
    return keys, failures


def ours(body: bytes, content_type: str) -> Decoded:
    """What the parser says."""
    from guarded_webfetch.core.reasons import Refusal
    from guarded_webfetch.parser.main import parse

    label = _LABEL.search(content_type)
    try:
        said = parse(
            body,
            {
                "kind": "html",
                "content_type": content_type.partition(";")[0].strip().lower(),
                "charset_header": label[1] if label else None,
                "base_url": "https://example.com/",
                "truncated": False,
            },
        )
    except Refusal:
        return Decoded("", True, 0)
    charset = said["charset"]
    if charset is None:
        raise ValueError("an HTML page without a charset")
    text = "\n".join([said["title"] or "", *(block["text"] for block in said["blocks"])])
    flagged = charset["conflict"] or charset["replacements"] > 0 or charset["source"] in ("detected", "fallback")
    return Decoded(text, flagged, charset["replacements"])


def _httpx(body: bytes, content_type: str) -> Decoded:
    import httpx

    text = httpx.Response(200, headers={"content-type": content_type}, content=body).text
    return Decoded(_without_tags(text), False, text.count("\ufffd"))


def _w3lib(body: bytes, content_type: str) -> Decoded:
    text = import_module("w3lib.encoding").html_to_unicode(content_type, body)[1]
    return Decoded(_without_tags(text), False, text.count("\ufffd"))


PEERS: Final[dict[str, tuple[str, Decoder]]] = {"httpx": ("httpx", _httpx), "w3lib": ("w3lib", _w3lib)}


def _without_tags(text: str) -> str:
    return re.sub(r"<[^<>]*>", " ", text)


def _lines(text: str) -> list[str]:
    return [line for line in map(_collapsed, text.split("\n")) if line]


def _collapsed(text: str) -> str:
    return " ".join(text.split())
