"""Matches of the rules, gathered over all texts of an order and reported by rule."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Pattern
from guarded_webfetch.text.context import teaches
from guarded_webfetch.text.edits import Edit, inside
from guarded_webfetch.text.patterns import Budget, Matcher
from guarded_webfetch.text.scan import Judged, judge, scan

MAX_PATTERNS: Final = 200  # rows of each list
HIT: Final = "hit:"  # notes that carry a match to its place in a delivered text
_BORDER: Final = "\n"  # between passages: a phrase may run over a block border


class Fragment(NamedTuple):
    """A text to be matched as one of several: `splits` are places where invisible characters were taken out."""

    text: str
    code: bool = False
    splits: Sequence[int] = ()


class Match(NamedTuple):
    """A judged hit inside one fragment. `first` is false for the rest of a phrase that ran over a border."""

    fragment: int
    start: int
    end: int
    judged: Judged
    first: bool

    def edit(self) -> Edit:
        """The replacement of a strong match, however much of the phrase lies in this fragment."""
        rule = self.judged.hit.rule
        return Edit(self.start, self.end, f"[FILTERED:{rule.category}]" if self.first else "", rule.id)


class Findings:
    """Scans with one rule set and one budget, and collects what is to be reported."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher: Final = matcher
        self.budget: Final = Budget()
        self.page = ""  # the text of the page: whether it teaches is asked only where something was found
        self._rows: dict[tuple[bool, str], Pattern] = {}

    def scan(
        self, fragments: Sequence[Fragment], *, hidden: bool = False, borders: bool = True, disguises: bool = True
    ) -> list[Match]:
        """The matches in `fragments`, in order. `hidden`: even a weak match is strong. `borders`: phrases may run over them.

        `disguises`: also undo disguises and encodings.
        """
        source = _BORDER.join(fragment.text for fragment in fragments)
        starts = list(accumulate((len(fragment.text) + 1 for fragment in fragments), initial=0))
        codes = [(starts[i], starts[i + 1]) for i, fragment in enumerate(fragments) if fragment.code]
        splits = sorted(starts[i] + place for i, fragment in enumerate(fragments) for place in fragment.splits)
        hits = scan(source, self.matcher, self.budget, disguises=disguises)
        if not hits:
            return []
        judged = judge(
            source,
            hits,
            teaches=self._page_teaches,
            in_code=lambda start, end: inside(codes, start, end),
            split=lambda start, end: hidden or bisect_right(splits, start) < bisect_right(splits, end - 1),
        )
        matches = [match for one in judged for match in _located(one, starts)]
        return matches if borders else [match for match in matches if _inside(match, starts)]

    @cached_property
    def _page_teaches(self) -> bool:
        return teaches(self.page)

    def report(self, judged: Judged, where: str) -> None:
        """Counts a match; the first place of a rule is the one reported."""
        rule = judged.hit.rule
        row = self._rows.setdefault(
            (judged.strong, rule.id), {"category": rule.category, "rule": rule.id, "count": 0, "where": where}
        )
        row["count"] += 1

    def known(self, judged: Judged) -> bool:
        """Whether the rule has been reported at this strength."""
        return (judged.strong, judged.hit.rule.id) in self._rows

    def patterns(self, *, strong: bool) -> list[Pattern]:
        return [row for (is_strong, _), row in self._rows.items() if is_strong == strong][:MAX_PATTERNS]


def _located(judged: Judged, starts: Sequence[int]) -> list[Match]:
    """The pieces of a hit in the fragments it touches."""
    start, end = judged.hit.start, judged.hit.end
    index = bisect_right(starts, start) - 1
    found: list[Match] = []
    while index < len(starts) - 1 and starts[index] < end:
        begin, stop = max(start, starts[index]), min(end, starts[index + 1] - 1)
        if begin < stop:
            found.append(Match(index, begin - starts[index], stop - starts[index], judged, not found))
        index += 1
    return found


def _inside(match: Match, starts: Sequence[int]) -> bool:
    """The whole hit lies in the fragment of `match`."""
    hit = match.judged.hit
    return starts[match.fragment] <= hit.start and hit.end <= starts[match.fragment + 1] - 1
