"""Where literals stand in a text, each looked for once and most of them never: what the words of the text rule out is not there."""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

Group = Sequence[str]
# How a pattern can match: groups of literals, one of each of which is needed, in this order.
Ways = Sequence[Sequence[Group]]

GRAM: Final = 3  # letters
WIDE: Final = 8  # a stretch of at least such a part of the text is wide: the whole text is looked through, once for all
_NO_LETTERS: Final = re.compile(r"[\W_]+")


@cache
def longest_word(literal: str) -> str:
    """The longest run of letters and digits in `literal`."""
    return max(_NO_LETTERS.split(literal), key=len)


# A sign of every style sheet and script, and what makes an address of it.
ADDRESS_SIGN: Final = "@"
_ADDRESS: Final = LazyPattern(r"@(?:(?<=[\w.+-].)|(?<=[\w.+-] .))(?= ?[\w-]{1,60} ?(?:\.|\[dot|\(dot| dot ))")


def places_of(literal: str, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[int]:
    """Where `literal` begins in text[start:end]; occurrences do not overlap."""
    at = text.find(literal, start, end)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal), end)


class Vocabulary:
    """All literals of a rule set, filed by how their longest word begins."""

    def __init__(self, literals: Iterable[str]) -> None:
        self._by_gram: dict[str, list[tuple[str, str]]] = {}  # with the word itself
        for literal in set(literals):
            word = literal if literal.isalnum() else longest_word(literal)
            self._by_gram.setdefault(word[:GRAM] if len(word) >= GRAM else "", []).append((literal, word))

    def standing(self, text: str) -> set[str]:
        """The literals whose longest word may be part of a word of `text`: its different words are far shorter than the text."""
        distinct = set(_NO_LETTERS.split("\n".join(set(text.split()))))
        words = "\n".join(distinct)
        grams = {words[at : at + GRAM] for at in range(len(words) - GRAM + 1)}
        found = [
            pair for gram in grams & self._by_gram.keys() for pair in self._by_gram[gram] if pair[1][-GRAM:] in grams
        ]
        found += self._by_gram.get("", ())
        return {literal for literal, word in found if len(word) == GRAM or word in distinct or word in words}


class Literals:
    """The literals of a vocabulary in one text, in which every white space is a blank."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text: Final = text
        self.standing: Final = vocabulary.standing(text)
        self._places: dict[str, list[int]] = {}

    def places(self, literal: str) -> list[int]:
        """All places of `literal`, sorted."""
        if literal not in self._places:
            self._places[literal] = list(places_of(literal, self.text)) if literal in self.standing else []
        return self._places[literal]

    def anchored(self, anchor: str) -> list[int]:
        """The places of an anchor. One that is the sign of addresses counts only where it may be part of one."""
        if anchor != ADDRESS_SIGN:
            return self.places(anchor)
        return [match.start() for match in _ADDRESS.finditer(self.text)] if anchor in self.text else []

    def allow(self, ways: Ways) -> bool:
        """Whether all that one of the ways asks for may stand somewhere; of no ways nothing is known."""
        if not ways:
            return True
        for way in ways:
            for group in way:
                if self.standing.isdisjoint(group):
                    break
            else:
                return True
        return False

    def hold(self, ways: Ways, start: int, end: int, longest: int) -> bool:
        """Whether in text[start:end] all that one of the ways asks for stands within `longest` characters."""
        return not ways or any(self._hold(way, start, end, longest) for way in ways)

    def _hold(self, way: Sequence[Group], start: int, end: int, longest: int) -> bool:
        signs = [group for group in way if not any(map(longest_word, group))]
        found: list[list[int]] = []
        for group in way if len(signs) == len(way) else (group for group in way if group not in signs):
            found.append(self._within(group, start, end))
            if not found[-1]:
                return False
        first, *others = found
        return any(_follow(others, place, longest) and self._signed(signs, place, longest) for place in first)

    def _signed(self, signs: Sequence[Group], place: int, reach: int) -> bool:
        """Signs stand everywhere, so they are looked for only around `place`."""
        start, end = max(0, place - reach), place + reach
        return all(any(self.text.find(sign, start, end) >= 0 for sign in group) for group in signs)

    def _within(self, group: Group, start: int, end: int) -> list[int]:
        """Sorted."""
        found: list[int] = []
        for literal in self.standing.intersection(group):
            if literal in self._places or (end - start) * WIDE > len(self.text):
                places = self.places(literal)
                found += places[bisect_left(places, start) : bisect_left(places, end)]
            else:
                found += places_of(literal, self.text, start, end)
        return sorted(found)


def _follow(groups: Sequence[Sequence[int]], place: int, reach: int) -> bool:
    """Behind `place`, and within `reach` of it, there is one place of each group, in the order of the groups."""
    last = place
    for places in groups:
        at = bisect_right(places, last)
        if at == len(places) or places[at] > place + reach:
            return False
        last = places[at]
    return True
