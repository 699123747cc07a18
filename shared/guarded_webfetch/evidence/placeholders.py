"""`[[POST:n]]`, the only way a draft may name an item; every other thing in double brackets is an invention and goes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text import match_view
from guarded_webfetch.text.lazy_pattern import LazyPattern

OBJECT: Final = "\ufffc"  # stands for one expanded placeholder while a block is cleaned; removed from drafts beforehand

_DOUBLE: Final = LazyPattern(r"\[ ?\[[^\[\]]*\] ?\]")
_POST: Final = LazyPattern(r"\[ ?\[ ?post ?: ?([0-9]{1,4}) ?\] ?\]")
_ENTRY: Final = LazyPattern(r"\[ ?\[ ?[a-z]{1,20} ?: ?[^\[\]]*\] ?\]")
_LEFT_OVER: Final = LazyPattern(r"\[ ?\[+|\] ?\]+")


class Placeholder(NamedTuple):
    """source[start:end] is in double brackets; `number` is None for what names no item."""

    start: int
    end: int
    number: int | None


def placeholders(text: str, *, code: bool = False) -> Iterator[Placeholder]:
    """In order, without overlaps. In `code` only what looks like an entry counts: `[[1, 2], [3, 4]]` is a matrix there."""
    view = match_view.join_blanks(match_view.fold(text))
    place = 0
    for match in (_ENTRY if code else _DOUBLE).finditer(view.text):
        start, end = view.source(*match.span())
        if start >= place:
            place = end
            yield Placeholder(start, end, _number(text[start:end], view.text[match.start() : match.end()]))


def loose_brackets(text: str) -> Iterator[tuple[int, int]]:
    """Double brackets that close nothing."""
    view = match_view.join_blanks(match_view.fold(text))
    for match in _LEFT_OVER.finditer(view.text):
        yield view.source(*match.span())


def _number(source: str, folded: str) -> int | None:
    """Only ASCII digits count: a draft that disguises a number gets no link for it."""
    match = _POST.match(folded)
    digits = "".join(character for character in source if character in "0123456789")
    return int(match[1]) if match and match[1] == digits else None
