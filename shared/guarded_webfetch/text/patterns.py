"""Rules against views: literal anchors first, then bounded patterns around their hits, within a budget of time."""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import regex

from guarded_webfetch.core.limits import MAX_RULE_SCAN_S, MAX_SCAN_S
from guarded_webfetch.text.match_view import View
from guarded_webfetch.text.nearness import Company, Stretch, accompanied, around

REACH: Final = 300  # characters around an anchor a pattern may look at
LONGEST_COMPANION: Final = 100  # characters of what stands near a match: it begins within reach and is seen whole
GRAM: Final = 3  # letters an anchor is filed under
SHORT: Final = 4_000  # characters of different words, up to which filing pays
MIN_STEP: Final = 60  # characters: looking at shorter stretches costs more than it tells


Ways = Sequence[Sequence[Sequence[str]]]  # how a pattern can match: groups of literals, of each of which one is needed

_NO_LETTERS: Final = re.compile(r"[\W_]+")


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


class Found(NamedTuple):
    """A match of a rule at text[start:end] of a view."""

    start: int
    end: int
    rule: RuleLike


class Texts(NamedTuple):
    """What one search looks at. `blank`: with a blank for each white space; `known`: leads that rules share."""

    plain: str
    blank: str
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
        self._anchors: dict[str, tuple[str, list[RuleLike]]] = {}  # its longest word, the rules it belongs to
        for rule in rules:
            for anchor in rule.anchors:
                if anchor not in self._anchors:
                    self._anchors[anchor] = (anchor if anchor.isalpha() else max(_NO_LETTERS.split(anchor), key=len), [])
                self._anchors[anchor][1].append(rule)
        self._by_gram: dict[str, list[str]] = {}  # the anchors by how their longest word begins
        for anchor, (word, _) in self._anchors.items():
            self._by_gram.setdefault(word[:GRAM] if len(word) >= GRAM else "", []).append(anchor)
        self._compiled: dict[str, regex.Pattern[str]] = {}

    def search(self, view: View, budget: Budget) -> list[Found]:
        """All matches in `view`, sorted; overlapping matches of different rules are all reported."""
        texts = Texts(view.text, _blanked(view.text), {})
        places: dict[str, tuple[RuleLike, list[int]]] = {}
        for anchor, rules in self._anchors_in(view.text):
            found = list(_places(texts.blank, anchor))
            if found:
                for rule in rules:
                    places.setdefault(rule.id, (rule, []))[1].extend(found)
        results: list[Found] = []
        for rule, at in places.values():
            results += self._matches(rule, texts, sorted(at), budget)
        return sorted(results, key=lambda match: match[:2])

    def _anchors_in(self, text: str) -> Iterator[tuple[str, list[RuleLike]]]:
        """The anchors whose longest word stands in a word of `text`: the different words are far shorter than the text."""
        letters = set(text)
        words = "\n".join(set(_NO_LETTERS.split("\n".join(set(text.split())))))
        for anchor in self._candidates(words):
            word, rules = self._anchors[anchor]
            if letters.issuperset(word) and word in words:
                yield anchor, rules

    def _candidates(self, words: str) -> Iterable[str]:
        """Anchors that may stand in `words`. Of a short text, as most views are, only those that begin like a part of it."""
        if len(words) > SHORT:
            return self._anchors
        grams = {words[at : at + GRAM] for at in range(len(words) - GRAM + 1)} & self._by_gram.keys()
        return [anchor for gram in ("", *sorted(grams)) for anchor in self._by_gram.get(gram, ())]

    def _matches(self, rule: RuleLike, texts: Texts, places: list[int], budget: Budget) -> Iterator[Found]:
        text = texts.plain
        for start, end in _windows(places, len(text)):
            seconds = budget.slice()
            if not seconds:
                return
            if not _may_match(rule, texts.blank, start, end):
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
    for letter in set(text):
        if letter.isspace():
            text = text.replace(letter, " ")
    return text


def _may_match(rule: RuleLike, text: str, start: int, end: int) -> bool:
    """Whether text[start:end], blanked, may hold a match: somewhere all that one of the ways asks for stands close together.

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
