"""Matches that count only in company: a lead with others close by, in any order, and with nothing that speaks against it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Stretch = tuple[int, int]


class Company(NamedTuple):
    """What stands around the leads of a rule: a sorted list of stretches for each pattern it asks for, and what rules it out."""

    wanted: Sequence[Sequence[Stretch]]
    unwanted: Sequence[Stretch]


def around(leads: Sequence[Stretch], within: int, length: int) -> list[Stretch]:
    """The stretches of a text of `length` characters that lie within reach of a lead, joined where they meet."""
    found: list[Stretch] = []
    for lead_start, lead_end in leads:
        start, end = max(0, lead_start - within), min(length, lead_end + within)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def accompanied(leads: Sequence[Stretch], company: Company, within: int) -> Iterator[Stretch]:
    """For each lead that has one of every wanted list within `within` characters, and nothing unwanted: all of it together."""
    for lead in leads:
        if _nearest(company.unwanted, lead, within) is None:
            nearest = [_nearest(stretches, lead, within) for stretches in company.wanted]
            parts = [lead, *(stretch for stretch in nearest if stretch is not None)]
            if len(parts) == len(nearest) + 1:
                yield min(start for start, _ in parts), max(end for _, end in parts)


def _nearest(stretches: Sequence[Stretch], lead: Stretch, within: int) -> Stretch | None:
    """The one before or after the lead's start that leaves the smaller gap; None when it leaves more than `within`."""
    at = bisect_left(stretches, lead)
    best = min(stretches[max(0, at - 1) : at + 1], key=lambda stretch: _gap(lead, stretch), default=None)
    return best if best is not None and _gap(lead, best) <= within else None


def _gap(a: Stretch, b: Stretch) -> int:
    """Characters between two stretches; 0 when they touch or overlap."""
    return max(0, a[0] - b[1], b[0] - a[1])
