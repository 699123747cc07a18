"""What annotations write (values of fields, notes set as text) put where a reader sees it: after its label, on its line."""

from itertools import groupby
from typing import Final, NamedTuple

from guarded_webfetch.parser.pdf_geometry import Box
from guarded_webfetch.parser.pdf_positions import Positions

Character = tuple[str, int]  # and its number on the page

_SAME_LINE: Final = 0.5  # of the lower of two heights lies beside the other
_NEAR: Final = 1.5  # heights of a letter: a box to tick before its label, the next letter of a comb field
_LEADERS: Final = "_.…‥・ "  # what forms print where something is to be filled in
_MAX_COMPARISONS: Final = 1_000_000  # fields with lines and letters of a page; beyond it the rest is written at its end


class _Row(NamedTuple):
    """One line of the page: a range of its characters."""

    start: int
    end: int
    box: Box


def with_fields(page: list[Character], fields: list[list[Character]], positions: Positions) -> list[Character]:
    """The characters of a page with those of each field in their place."""
    if not fields:
        return page
    places = _Places(page, positions)
    added: dict[int, list[Character]] = {}
    for field in _joined(fields, positions):
        at, before, after = places.find(_union(positions.box(field[0][1]), positions.box(field[-1][1])))
        index = field[0][1]
        added.setdefault(at, []).extend([*((c, index) for c in before), *field, *((c, index) for c in after)])
    merged: list[Character] = []
    last = 0
    for at in sorted(added):
        merged += page[last:at] + added[at]
        last = at
    return merged + page[last:]


def _rows(page: list[Character], positions: Positions) -> list[_Row]:
    rows, start = [], 0
    for is_end, run in groupby(page, lambda character: character[0] in "\r\n"):
        characters = list(run)
        words = [index for character, index in characters if not character.isspace()]
        if words and not is_end:
            rows.append(_Row(start, start + len(characters), _union(positions.box(words[0]), positions.box(words[-1]))))
        start += len(characters)
    return rows


def _union(one: Box, other: Box) -> Box:
    return Box(*map(min, one[:2], other[:2]), *map(max, one[2:], other[2:]))


def _joined(fields: list[list[Character]], positions: Positions) -> list[list[Character]]:
    """Without white space around them, and the letters of a comb field together."""
    joined: list[list[Character]] = []
    for field in fields:
        kept = [at for at, (character, _) in enumerate(field) if not character.isspace()]
        if not kept:
            continue
        words = field[kept[0] : kept[-1] + 1]
        if joined and _follows(positions.box(joined[-1][-1][1]), positions.box(words[0][1])):
            joined[-1] += words
        else:
            joined.append(words)
    return joined


def _follows(one: Box, other: Box) -> bool:
    gap = other.left - one.right
    return _beside(one, other) and 0 <= gap < _NEAR * (one.top - one.bottom)


def _beside(one: Box, other: Box) -> bool:
    common = min(one.top, other.top) - max(one.bottom, other.bottom)
    return common > _SAME_LINE * min(one.top - one.bottom, other.top - other.bottom)


class _Places:
    """Where a box belongs among the characters of one page."""

    def __init__(self, page: list[Character], positions: Positions) -> None:
        self._page = page
        self._positions = positions
        self._rows = _rows(page, positions)
        self._letters: dict[int, list[tuple[int, Box]]] = {}
        self._left = _MAX_COMPARISONS

    def find(self, box: Box) -> tuple[int, str, str]:
        """An offset in the page, and what parts the field from the characters before and after it."""
        self._left -= len(self._rows)
        if self._left <= 0 or not self._rows:
            return len(self._page), "\n", ""
        found = [place for row in self._rows if _beside(row.box, box) and (place := self._in_row(row, box))]
        if found:
            return min(found)[1:]
        above = [row for row in self._rows if row.box.bottom >= (box.bottom + box.top) / 2]
        return (min(above, key=lambda row: row.box.bottom - box.top).end, "\n", "") if above else (0, "", "\n")

    def _in_row(self, row: _Row, box: Box) -> tuple[float, int, str, str] | None:
        """Behind the last word that begins left of the box and the line to write on; or before a label close on its right.

        First how far away that is.
        """
        letters = self._letters_of(row)
        self._left -= len(letters)
        before = [(at, letter) for at, letter in letters if (letter.left + letter.right) / 2 <= box.left + 1]
        if before:
            last, letter = before[-1]
            at = last + 1
            while at < row.end and self._page[at][0] in _LEADERS:
                at += 1
            return max(0.0, box.left - letter.right), at, " ", " "
        at, letter = letters[0]
        gap = letter.left - box.right
        return (max(0.0, gap), at, "", " ") if gap < _NEAR * (letter.top - letter.bottom) else None

    def _letters_of(self, row: _Row) -> list[tuple[int, Box]]:
        if row.start not in self._letters:
            self._letters[row.start] = [
                (at, self._positions.box(self._page[at][1]))
                for at in range(row.start, row.end)
                if not self._page[at][0].isspace()
            ]
        return self._letters[row.start]
