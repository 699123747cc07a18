"""Text from outside, made safe to print: what would steer a terminal or reorder a line is written out instead."""

import re
import unicodedata
from typing import Final

# Format characters that scripts need, or that have a shape of their own (Unicode core specification, section 23.2 and 9.2):
# soft hyphen, joiners, the three directional marks, Arabic, Syriac and Kaithi signs before numbers.
_NEEDED: Final = frozenset(
    "\u00ad\u061c\u06dd\u070f\u0890\u0891\u08e2\u200c\u200d\u200e\u200f\U000110bd\U000110cd"
    "\u0600\u0601\u0602\u0603\u0604\u0605"
)
_STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_PLAIN: Final = re.compile(r"[ -~]*")


def line(text: str) -> str:
    """`text` as one line: control, format and separator characters stand as \\u{202E}."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(map(_visible, text))


def lines(text: str) -> list[str]:
    """The lines of `text` (LF only), each made visible; a tab becomes four spaces."""
    return [line(part.replace("\t", "    ")) for part in text.split("\n")]


def width(text: str) -> int:
    """Columns `text` takes in a terminal: 2 for East Asian wide and fullwidth characters (UAX #11), 0 for combining ones."""
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def wrap(text: str, columns: int) -> list[str]:
    """`text` in lines of at most `columns`, broken at a space where there is one, between any two characters otherwise."""
    parts: list[str] = []
    head, rest = split(text, columns)
    while rest:
        space = head.rfind(" ") if not rest.startswith(" ") else -1
        if space > 0 and head[:space].strip():
            head, rest = head[:space], head[space:] + rest
        parts.append(head.rstrip(" "))
        head, rest = split(rest.lstrip(" "), columns)
    return [*parts, head]


def split(text: str, columns: int) -> tuple[str, str]:
    """(the longest beginning of at most `columns`, the rest); at least one character, so that a caller always gets on."""
    used = 0
    for index, char in enumerate(text):
        used += _char_width(char)
        if used > columns and index:
            return text[:index], text[index:]
    return text, ""


def _visible(char: str) -> str:
    steering = unicodedata.category(char) in _STEERING or "\U000e0000" <= char <= "\U000e007f"
    return f"\\u{{{ord(char):04X}}}" if steering and char not in _NEEDED else char


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
