"""Loads rules/*.toml, for the `rules` command and for tests; a fetch loads what rules/compact.py has made of them.

Patterns and anchors are written in the folded form of `text/match_view.py`; one blank in a pattern stands for any one blank
of the view. Every gap in a pattern is bounded, so that a match lies within REACH characters of each of its anchors.

`{name}` in a pattern stands for the alternatives that some file's table `words` has under that name. A rule with `near` matches
where each of those patterns stands within `within` characters of its own, in any order, and `unless` does not: several harmless
cues that together are an order to a machine.
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
_DEFAULTS: Final[dict[str, Any]] = {"near": [], "within": 0, "unless": "", "spares_code": False}
MAX_NESTED_WORDS: Final = 4
MAX_WITHIN: Final = 400  # characters; what stands farther apart is seldom one thought
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_VERSION: Final = re.compile(r"\d{4}\.\d{1,2}(?:\.\d+)?")
_WORD: Final = re.compile(r"\{([a-z_]+)\}")


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
    near: tuple[str, ...] = ()
    within: int = 0  # characters
    unless: str = ""
    spares_code: bool = False  # what documents show in code, as delimiters of chats, is only noted there

    @property
    def needs(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Nothing: what a match must hold is worked out for the compact form only."""
        return ()

    @property
    def near_needs(self) -> tuple[tuple[tuple[tuple[str, ...], ...], ...], ...]:
        """Nor for what stands near."""
        return ()

    @property
    def longest(self) -> int:
        """Not known either, and not asked for where `needs` is empty."""
        return 0


def load() -> tuple[Rule, ...]:
    """All shipped rules, in file order. RuleError when a file is not valid or an id stands twice."""
    return read(sorted(Path(__file__).parent.glob("*.toml")))


def read(files: Iterable[Path]) -> tuple[Rule, ...]:
    documents = [(file.name, *_parts(file.name, file.read_text(encoding="utf-8"))) for file in files]
    words = [pair for _, _, found in documents for pair in found.items()]
    rules = tuple(
        _rule(f"{name}, rule {number}", row, dict(words))
        for name, rows, _ in documents
        for number, row in enumerate(rows, 1)
    )
    if not rules:
        raise RuleError("no rules")
    _refuse_twice("id", [rule.id for rule in rules])
    _refuse_twice("word", [name for name, _ in words])
    return rules


def _refuse_twice(what: str, names: list[str]) -> None:
    repeated = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    if repeated:
        raise RuleError(f"{what} stands twice: {min(repeated)}")


def _parts(name: str, text: str) -> tuple[list[Any], dict[str, str]]:
    """The rules of a file as they stand there, and its words."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{name}: not TOML") from error
    rows, words = document.get("rule"), document.get("words", {})
    if not {"rule"} <= set(document) <= {"rule", "words"} or not isinstance(rows, list) or not rows:
        raise RuleError(f"{name}: holds no rules, or something else")
    if not isinstance(words, dict) or any(not isinstance(word, str) or not word for word in words.values()):
        raise RuleError(f"{name}: words are not texts")
    return rows, words


def _rule(place: str, row: Any, words: dict[str, str]) -> Rule:
    if not isinstance(row, dict) or not {*_STRINGS, *_LISTS} <= set(row) <= {*_STRINGS, *_LISTS, *_DEFAULTS}:
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
    row = {**_DEFAULTS, **row}
    near, within, unless = row["near"], row["within"], row["unless"]
    if not isinstance(near, list) or any(not isinstance(i, str) or not i for i in near) or not isinstance(unless, str):
        raise RuleError(f"{place}: near or unless is not well formed")
    if not isinstance(row["spares_code"], bool):
        raise RuleError(f"{place}: spares_code is true or false")
    if type(within) is not int or (within > 0) is not bool(near or unless) or within > MAX_WITHIN:
        raise RuleError(f"{place}: within goes with near or unless, and is at most {MAX_WITHIN}")
    patterns = {
        "pattern": _filled(place, row["pattern"], words),
        "near": tuple(_filled(place, pattern, words) for pattern in near),
        "unless": _filled(place, unless, words),
    }
    return Rule(**{**row, **{key: tuple(value) for key, value in lists.items()}, **patterns})


def _filled(place: str, pattern: str, words: dict[str, str]) -> str:
    """`pattern` with its words; words may hold words of their own."""
    for _ in range(MAX_NESTED_WORDS):
        names = set(_WORD.findall(pattern))
        if not names:
            return pattern
        if not names <= set(words):
            raise RuleError(f"{place}: no word {min(names - set(words))}")
        pattern = _WORD.sub(lambda found: f"(?:{words[found[1]]})", pattern)
    raise RuleError(f"{place}: words that hold each other")
