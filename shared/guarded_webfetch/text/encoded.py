"""Encoded stretches of a text, decoded at most MAX_NESTING times: text that must be decoded to read as an order is no accident."""

import base64
import binascii
import encodings.utf_16_be
import html
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.percent import unquote

CODECS: Final = (encodings.utf_16_be,)  # what bytes.decode would import later
MIN_PRINTABLE: Final = 0.95
MAX_NESTING: Final = 2

_MORSE: Final = {
    code: chr(ord("a") + number)
    for number, code in enumerate(
        (
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
        )
    )
}


class Decoded(NamedTuple):
    """source[start:end] spells `text`."""

    start: int
    end: int
    text: str


class _Encoding(NamedTuple):
    possible: Callable[[str], bool]  # a quick look: false where no candidate can be
    candidate: LazyPattern
    decode: Callable[[str], bytes | str]


def _any_text(_: str) -> bool:
    return True


def _at_least(count: int, *literals: str) -> Callable[[str], bool]:
    """So often together, these occur."""
    return lambda text: sum(map(text.count, literals)) >= count


def _many_digits(text: str) -> bool:
    return sum(text.count(character) for character in set(text) if character.isdecimal()) >= 22


def _morse_pair(text: str) -> bool:
    """Two letters of Morse code in a row."""
    return any(a + gap + b in text for gap in (" ", "  ", "   ", " / ") for a in ".-" for b in ".-")


def _base64(text: str) -> bytes:
    plain = re.sub(r"\s", "", text).rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def _base32(text: str) -> bytes:
    plain = text.rstrip("=")
    return base64.b32decode(plain + "=" * (-len(plain) % 8))


def _hex(text: str) -> bytes:
    return bytes.fromhex(re.sub(r"\\x|0x|[^0-9a-fA-F]", "", text))


def _escapes(text: str) -> str:
    units = b"".join(int(unit, 16).to_bytes(2, "big") for unit in re.findall(r"\\u\{?([0-9a-fA-F]{4})", text))
    return units.decode("utf-16-be", "replace")


def _entities(text: str) -> str:
    return html.unescape(re.sub(r"(&#x?[0-9a-fA-F]+);?\s?", r"\1;", text))


def _binary(text: str) -> bytes:
    return bytes(int(octet, 2) for octet in re.findall("[01]{8}", text))


def _octal(text: str) -> bytes:
    return bytes(int(octet, 8) & 0xFF for octet in re.findall(r"\\([0-7]{3})", text))


def _decimal(text: str) -> bytes:
    return bytes(int(number) for number in re.findall(r"\d+", text))


def _morse(text: str) -> str:
    words = re.split(r"\s*[/|]\s*|\s{3,}", text.strip())
    return " ".join("".join(_MORSE.get(letter, "?") for letter in word.split()) for word in words)


# A stretch for each encoding: its alphabet and at least about a dozen encoded bytes.
_LONG: Final = LazyPattern(r"(?<!\S)\S{24,}")
_ENCODINGS: Final = (
    _Encoding(
        _at_least(4, "%"), LazyPattern(r"(?<![\w.~%-])(?:[\w.~-]{0,20}%[0-9a-fA-F]{2}){4,}[\w.~-]{0,20}"), unquote
    ),
    _Encoding(_at_least(8, "\\x"), LazyPattern(r"(?:\\x[0-9a-fA-F]{2}[ ,]?){8,}"), _hex),
    _Encoding(_at_least(8, "0x"), LazyPattern(r"(?:0x[0-9a-fA-F]{2}[ ,;]{1,2}){8,}(?:0x[0-9a-fA-F]{2})?"), _hex),
    _Encoding(_at_least(6, "\\u"), LazyPattern(r"(?:\\u\{?[0-9a-fA-F]{4}\}?){6,}"), _escapes),
    _Encoding(_at_least(8, "\\"), LazyPattern(r"(?:\\[0-7]{3}){8,}"), _octal),
    _Encoding(_at_least(6, "&#"), LazyPattern(r"(?:&#x?[0-9a-fA-F]{2,6};?\s?){6,}"), _entities),
    _Encoding(_at_least(64, "0", "1"), LazyPattern(r"(?<![01])(?:[01]{8}[ ,]?){8,}"), _binary),
    _Encoding(_many_digits, LazyPattern(r"(?<!\d)(?:\d{2,3}[ ,]{1,2}){10,}\d{2,3}(?!\d)"), _decimal),
    _Encoding(_any_text, LazyPattern(r"\b(?:[0-9a-fA-F]{2}[ :-]){11,}[0-9a-fA-F]{2}(?![0-9a-fA-F])"), _hex),
    _Encoding(_morse_pair, LazyPattern(r"(?:[.-]{1,4}(?: / | {1,3})){8,}[.-]{1,4}"), _morse),
)
_TOKENS: Final = (
    _Encoding(_any_text, LazyPattern(r"(?<![0-9a-zA-Z])(?:0x)?((?:[0-9a-fA-F]{2}){12,})(?![0-9a-zA-Z])"), _hex),
    _Encoding(_any_text, LazyPattern(r"(?<![A-Za-z0-9])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9])"), _base32),
    _Encoding(_any_text, LazyPattern(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}"), _base64),
)


def decoded(text: str) -> Iterator[Decoded]:
    """Every encoded stretch of `text` that reads as text once decoded. No encoding makes a text longer."""
    for outer in _layer(text):
        inner: Decoded | None = outer
        for _ in range(MAX_NESTING):
            if inner is None:
                break
            yield Decoded(outer.start, outer.end, inner.text)
            inner = next(_layer(inner.text), None)


def _layer(text: str) -> Iterator[Decoded]:
    for encoding in _ENCODINGS:
        if encoding.possible(text):
            yield from _candidates(encoding, text, 0, len(text))
    for run in _LONG.finditer(text):
        for encoding in _TOKENS:
            yield from _candidates(encoding, text, *run.span())


def _candidates(encoding: _Encoding, text: str, start: int, end: int) -> Iterator[Decoded]:
    for match in encoding.candidate.finditer(text, start, end):
        inner = _readable(encoding, match[0])
        if inner:
            yield Decoded(match.start(), match.end(), inner)


def _readable(encoding: _Encoding, candidate: str) -> str:
    """The decoded text, "" when it is none: not UTF-8, or not nearly all printable."""
    try:
        raw = encoding.decode(candidate)
        text = raw if isinstance(raw, str) else raw.decode("utf-8")
    except (ValueError, binascii.Error, OverflowError):
        return ""
    printable = sum(character.isprintable() or character in "\n\t" for character in text)
    return text if len(text) >= 4 and printable >= MIN_PRINTABLE * len(text) else ""
