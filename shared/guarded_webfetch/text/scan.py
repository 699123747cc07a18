"""All ways a text can hold a phrase of the rules: plainly, in disguise, encoded."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from guarded_webfetch.text import context
from guarded_webfetch.text.encoded import decoded
from guarded_webfetch.text.match_view import View, plain, views
from guarded_webfetch.text.patterns import Budget, Matcher, RuleLike

NEAR: Final = 400  # characters between two weak matches of different categories that together are strong

MAX_ASKED: Final = 500  # weak matches of one text whose context is looked at; no ordinary page has as many

Located = Callable[[int, int], bool]


class Hit(NamedTuple):
    """A rule matched source[start:end]. `disguised`: only after decoding or undoing a disguise."""

    start: int
    end: int
    rule: RuleLike
    disguised: bool


class Judged(NamedTuple):
    """`strong`: to be replaced; otherwise only noted."""

    hit: Hit
    strong: bool


def scan(source: str, matcher: Matcher, budget: Budget, *, disguises: bool = True) -> list[Hit]:
    """The hits in `source`, sorted; one for each rule and place. Without `disguises` only what is said plainly."""
    if not disguises:
        if not matcher.search(View(plain(source)), budget):
            return []
        view = next(views(source))
        return _distinct(Hit(*view.source(a, b), rule, False) for a, b, rule in matcher.search(view, budget))
    hits: list[Hit] = []
    for view in views(source):
        for start, end, rule in matcher.search(view, budget):
            hits.append(Hit(*view.source(start, end), rule, view.split))
    for start, end, text in decoded(source):
        for view in views(text):
            hits += [Hit(start, end, found.rule, True) for found in matcher.search(view, budget)]
    return _distinct(hits)


def _distinct(hits: Iterable[Hit]) -> list[Hit]:
    """Without what another view found of the same rule at an overlapping place; plain hits win."""
    kept: dict[str, list[Hit]] = {}
    for hit in sorted(hits, key=lambda hit: hit.disguised):
        others = kept.setdefault(hit.rule.id, [])
        if not any(hit.start < other.end and other.start < hit.end for other in others[-50:]):
            others.append(hit)
    return sorted((hit for others in kept.values() for hit in others), key=lambda hit: hit[:2])


def judge(source: str, hits: Sequence[Hit], *, teaches: bool, in_code: Located, split: Located) -> list[Judged]:
    """Strong or weak, in context; `hits` are sorted.

    `in_code(start, end)`: the place is code; `split(start, end)`: invisible characters were taken out of it. A disguised or
    split hit is strong whatever its tier, and so is a hit of a strong rule, quoted or not: quoting costs an attacker nothing.
    Two of different categories within NEAR characters are strong, but a weak one does not count where it is talked about, and
    none counts in code.
    """
    sure = [hit.disguised or split(hit.start, hit.end) or _is_strong(hit, in_code) for hit in hits]
    serious = [number for number, hit in enumerate(hits) if not in_code(hit.start, hit.end)]
    asked = 0
    for number in sorted(_combined(hits, serious)):
        if not sure[number] and asked < MAX_ASKED:
            asked += 1
            if context.talked_about(source, hits[number].start, hits[number].end, teaches=teaches):
                serious.remove(number)
    combined = _combined(hits, serious)
    return [Judged(hit, sure[number] or number in combined) for number, hit in enumerate(hits)]


def _is_strong(hit: Hit, in_code: Located) -> bool:
    return hit.rule.tier == "strong" and not (hit.rule.spares_code and in_code(hit.start, hit.end))


def _combined(hits: Sequence[Hit], serious: Sequence[int]) -> set[int]:
    """The hits (by number) with another of a different category within NEAR characters; `serious` is in text order."""
    found: set[int] = set()
    reached: dict[str, int] = {}  # how far the hits of a category reach, up to here
    for number in serious:
        hit = hits[number]
        if any(end >= hit.start - NEAR for category, end in reached.items() if category != hit.rule.category):
            found.add(number)
        reached[hit.rule.category] = max(hit.end, reached.get(hit.rule.category, 0))
    following: dict[str, int] = {}  # where the next hit of a category begins
    for number in reversed(serious):
        hit = hits[number]
        if any(start <= hit.end + NEAR for category, start in following.items() if category != hit.rule.category):
            found.add(number)
        following[hit.rule.category] = hit.start
    return found
