"""All ways a text can hold a phrase of the rules: plainly, in disguise, encoded."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from guarded_webfetch.text import context
from guarded_webfetch.text.encoded import decoded
from guarded_webfetch.text.match_view import views
from guarded_webfetch.text.patterns import Budget, Matcher, RuleLike

NEAR: Final = 400  # characters between two weak matches of different categories that together are strong

MAX_NEIGHBOURS: Final = 100  # looked at for each match

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
    """Strong or weak, in context.

    `in_code(start, end)`: the place is code; `split(start, end)`: invisible characters were taken out of it. A disguised or
    split hit is strong whatever its tier. Otherwise a strong rule is softened where the phrase is talked about, and a weak
    one is strong when a weak one of another category stands within NEAR characters, neither talked about.
    """
    sure = [hit.disguised or split(hit.start, hit.end) for hit in hits]
    plain = [not sure[i] and _talked_about(source, hit, teaches, in_code) for i, hit in enumerate(hits)]
    serious = [i for i, hit in enumerate(hits) if not plain[i] and not in_code(hit.start, hit.end)]
    combined = _combined(hits, serious)
    return [
        Judged(hit, sure[i] or i in combined or (not plain[i] and hit.rule.tier == "strong"))
        for i, hit in enumerate(hits)
    ]


def _talked_about(source: str, hit: Hit, teaches: bool, in_code: Located) -> bool:
    if context.reported(source, hit.start, hit.end):
        return True
    return teaches and (in_code(hit.start, hit.end) or context.quoted(source, hit.start, hit.end))


def _combined(hits: Sequence[Hit], serious: Sequence[int]) -> set[int]:
    """The hits (by number) with another of a different category within NEAR characters; `serious` is in text order."""
    found: set[int] = set()
    for place, number in enumerate(serious):
        for other in islice(serious, place + 1, place + 1 + MAX_NEIGHBOURS):
            if hits[other].start - hits[number].end > NEAR:
                break
            if hits[other].rule.category != hits[number].rule.category:
                found |= {number, other}
                break
    return found
