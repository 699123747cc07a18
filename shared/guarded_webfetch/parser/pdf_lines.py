"""Lines of a PDF page into blocks: paragraphs by distance, headings where the document's outline says so."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Block
from guarded_webfetch.parser.pdf_links import LinkMarker, take_spans
from guarded_webfetch.parser.pdf_positions import Positions
from guarded_webfetch.parser.pdf_text import fold, normalise_marked

_NEW_PARAGRAPH: Final = 1.4  # line distances, against the usual one of the page
_FAR_APART: Final = 2.5  # line heights: never one paragraph, even when every line of a page stands that far apart
_MAX_HEADING_LINES: Final = 3


class Line(NamedTuple):
    """One line; the baselines of its first and last character differ when a broken word was joined."""

    text: str  # with link marks
    first_y: float
    last_y: float
    height: float  # of its first character, ascent to descent
    links: tuple[int, ...] = ()  # the link number of each pair of marks
    heading: tuple[int, int] | None = None  # level, and a number that the lines of one heading share


def lines_of(text: str, index_of: Callable[[int], int], positions: Positions, marker: LinkMarker) -> list[Line]:
    """The lines of a page's text; `index_of` tells the number on the page of the character at an offset."""
    lines, start = [], 0
    for raw in text.split("\n"):
        stripped = raw.strip()
        if stripped:
            first = start + len(raw) - len(raw.lstrip())
            lines.append(_line(stripped, first, index_of, positions, marker))
        start += len(raw) + 1
    return lines


def _line(text: str, start: int, index_of: Callable[[int], int], positions: Positions, marker: LinkMarker) -> Line:
    marked, links = marker.mark(text, lambda at: positions.box(index_of(start + at)))
    first, last = index_of(start), index_of(start + len(text) - 1)
    angle = positions.angle(first)
    return Line(
        marked, positions.advance(first, angle), positions.advance(last, angle), positions.height(first, angle), links
    )


def with_headings(lines: list[Line], titles: Sequence[tuple[str, int]]) -> list[Line]:
    """The lines that say what an entry of the outline (title, level) says, in any order, as headings."""
    levels = {_key(title): level for title, level in titles}
    keys = [fold(line.text) for line in lines] if levels else []
    at = 0
    while at < len(keys):
        count = next((n for n in range(1, _MAX_HEADING_LINES + 1) if _joined(keys, at, n) in levels), 0)
        for n in range(at, min(at + count, len(lines))):
            lines[n] = lines[n]._replace(heading=(levels[_joined(keys, at, count)], at))
        at += count or 1
    return lines


def _joined(keys: list[str], at: int, count: int) -> str:
    return _without_number("".join(keys[at : at + count]))


def _key(title: str) -> str:
    return _without_number(fold(title))


def _without_number(folded: str) -> str:
    """The number of a section stands on the page or in the outline, often not in both."""
    return folded.lstrip("0123456789") or folded


def blocks_of(lines: list[Line]) -> Iterator[Block]:
    """Lines put together while their distance is the usual one; a step back up the page starts a new column."""
    for part in _parts(lines):
        marked = _tidy(normalise_marked("\n".join(line.text for line in part)))
        text, spans = take_spans(marked, [number for line in part for number in line.links])
        if part[0].heading and text:
            yield Block(kind="heading", text=" ".join(text.split()), spans=[], level=part[0].heading[0])
        elif text:
            yield Block(kind="paragraph", text=text, spans=spans)


def _parts(lines: list[Line]) -> list[list[Line]]:
    steps = [one.last_y - other.first_y for one, other in pairwise(lines)]
    downward = [step for step in steps if step > 0.5]
    usual = sorted(downward)[len(downward) // 2] if downward else 0.0
    parts = [lines[:1]] if lines else []
    for step, line in zip(steps, lines[1:], strict=True):
        far = _NEW_PARAGRAPH * usual < step or 0 < _FAR_APART * line.height < step
        if far or step < -0.5 * usual or line.heading != parts[-1][-1].heading:
            parts.append([])
        parts[-1].append(line)
    return parts


def _tidy(text: str) -> str:
    """No empty lines, no blanks around a line (what is left where hidden text was taken out)."""
    return "\n".join(line for line in (line.strip() for line in text.split("\n")) if line)
