"""Whether each claim's quote stands in a page that was really read: folded for spaces and width, and for nothing else."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from guarded_webfetch.core.reasons import Refusal

MIN_QUOTE_CHARS: Final = 8  # folded; shorter ones stand everywhere
MAX_CLAIMS: Final = 1_000

_BLANKS: Final = re.compile(r"\s+")
# Halfwidth and fullwidth forms, and the ideographic space (UAX #11).
_WIDTH: Final = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (0x3000, *range(0xFF01, 0xFFEF))
    if chr(code).isprintable()
}


class Claim(NamedTuple):
    """A sentence of an answer and the words of a source it rests on."""

    text: str
    quote: str


class Place(NamedTuple):
    """Where a quote stands: the record's name, the offset in its raw_text and how long it is there.

    `found` is found, missing or too_short.
    """

    found: str
    record: str | None = None
    offset: int | None = None
    chars: int | None = None


def read_claims(answer: Any) -> list[Claim]:
    """{"claims": [{"claim", "quote"}]}; Refusal answer_invalid for any other shape."""
    rows = answer.get("claims") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not 0 < len(rows) <= MAX_CLAIMS:
        raise Refusal("answer_invalid")
    return [_claim(row) for row in rows]


def _claim(row: Any) -> Claim:
    if not isinstance(row, dict) or not isinstance(row.get("claim"), str) or not isinstance(row.get("quote", ""), str):
        raise Refusal("answer_invalid")
    return Claim(row["claim"], row.get("quote", ""))


def find_quotes(claims: Sequence[Claim], texts: Mapping[str, str]) -> list[Place]:
    """One place for each claim. `texts`: raw_text by record name."""
    folded = {name: _fold(text) for name, text in texts.items()}
    return [_find(claim.quote, folded) for claim in claims]


def _find(quote: str, texts: Mapping[str, tuple[str, list[int]]]) -> Place:
    wanted = _fold(quote)[0].strip()
    if len(wanted) < MIN_QUOTE_CHARS:
        return Place("too_short")
    for name, (text, offsets) in texts.items():
        at = text.find(wanted)
        if at >= 0:
            return Place("found", name, offsets[at], offsets[at + len(wanted) - 1] + 1 - offsets[at])
    return Place("missing")


def _fold(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the offset in the source."""
    parts: list[str] = []
    offsets: list[int] = []
    place = 0
    for blank in _BLANKS.finditer(text + "\n"):
        for at in range(place, min(blank.start(), len(text))):
            piece = _WIDTH.get(ord(text[at]), text[at])
            parts.append(piece)
            offsets += [at] * len(piece)
        if blank.start() < len(text):
            parts.append(" ")
            offsets.append(blank.start())
        place = blank.end()
    return "".join(parts), offsets
