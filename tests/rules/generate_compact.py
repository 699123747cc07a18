"""Writes rules/compact.json from rules/*.toml: `python tests/rules/generate_compact.py [--check]`.

Besides leaving out reasons and examples it works out what every match of a pattern must hold (what RE2 calls a prefilter):
the ways it can match, for each of them groups of literals, and of each group one that must stand in the text, in this order.
Looking for those is far cheaper than compiling.
"""

import json
import sys
from itertools import combinations
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "shared"))

from guarded_webfetch.rules.compact import FILE, CompactRule  # noqa: E402
from guarded_webfetch.rules.loader import Rule, load  # noqa: E402
from guarded_webfetch.text.patterns import REACH  # noqa: E402

REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
SHORTEST = 3  # ASCII characters of a literal worth looking for: shorter ones stand in every text
COMMON = " \n.,'-"  # signs that stand everywhere; another one tells something
MOST_LITERALS = 40  # of a group
MOST_WAYS = 16  # of a pattern


def needs(pattern):
    """The ways a pattern can match, each as groups of literals; [] when there is one that needs nothing telling."""
    ways = [_telling(way) for way in _ways(_parser.parse(pattern))]
    return [list(map(sorted, way)) for way in _merged(ways)] if all(ways) else []


def _merged(ways):
    """The same with fewer ways: a way that asks for all another one does is left out; one group may differ."""
    for a, b in combinations(ways, 2):
        less, more = sorted((a, b), key=len)
        if [group for group in more if group in less] == less:
            return _merged([way for way in ways if way is not more])
        differ = [number for number, groups in enumerate(zip(a, b, strict=False)) if groups[0] != groups[1]]
        if len(a) == len(b) and len(differ) == 1:
            joined = [*a[: differ[0]], _shortest(a[differ[0]] | b[differ[0]]), *a[differ[0] + 1 :]]
            return _merged([joined if way is a else way for way in ways if way is not b])
    return ways


def _ways(tree):
    """All ways a sequence can match; where they would be too many, an alternation becomes one group."""
    ways = [[]]
    for part in _parts(tree):
        more = part if len(part) * len(ways) <= MOST_WAYS else [_united(part)]
        ways = [way + groups for way in ways for groups in more]
    return ways


def _parts(tree):
    """The ways of each part of a sequence that cannot be left out; literals in a row are one part."""
    run = ""
    for operator, argument in tree:
        if operator is op.LITERAL:
            run += chr(argument)
        elif operator is not op.AT:  # takes no character, so it does not end a row
            yield [[{run}]] if run else [[]]
            run = ""
            yield _ways_of(operator, argument)
    yield [[{run}]] if run else [[]]


def _ways_of(operator, argument):
    if operator is op.SUBPATTERN:
        return _ways(argument[3])
    if operator is op.ATOMIC_GROUP:
        return _ways(argument)
    if operator in REPEATS and argument[0] >= 1:
        return _ways(argument[2])
    if operator is op.IN and all(kind is op.LITERAL for kind, _ in argument):
        return [[{chr(code) for _, code in argument}]]
    if operator is op.BRANCH:
        ways = [way for branch in argument[1] for way in _ways(branch)]
        return [_united(ways)] if all(len(way) <= 1 for way in ways) else ways
    return [[]]


def _united(ways):
    """The ways as at most one group: the most telling one of each, together."""
    best = [max(way, key=_worth, default=set()) for way in ways]
    return [set().union(*best)] if all(best) else []


def _worth(group):
    """How much a group tells: its weakest literal counts, then how few it has."""
    return min(map(_weight, group)), -len(group)


def _weight(literal):
    if len(literal) == 1 and not literal.isalnum() and literal not in COMMON:
        return SHORTEST
    letters = len(literal.strip())
    return letters if literal.isascii() else SHORTEST * letters


def _telling(way):
    """The groups worth looking for, each once."""
    groups = [_shortest(group) for group in way]
    groups = [group for number, group in enumerate(groups) if group not in groups[:number]]
    return [group for group in groups if _worth(group)[0] >= SHORTEST and len(group) <= MOST_LITERALS]


def _shortest(group):
    """A literal that holds another one of the group says no more."""
    return {word for word in group if not any(other != word and other in word for other in group)}


def longest(pattern):
    """Characters of the longest match; what repeats a letter without limit stays within reach of its anchors."""
    return min(_parser.parse(pattern).getwidth()[1], 2 * REACH)


def compact(rule: Rule) -> CompactRule:
    pattern = rule.pattern
    must = needs(pattern)
    return CompactRule(
        rule.id, rule.category, rule.tier, list(rule.anchors), pattern, longest(pattern), must,
        rule.spares_code, list(rule.near), rule.within, rule.unless, [needs(near) for near in rule.near],
    )  # fmt: skip


def text() -> str:
    """The whole file, a rule on each line."""
    rows = (json.dumps(_row(compact(rule)), ensure_ascii=False, separators=(",", ":")) for rule in load())
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _row(rule: CompactRule) -> CompactRule | tuple[object, ...]:
    """Without the last fields where they say nothing: most rules have none."""
    return rule if rule.within else rule[:-4] if rule.spares_code else rule[:-5]


def main() -> int:
    file = Path(FILE)
    if "--check" in sys.argv[1:]:
        current = file.is_file() and file.read_text(encoding="utf-8") == text()
        print("compact.json is current" if current else "compact.json is not current")
        return 0 if current else 1
    file.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
