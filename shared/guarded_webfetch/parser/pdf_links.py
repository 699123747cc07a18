"""Which words of a PDF line lie in the area of a link: marked in the text, and taken out again as spans of a block.

The marks are two noncharacters (Unicode section 23.7), so they go through the joining of lines like any letter; a page's
own noncharacters are dropped before.
"""

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from guarded_webfetch.core.messages import Span
from guarded_webfetch.parser.links import LinkTable
from guarded_webfetch.parser.pdf_annotations import LinkArea
from guarded_webfetch.parser.pdf_geometry import Box

START: Final = "\ufdd0"
END: Final = "\ufdd1"
_WORD: Final = re.compile("[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]+")  # of scripts that part words by spaces
_NO_MARKS: Final = {ord(START): None, ord(END): None}
_MAX_COMPARISONS: Final = 2_000_000  # characters times areas, of one document; beyond it words stay without their link


class LinkMarker:
    """Marks the linked words of a document's lines; each link takes its row with its first word."""

    def __init__(self, table: LinkTable) -> None:
        self._table = table
        self._areas: list[LinkArea] = []
        self._numbers: dict[int, int] = {}
        self._left = _MAX_COMPARISONS

    def start_page(self, areas: Sequence[LinkArea]) -> None:
        self._areas = list(reversed(areas))  # of two areas over each other the later one is on top
        self._numbers = {}

    def mark(self, text: str, box_at: Callable[[int], Box]) -> tuple[str, tuple[int, ...]]:
        """`text` of one line with marks, and the link number of each pair. `box_at` tells where its characters stand."""
        areas = self._touching(box_at(0), box_at(len(text) - 1)) if self._areas else []
        if not areas:
            return without_marks(text), ()
        owners = [None if character.isspace() else self._owner(box_at(at), areas) for at, character in enumerate(text)]
        parts, numbers, at = [], [], 0
        for area, run in groupby(_bridged(_whole_words(text, owners))):
            piece = without_marks(text[at : at + (length := len(list(run)))])
            number = self._number(area) if area is not None and piece else 0
            numbers += [number] if number else []
            parts.append(f"{START}{piece}{END}" if number else piece)
            at += length
        return "".join(parts), tuple(numbers)

    def _touching(self, first: Box, last: Box) -> list[LinkArea]:
        line = Box(*map(min, first[:2], last[:2]), *map(max, first[2:], last[2:]))
        self._left -= len(self._areas)
        return [area for area in self._areas if not area.box.apart(line)] if self._left > 0 else []

    def _owner(self, box: Box, areas: list[LinkArea]) -> LinkArea | None:
        self._left -= len(areas)
        if self._left <= 0:
            return None
        x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        return next((a for a in areas if a.box.left <= x <= a.box.right and a.box.bottom <= y <= a.box.top), None)

    def _number(self, area: LinkArea) -> int:
        if area.link not in self._numbers:
            self._numbers[area.link] = self._table.add(area.url)
        return self._numbers[area.link]


def _whole_words(text: str, owners: list[LinkArea | None]) -> list[LinkArea | None]:
    """Areas are often drawn a little short: a word belongs to the area that holds most of its letters."""
    for word in _WORD.finditer(text):
        start, end = word.span()
        area = owners[(start + end) // 2]
        inside = sum(owner == area for owner in owners[start:end])
        owners[start:end] = [area] * (end - start) if 2 * inside > end - start else owners[start:end]
    return owners


def _bridged(owners: list[LinkArea | None]) -> list[LinkArea | None]:
    """One character after the other: what stands between two words of one link belongs to it."""
    last_at, last = 0, None
    for at, owner in enumerate(owners):
        if owner is None:
            continue
        if last is not None and last.link == owner.link:
            owners[last_at + 1 : at] = [last] * (at - last_at - 1)
        last_at, last = at, owner
    return owners


def without_marks(text: str) -> str:
    return text.translate(_NO_MARKS) if START in text or END in text else text


def take_spans(marked: str, numbers: Sequence[int]) -> tuple[str, list[Span]]:
    """The text without its marks, and the links in it; pieces of one link with only white space between are one."""
    head, *pieces = marked.split(START)
    parts, length = [head], len(head)
    spans: list[Span] = []
    for number, piece in zip(numbers, pieces, strict=True):
        inside, _, after = piece.partition(END)
        spans.append(_joined(spans, parts[-1], ("link", length, length + len(inside), number)))
        parts += [inside, after]
        length += len(inside) + len(after)
    return "".join(parts), spans


def _joined(spans: list[Span], between: str, span: Span) -> Span:
    """`span`, grown over the one before it when both are the same link; that one is taken off the list."""
    _, start, end, number = span
    if spans and spans[-1][3] == number and spans[-1][2] == start - len(between) and not between.strip():
        return ("link", spans.pop()[1], end, number)
    return span
