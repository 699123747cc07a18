"""Encoded stretches of a text, decoded at most MAX_NESTING times: text that must be decoded to read as an order is no accident.

Decoding costs in proportion to the text, and what comes out is capped: MAX_STRETCHES stretches, MAX_DECODED_CHARS together.
"""

import binascii
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, NamedTuple

from guarded_webfetch.text.byte_codes import (
    BASE64_IN_PARTS,
    ENCODINGS,
    LONG,
    NUMBERS,
    NUMBERS_BEGIN,
    TOKENS,
    Encoding,
    Raw,
    has_base64_in_parts,
    has_digits,
)
from guarded_webfetch.text.lexicon import CUES
from guarded_webfetch.text.spelled import GLUED, SPELLINGS, found_spellings

MIN_LONG: Final = 18  # characters without a blank, of which the decoders of long words make something
MIN_PRINTABLE: Final = 0.95
MIN_CHARS: Final = 4
MAX_NESTING: Final = 3
MAX_STRETCHES: Final = 600
MAX_DECODED_CHARS: Final = 160_000
MIN_FAMILIAR: Final = 0.4  # share of such characters in real East Asian text, kana being half of it
_NULS: Final = 0.25  # share of NUL bytes from which bytes are read as UTF-16


class Decoded(NamedTuple):
    """source[start:end] spells `text`."""

    start: int
    end: int
    text: str


def decoded(text: str) -> Iterator[Decoded]:
    """Every encoded stretch of `text` that reads as text once decoded."""
    left = MAX_DECODED_CHARS
    for number, outer in enumerate(_layer(text)):
        inner: Decoded | None = outer
        for _ in range(MAX_NESTING):
            if inner is None or left <= 0 or number >= MAX_STRETCHES:
                break
            left -= len(inner.text)
            yield Decoded(outer.start, outer.end, inner.text)
            inner = next(_layer(inner.text), None)
    yield from islice(_spelled(text), MAX_STRETCHES)


def _layer(text: str) -> Iterator[Decoded]:
    """What encodings that write bytes hold."""
    words = set(text.split())
    numbers = NUMBERS if has_digits(text) and any(pattern.search(text) for pattern in NUMBERS_BEGIN) else ()
    parts = BASE64_IN_PARTS if has_base64_in_parts(words) else ()
    for encoding in (*ENCODINGS, *numbers, *parts):
        if encoding.possible(text):
            yield from _candidates(encoding, text, 0, len(text))
    yield from _in_long_words(text, words, TOKENS)


def _in_long_words(text: str, words: AbstractSet[str], encodings: Sequence[Encoding]) -> Iterator[Decoded]:
    if max(map(len, words), default=0) < MIN_LONG:
        return
    for run in LONG.finditer(text):
        for encoding in encodings:
            if encoding.possible(run[0]):
                yield from _candidates(encoding, text, *run.span())


def _spelled(text: str) -> Iterator[Decoded]:
    """Words put together again, where they hold one that orders are made of; looked for once, never inside what was decoded."""
    words = set(text.split())
    for encoding in (*SPELLINGS, *found_spellings(text, words)):
        if encoding.possible(text):
            yield from filter(_has_cue, _candidates(encoding, text, 0, len(text)))
    yield from filter(_has_cue, _in_long_words(text, words, GLUED))


def _has_cue(found: Decoded) -> bool:
    lowered = found.text.lower()
    return any(cue in lowered for cue in CUES)


def _candidates(encoding: Encoding, text: str, start: int, end: int) -> Iterator[Decoded]:
    last = 0
    for match in encoding.candidate.finditer(text, start, end):
        first, stop = match.span()
        if encoding.margin:
            if first < last:
                continue
            first, stop = _line_around(text, first, stop, encoding.margin)
            last = stop
        for inner in _readings(encoding, text[first:stop]):
            yield Decoded(first, stop, inner)


def _line_around(text: str, start: int, end: int, margin: int) -> tuple[int, int]:
    begin = max(text.rfind("\n", 0, start) + 1, start - margin)
    stop = text.find("\n", end, end + margin)
    return begin, stop if stop >= 0 else min(end + margin, len(text))


def _readings(encoding: Encoding, candidate: str) -> Iterator[str]:
    """Every reading that is text: it decodes, nearly all is printable, and it is not what it was."""
    readings = encoding.decode(candidate)
    while True:
        try:
            text = _as_text(next(readings))
        except StopIteration:
            return
        except (ValueError, binascii.Error, OverflowError):
            continue
        printable = sum(map(str.isprintable, text)) + text.count("\n") + text.count("\t") - text.count("\ufffd")
        if len(text) >= MIN_CHARS and printable >= MIN_PRINTABLE * len(text) and text != candidate:
            yield text


def _as_text(raw: Raw) -> str:
    """UTF-8; UTF-16 where every other byte is zero, or where UTF-8 cannot be and it gives East Asian text."""
    if isinstance(raw, str):
        return raw
    if raw.count(0) < _NULS * len(raw):
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            if len(raw) % 2:
                raise
    best = max(raw.decode("utf-16-be", "replace"), raw.decode("utf-16-le", "replace"), key=_familiar)
    return best if _familiar(best) >= MIN_FAMILIAR * len(best) else ""


def _familiar(text: str) -> int:
    """How many characters are ASCII or kana: bytes in the wrong order give rare ideographs."""
    return sum(character < "\x7f" or "\u3000" <= character <= "\u30ff" for character in text)
