"""Where in the text something was taken out, replaced or disarmed, by kind: read from the trace, shown in place."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from guarded_webfetch.commands import show_words as words

MAX_MARKS: Final = 2_000  # shown in place; the trace holds all
KINDS: Final[dict[str, str]] = {  # kind -> what the legend says
    "phrase": "words that try to steer a reader, replaced",
    "invisible": "invisible characters, taken out",
    "forged": "imitations of marks and templates, broken by a backslash",
    "active": "addresses and markup that would load or open something, disarmed",
}
_ACTIVE: Final[dict[str, str]] = {
    "image": "image",
    "html_element": "HTML element",
    "css_url": "CSS address",
    "javascript_url": "script link",
    "data_url": "data URL",
    "data_carrier": "address that may carry data out",
    "other_target": "link to another program",
    "markdown_link": "written link",
    "reference": "link definition",
    "autolink": "link in angle brackets",
}


class Mark(NamedTuple):
    """At `offset` of the text, before the character there: `chars` characters of one kind."""

    offset: int
    kind: str
    label: str
    chars: int

    def text(self) -> str:
        """ "14 × zero width"; just the label where the number says nothing."""
        return f"{self.chars:,} × {self.label}" if self.kind == "invisible" else self.label


class Entry(NamedTuple):
    """A row of the legend."""

    kind: str
    meaning: str
    places: int


def marks_of(trace: dict[str, Any] | None) -> list[Mark]:
    """The marks of raw_text in order; what lies together is one."""
    found = []
    for removal in (trace or {}).get("removals", []):
        field, _, offset = removal["where"].partition(":")
        if field == "raw_text":
            kind, label = _kind(removal["what"])
            found.append(Mark(int(offset), kind, label, removal["chars"]))
    groups = groupby(sorted(found), key=lambda mark: (mark.offset, mark.kind, mark.label))
    marks = [Mark(offset, kind, label, sum(mark.chars for mark in group)) for (offset, kind, label), group in groups]
    return marks[:MAX_MARKS]


def legend(marks: Sequence[Mark]) -> list[Entry]:
    """The kinds that occur, in one order, with the number of places."""
    places = {kind: sum(mark.kind == kind for mark in marks) for kind in KINDS}
    return [Entry(kind, KINDS[kind], count) for kind, count in places.items() if count]


def pieces(line: str, offset: int, marks: Sequence[Mark]) -> Iterator[str | Mark]:
    """A line that starts at `offset` of the text, with the `marks` that stand in it (all others are left out)."""
    place = 0
    for mark in marks:
        at = mark.offset - offset
        if 0 <= at <= len(line):
            yield line[place:at]
            yield mark
            place = at
    yield line[place:]


def _kind(what: str) -> tuple[str, str]:
    if what == "forged_mark":
        return "forged", "imitation"
    if what in _ACTIVE:
        return "active", _ACTIVE[what]
    if "-" in what:  # rules have ids such as en-override-prior, classes of characters have none
        return "phrase", what
    return "invisible", words.spoken(what)
