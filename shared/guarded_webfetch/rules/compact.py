"""The rules as a fetch loads them: compact.json, made from rules/*.toml by tests/rules/generate_compact.py.

Reading the TOML with its examples takes 7 ms and `tomllib` another 3, on every page. A test proves both forms equal.
"""

import json
import os
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

FILE: Final = os.path.join(os.path.dirname(__file__), "compact.json")


class CompactRule(NamedTuple):
    """What matching needs of a rule (see loader.Rule).

    `needs`: the ways the pattern can match, each as groups of literals; every match holds one literal of each group of
    some way ([]: nothing is known). `near_needs`: the same for each pattern of `near`. `longest`: no match has more characters.
    """

    id: str
    category: str
    tier: str
    anchors: list[str]
    pattern: str
    longest: int
    needs: list[list[list[str]]]
    spares_code: bool = False
    near: Sequence[str] = ()
    within: int = 0
    unless: str = ""
    near_needs: Sequence[list[list[list[str]]]] = ()


@cache
def load() -> tuple[CompactRule, ...]:
    """All shipped rules, in file order."""
    with open(FILE, encoding="utf-8") as file:
        return tuple(CompactRule(*row) for row in json.load(file))
