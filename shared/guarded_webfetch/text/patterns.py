"""Rules against views: literal anchors first, then bounded patterns around their hits, within a budget of time."""

import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import regex

from guarded_webfetch.core.limits import MAX_RULE_SCAN_S, MAX_SCAN_S
from guarded_webfetch.text.match_view import View

REACH: Final = 300  # characters around an anchor a pattern may look at
MIN_STEP: Final = 60  # characters: looking at shorter stretches costs more than it tells


class RuleLike(Protocol):
    """What a rule must offer to be matched (see rules/loader.py)."""

    @property
    def id(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def anchors(self) -> Sequence[str]: ...
    @property
    def pattern(self) -> str: ...
    @property
    def longest(self) -> int: ...
    @property
    def needs(self) -> Sequence[Sequence[Sequence[str]]]: ...


class Found(NamedTuple):
    """A match of a rule at text[start:end] of a view."""

    start: int
    end: int
    rule: RuleLike


class Budget:
    """Time for all scanning of one order. Once spent, or when one rule takes too long, `incomplete` stays set."""

    def __init__(self, seconds: float = MAX_SCAN_S) -> None:
        self._deadline = time.monotonic() + seconds
        self.incomplete = False

    def slice(self) -> float:
        """Seconds one rule may take now; 0 when there is none left."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            self.incomplete = True
        return max(0.0, min(left, MAX_RULE_SCAN_S))


class Matcher:
    """A rule set with its anchors; patterns compile when the text around an anchor may match, and stay compiled."""

    def __init__(self, rules: Sequence[RuleLike]) -> None:
        self._by_anchor: dict[str, tuple[str, list[RuleLike]]] = {}  # the longest word of the anchor, its rules
        for rule in rules:
            for anchor in rule.anchors:
                self._by_anchor.setdefault(anchor, (max(anchor.split(), key=len), []))[1].append(rule)
        self._compiled: dict[str, regex.Pattern[str]] = {}

    def search(self, view: View, budget: Budget) -> list[Found]:
        """All matches in `view`, sorted; overlapping matches of different rules are all reported."""
        places: dict[str, tuple[RuleLike, list[int]]] = {}
        letters = set(view.text)
        words = "\n".join(set(view.text.split()))  # far shorter than the text, and quicker to search
        for anchor, (word, rules) in self._by_anchor.items():
            found = list(_places(view.text, anchor)) if letters.issuperset(anchor) and word in words else ()
            if found:
                for rule in rules:
                    places.setdefault(rule.id, (rule, []))[1].extend(found)
        results: list[Found] = []
        blank = _blanked(view.text, letters) if places else ""
        for rule, at in places.values():
            results += self._matches(rule, view.text, blank, sorted(at), budget)
        return sorted(results, key=lambda match: match[:2])

    def _matches(self, rule: RuleLike, text: str, blank: str, places: list[int], budget: Budget) -> Iterator[Found]:
        for start, end in _windows(places, len(text)):
            seconds = budget.slice()
            if not seconds:
                return
            if not _may_match(rule, blank, start, end):
                continue
            try:
                for match in self._compile(rule).finditer(text, start, end, timeout=seconds):
                    yield Found(match.start(), match.end(), rule)
            except TimeoutError:
                budget.incomplete = True

    def _compile(self, rule: RuleLike) -> "regex.Pattern[str]":
        if rule.id not in self._compiled:
            self._compiled[rule.id] = compile_pattern(rule.pattern)
        return self._compiled[rule.id]


def compile_pattern(pattern: str) -> "regex.Pattern[str]":
    r"""`pattern` with every blank standing for one blank of the view, "\n" included."""
    return regex.compile(pattern.replace(" ", r"\s"), regex.V0)


def _blanked(text: str, letters: set[str]) -> str:
    """`text` with a blank for each white space of its `letters`: literals of a rule's needs may hold blanks."""
    for letter in letters:
        if letter.isspace():
            text = text.replace(letter, " ")
    return text


def _may_match(rule: RuleLike, text: str, start: int, end: int) -> bool:
    """Whether text[start:end], blanked, may hold a match: somewhere all it needs stands close together.

    Compiling a pattern takes 2 ms, and on an ordinary page nearly every anchor is just a word of it.
    """
    if not rule.needs:
        return True
    step = max(rule.longest, MIN_STEP)  # a stretch of two steps covers every match that begins in its first half
    return any(_holds(text, at, min(at + 2 * step, end), way) for way in rule.needs for at in range(start, end, step))


def _holds(text: str, start: int, end: int, way: Sequence[Sequence[str]]) -> bool:
    """Of each group of literals, one stands in text[start:end]."""
    return all(any(text.find(literal, start, end) >= 0 for literal in group) for group in way)


def _places(text: str, anchor: str) -> Iterator[int]:
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + len(anchor))


def _windows(places: list[int], length: int) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - REACH), min(length, place + REACH)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows
