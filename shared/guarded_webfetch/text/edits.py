"""Changes to a text as data: spans and notes move with them, so every offset stays true to the delivered text."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from guarded_webfetch.core.messages import Span


class Edit(NamedTuple):
    """Replace text[start:end] by `text`. `what` names a removal for the trace; "" leaves no note."""

    start: int
    end: int
    text: str
    what: str = ""


class Note(NamedTuple):
    """Something was taken out or replaced at `offset`: how many characters of the page."""

    offset: int
    what: str
    chars: int


class Passage(NamedTuple):
    """A text with its spans and the notes of earlier changes."""

    text: str
    spans: Sequence[Span] = ()
    notes: Sequence[Note] = ()


def inside(stretches: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether the last of sorted stretches that begins at or before `start` reaches `end`."""
    at = bisect_right(stretches, start, key=lambda stretch: stretch[0])
    return at > 0 and end <= stretches[at - 1][1]


def merge(*groups: Iterable[Edit]) -> list[Edit]:
    """One sorted list without overlaps; where edits overlap, the earlier group wins."""
    chosen: list[Edit] = []
    for group in groups:
        kept: list[Edit] = []
        ends = [edit.end for edit in chosen]
        for edit in sorted(group):
            at = bisect_right(ends, edit.start)
            free = at == len(chosen) or chosen[at].start >= edit.end
            if free and not (kept and kept[-1].end > edit.start):
                kept.append(edit)
        chosen = sorted([*chosen, *kept])
    return chosen


def widened(edits: Iterable[Edit], others: Iterable[Edit]) -> list[Edit]:
    """`edits` grown over the `others` they overlap and over each other, so that no half of a stretch is left behind."""
    found = sorted(edits)
    first = 0
    for other in sorted(others) if found else ():
        while first < len(found) and found[first].end <= other.start:
            first += 1
        number = first
        while number < len(found) and found[number].start < other.end:
            edit = found[number]
            found[number] = edit._replace(start=min(edit.start, other.start), end=max(edit.end, other.end))
            number += 1
    joined: list[Edit] = []
    for edit in sorted(found):
        if joined and edit.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, edit.end))
        else:
            joined.append(edit)
    return joined


class Moves:
    """Where offsets of the old text lie in the new one."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.start for edit in edits]
        self._edits = edits
        self._shifts = list(accumulate((len(e.text) - (e.end - e.start) for e in edits), initial=0))

    def start(self, offset: int) -> int:
        """The new place of a beginning: one inside a replaced stretch moves behind it."""
        return self._moved(offset, behind=True)

    def end(self, offset: int) -> int:
        """The new place of an end: one inside a replaced stretch moves before it."""
        return self._moved(offset, behind=False)

    def _moved(self, offset: int, *, behind: bool) -> int:
        at = bisect_right(self._starts, offset)
        if at == 0:
            return offset
        last = self._edits[at - 1]
        if offset >= last.end and not (offset == last.start == last.end):
            return offset + self._shifts[at]
        place = last.start + self._shifts[at - 1]
        return place + len(last.text) if behind and offset > last.start else place


def apply(passage: Passage, edits: Sequence[Edit]) -> Passage:
    """`passage` after sorted edits that do not overlap. Spans that lost all their text are dropped."""
    if not edits:
        return passage
    moves = Moves(edits)
    notes = [Note(moves.end(note.offset), note.what, note.chars) for note in passage.notes]
    parts: list[str] = []
    place = length = 0
    for edit in edits:
        kept = passage.text[place : edit.start]
        length += len(kept)
        if edit.what:
            notes.append(Note(length, edit.what, edit.end - edit.start))
        parts += (kept, edit.text)
        length += len(edit.text)
        place = edit.end
    parts.append(passage.text[place:])
    spans = [(kind, moves.start(a), moves.end(b), argument) for kind, a, b, argument in passage.spans]
    return Passage("".join(parts), [span for span in spans if span[1] < span[2]], sorted(notes))
