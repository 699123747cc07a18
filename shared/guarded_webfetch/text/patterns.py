"""Rules against views: literal anchors first, then bounded patterns around their hits, within a budget of time."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple, Protocol

import regex

from guarded_webfetch.core.limits import MAX_RULE_SCAN_S, MAX_SCAN_S
from guarded_webfetch.text.literals import Literals, Vocabulary, Ways
from guarded_webfetch.text.match_view import View
from guarded_webfetch.text.nearness import Company, Stretch, accompanied, around

REACH: Final = 300  # characters around an anchor a pattern may look at
LONGEST_COMPANION: Final = 100  # characters of what stands near a match: it begins within reach and is seen whole

# All white space but the blank; most of it only in texts that were decoded.
_WHITE: Final = (
    "\n\t\v\f\r\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
    "\u202f\u205f\u3000"
)


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
    def needs(self) -> Ways: ...
    @property
    def spares_code(self) -> bool: ...
    @property
    def near(self) -> Sequence[str]: ...
    @property
    def within(self) -> int: ...
    @property
    def unless(self) -> str: ...
    @property
    def near_needs(self) -> Sequence[Ways]: ...


class Found(NamedTuple):
    """A match of a rule at text[start:end] of a view."""

    start: int
    end: int
    rule: RuleLike


class Texts(NamedTuple):
    """What one search looks at. `literals`: of the text with a blank for each white space; `known`: leads that rules share."""

    plain: str
    literals: Literals
    known: dict[tuple[str, int, int], list[Stretch]]


class Budget:
    """CPU time for all scanning of one order. Once spent, or when one rule takes too long, `incomplete` stays set.

    CPU time, as `regex` counts its timeouts: on a busy machine an ordinary page must not look like a hostile one. The wall
    clock is the broker's, which kills a child at its deadline.
    """

    def __init__(self, seconds: float = MAX_SCAN_S) -> None:
        self._deadline = time.process_time() + seconds
        self.incomplete = False

    def slice(self) -> float:
        """Seconds one rule may take now; 0 when there is none left."""
        left = self._deadline - time.process_time()
        if left <= 0:
            self.incomplete = True
        return max(0.0, min(left, MAX_RULE_SCAN_S))


class Matcher:
    """A rule set with its anchors; patterns compile when the text around an anchor may match, and stay compiled."""

    def __init__(self, rules: Sequence[RuleLike]) -> None:
        self._anchors: dict[str, list[RuleLike]] = {}
        for rule in rules:
            for anchor in rule.anchors:
                self._anchors.setdefault(anchor, []).append(rule)
        ways = [way for rule in rules for needs in (rule.needs, *rule.near_needs) for way in needs]
        self._vocabulary = Vocabulary(chain(self._anchors, *(group for way in ways for group in way)))
        self._compiled: dict[str, regex.Pattern[str]] = {}

    def search(self, view: View, budget: Budget) -> list[Found]:
        """All matches in `view`, sorted; overlapping matches of different rules are all reported."""
        texts = Texts(view.text, Literals(_blanked(view.text), self._vocabulary), {})
        results: list[Found] = []
        for rule, anchors in self._possible(texts.literals):
            places = sorted(place for anchor in anchors for place in texts.literals.anchored(anchor))
            results += self._matches(rule, texts, places, budget)
        return sorted(results, key=lambda match: match[:2])

    def _possible(self, literals: Literals) -> Iterable[tuple[RuleLike, list[str]]]:
        """The rules of which an anchor and all they need may stand in the text, with their anchors there."""
        found: dict[str, tuple[RuleLike, list[str]]] = {}
        for anchor in sorted(literals.standing & self._anchors.keys()):
            for rule in self._anchors[anchor]:
                found.setdefault(rule.id, (rule, []))[1].append(anchor)
        return [
            (rule, anchors)
            for rule, anchors in found.values()
            if literals.allow(rule.needs) and all(map(literals.allow, rule.near_needs))
        ]

    def _matches(self, rule: RuleLike, texts: Texts, places: list[int], budget: Budget) -> Iterator[Found]:
        text = texts.plain
        for start, end in _windows(places, len(text)):
            seconds = budget.slice()
            if not seconds:
                return
            if not _may_match(rule, texts.literals, start, end):
                continue
            try:
                leads = texts.known.get((rule.pattern, start, end))
                if leads is None:
                    leads = self._stretches(rule.pattern, text, [(start, end)], seconds)
                    texts.known[rule.pattern, start, end] = leads
                for lead in self._in_company(rule, text, leads, seconds) if rule.near or rule.unless else leads:
                    yield Found(*lead, rule)
            except TimeoutError:
                budget.incomplete = True

    def _in_company(self, rule: RuleLike, text: str, leads: list[Stretch], seconds: float) -> Iterator[Stretch]:
        """The leads that stand near all the rule asks for; its other patterns look only around them."""
        places = around(leads, rule.within + LONGEST_COMPANION, len(text))
        wanted: list[list[Stretch]] = []
        for pattern in rule.near:
            wanted.append(self._stretches(pattern, text, places, seconds))
            if not wanted[-1]:
                return
        unwanted = self._stretches(rule.unless, text, places, seconds) if rule.unless else []
        yield from accompanied(leads, Company(wanted, unwanted), rule.within)

    def _stretches(self, pattern: str, text: str, places: Sequence[Stretch], seconds: float) -> list[Stretch]:
        if pattern not in self._compiled:
            self._compiled[pattern] = compile_pattern(pattern)
        compiled = self._compiled[pattern]
        return [m.span() for start, end in places for m in compiled.finditer(text, start, end, timeout=seconds)]


def compile_pattern(pattern: str) -> "regex.Pattern[str]":
    r"""`pattern` with every blank standing for one blank of the view, "\n" included."""
    return regex.compile(pattern.replace(" ", r"\s"), regex.V0)


def _blanked(text: str) -> str:
    """`text` with a blank for each white space: anchors and the literals of a rule's needs may hold blanks."""
    for sign in _WHITE:
        if sign in text:
            text = text.replace(sign, " ")
    return text


def _may_match(rule: RuleLike, literals: Literals, start: int, end: int) -> bool:
    """Whether text[start:end] may hold a match, and what stands around it the company it asks for.

    Compiling a pattern takes 2 ms, and on an ordinary page nearly every anchor is just a word of it.
    """
    reach = rule.within + LONGEST_COMPANION
    return literals.hold(rule.needs, start, end, rule.longest) and all(
        literals.hold(ways, max(0, start - reach), end + reach, REACH) for ways in rule.near_needs
    )


def _windows(places: list[int], length: int) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - REACH), min(length, place + REACH)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows
