"""Loads rules/*.toml, for the `rules` command and for tests; a fetch loads what rules/compact.py has made of them.

Patterns and anchors are written in the folded form of `text/match_view.py`; one blank in a pattern stands for any one blank
of the view. Every gap in a pattern is bounded, so that a match lies within REACH characters of each of its anchors.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from guarded_webfetch.rules import RULES_VERSION

__all__ = ["RULES_VERSION", "Rule", "RuleError", "load", "read"]

Tier = Literal["strong", "weak"]
_STRINGS: Final = ("id", "category", "tier", "since", "pattern", "why", "source")
_LISTS: Final = ("anchors", "match", "not_match")
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_VERSION: Final = re.compile(r"\d{4}\.\d{1,2}(?:\.\d+)?")


class RuleError(ValueError):
    """A rule file is empty or not as it must be. The message names file and rule; it never holds page text."""


class Rule(NamedTuple):
    """A pattern of instructions meant for a machine reader. `tier` strong is replaced in the text, weak only noted."""

    id: str  # stable; appears in the record
    category: str  # appears in the record and in [FILTERED:category]
    tier: Tier
    since: str  # rules version
    anchors: tuple[str, ...]  # literals of which at least one stands in every match
    pattern: str
    why: str
    source: str  # where the phrase was seen
    match: tuple[str, ...]
    not_match: tuple[str, ...]

    @property
    def needs(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Nothing: what a match must hold is worked out for the compact form only."""
        return ()

    @property
    def longest(self) -> int:
        """Not known either, and not asked for where `needs` is empty."""
        return 0


def load() -> tuple[Rule, ...]:
    """All shipped rules, in file order. RuleError when a file is not valid or an id stands twice."""
    return read(sorted(Path(__file__).parent.glob("*.toml")))


def read(files: Iterable[Path]) -> tuple[Rule, ...]:
    rules = tuple(rule for file in files for rule in _rules(file.name, file.read_text(encoding="utf-8")))
    if not rules:
        raise RuleError("no rules")
    ids = [rule.id for rule in rules]
    repeated = {rule_id for rule_id in ids if ids.count(rule_id) > 1} if len(set(ids)) < len(ids) else set()
    if repeated:
        raise RuleError(f"id stands twice: {min(repeated)}")
    return rules


def _rules(name: str, text: str) -> list[Rule]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{name}: not TOML") from error
    rows = document.get("rule")
    if set(document) != {"rule"} or not isinstance(rows, list) or not rows:
        raise RuleError(f"{name}: holds no rules, or something else")
    return [_rule(f"{name}, rule {number}", row) for number, row in enumerate(rows, 1)]


def _rule(place: str, row: Any) -> Rule:
    if not isinstance(row, dict) or set(row) != {*_STRINGS, *_LISTS}:
        raise RuleError(f"{place}: wrong fields")
    if any(not isinstance(row[key], str) or not row[key] for key in _STRINGS):
        raise RuleError(f"{place}: an empty field")
    lists = {key: row[key] for key in _LISTS}
    if any(not isinstance(v, list) or not v or any(not isinstance(i, str) or not i for i in v) for v in lists.values()):
        raise RuleError(f"{place}: an empty list")
    if not _NAME.fullmatch(row["id"]) or not _NAME.fullmatch(row["category"]) or not _VERSION.fullmatch(row["since"]):
        raise RuleError(f"{place}: id, category or since is not well formed")
    if row["tier"] not in get_args(Tier):
        raise RuleError(f"{place}: unknown tier")
    return Rule(**{**row, **{key: tuple(value) for key, value in lists.items()}})
