"""Quick looks at a whole text through the kinds of its characters: an order of magnitude cheaper than any pattern.

Each answer may be true for nothing, and is never false where the pattern it stands before would find something.
"""

from typing import Final

_SMALL: Final = b"abcdefghijklmnopqrstuvwxyz"
_LETTERS: Final = _SMALL + _SMALL.upper()
_SIGNS: Final = b" .-_*|/,~+\n"  # what stands between letters that are spelled apart
_NOT_ASCII_SIGNS: Final = "·•"
_LEET: Final = b"0134578@$!"


def _table(kinds: dict[bytes, bytes], other: bytes) -> bytes:
    table = bytearray(other * 256)
    for members, kind in kinds.items():
        for member in members:
            table[member] = kind[0]
    return bytes(table)


# What is not ASCII arrives as a question mark, and counts as a letter.
_APART: Final = _table({_LETTERS + b"0123456789?": b"x", _SIGNS: b"."}, b"#")
_MIXED: Final = _table({_SMALL: b"x", _LEET: b"0"}, b"#")
_EMPHASIS: Final = tuple(first + second for first in (b"*", b"_", b"'") for second in (b"*", b"_", b"'"))


def _bytes(text: str) -> bytes:
    return text.encode("ascii", "replace")


def letters_apart(text: str, least: int) -> bool:
    """Whether at least so many letters in a row stand alone, with signs or blanks between them."""
    if any(sign in text for sign in _NOT_ASCII_SIGNS):
        return True
    return b".x" * (least - 2) + b"." in _squeezed(_bytes(text).translate(_APART), b".")


def hyphened_pairs(text: str) -> bool:
    """Whether two words with a hyphen stand side by side."""
    return b"- -" in _bytes(text).translate(None, _SMALL)


def marks_in_words(text: str) -> bool:
    """Whether only letters, or none, stand between two signs of emphasis."""
    bare = _bytes(text).translate(None, _SMALL)
    return any(pair in bare for pair in _EMPHASIS)


def leet(text: str) -> bool:
    """Whether digits or signs stand within letters at two places."""
    return _squeezed(_bytes(text).translate(_MIXED), b"0").count(b"x0x") > 1


def _squeezed(shape: bytes, kind: bytes) -> bytes:
    """One for each run of a kind."""
    while kind * 2 in shape:
        shape = shape.replace(kind * 2, kind)
    return shape
