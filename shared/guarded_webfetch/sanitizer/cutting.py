"""The delivered text: printed blocks up to the limit, whole blocks only, with the outline and the places of removals."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guarded_webfetch.core.limits import MAX_HEADING_CHARS, MAX_TEXT_CHARS
from guarded_webfetch.core.messages import OutlineEntry
from guarded_webfetch.sanitizer.printer import Printed
from guarded_webfetch.text.edits import Note
from guarded_webfetch.text.graphemes import boundary
from guarded_webfetch.text.lazy_pattern import LazyPattern

_FENCE = LazyPattern(r"((?:> )*\s*)(`{3,})")


class Delivered(NamedTuple):
    text: str
    notes: list[Note]
    outline: list[OutlineEntry]
    truncated: bool


def deliver(blocks: Iterable[Printed], limit: int = MAX_TEXT_CHARS) -> Delivered:
    """The blocks joined, cut at a block boundary; only a block that is longer than the whole limit is cut inside."""
    parts: list[str] = []
    notes: list[Note] = []
    headings: list[tuple[int, Printed]] = []
    length = 0
    truncated = False
    for block in blocks:
        gap = block.gap if parts else ""
        room = limit - length - len(gap)
        if len(block.text) > room:
            truncated = True
            if len(block.text) <= limit or room < limit // 10:
                break
            block = block._replace(text=_cut(block.text, room))  # noqa: PLW2901
        start = length + len(gap)
        parts += (gap, block.text)
        length = start + len(block.text)
        notes += [
            Note(start + note.offset, note.what, note.chars) for note in block.notes if start + note.offset <= length
        ]
        if block.level:
            headings.append((start, block))
        if truncated:
            break
    text = "".join(parts)
    return Delivered(text, notes, list(_outline(headings, len(text))), truncated)


def _cut(text: str, room: int) -> str:
    """At most `room` characters of a block: to the last line end, else between two characters; a code fence is closed."""
    fence = _FENCE.match(text)
    closing = f"\n{fence[1]}{fence[2]}" if fence else ""
    at = text.rfind("\n", room // 2, room - len(closing))
    head = text[: at if at > 0 else boundary(text, room - len(closing))]
    return head + closing


def _outline(headings: list[tuple[int, Printed]], length: int) -> Iterator[OutlineEntry]:
    ends = [*(start for start, _ in headings[1:]), length][: len(headings)]
    for (start, block), end in zip(headings, ends, strict=True):
        heading = " ".join(block.heading.split())
        heading = heading[: boundary(heading, MAX_HEADING_CHARS)]
        yield {"heading": heading, "level": block.level, "offset": start, "chars": end - start}
