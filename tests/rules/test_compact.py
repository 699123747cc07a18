"""The compact form is the TOML's, and what it says a match must hold, every match holds."""

import pytest

from guarded_webfetch.rules.compact import load
from guarded_webfetch.rules.loader import load as load_toml
from guarded_webfetch.text.literals import Literals, Vocabulary
from guarded_webfetch.text.match_view import views
from guarded_webfetch.text.patterns import REACH, Budget, Matcher, compile_pattern
from tests.rules import generate_compact
from tests.rules.samples import samples

COMPACT = load()
TOML = load_toml()


def test_the_file_is_what_the_generator_writes():
    with open(generate_compact.FILE, encoding="utf-8") as file:
        assert file.read() == generate_compact.text()


def test_every_rule_is_there_with_all_that_matching_needs():
    assert [rule[:5] for rule in COMPACT] == [
        (rule.id, rule.category, rule.tier, list(rule.anchors), rule.pattern) for rule in TOML
    ]
    assert [(tuple(rule.near), rule.within, rule.unless, rule.spares_code) for rule in COMPACT] == [
        (rule.near, rule.within, rule.unless, rule.spares_code) for rule in TOML
    ]
    assert all(0 < rule.longest <= 2 * REACH for rule in COMPACT)
    assert sum(bool(rule.needs) for rule in COMPACT) >= 0.9 * len(COMPACT)


@pytest.mark.parametrize("number", range(len(TOML)), ids=lambda number: TOML[number].id)
def test_examples_are_matched_alike_by_both_forms(number):
    compact, full = Matcher([COMPACT[number]]), Matcher([TOML[number]])
    for example in (*TOML[number].match, *TOML[number].not_match):
        for text in (example, f"{'Something else. ' * 60}{example}{' And more.' * 60}"):
            view = next(views(text))
            found, expected = (matcher.search(view, Budget()) for matcher in (compact, full))
            assert [match[:2] for match in found] == [match[:2] for match in expected]


NEEDY = [(rule.id, rule.pattern, rule.longest, rule.needs) for rule in COMPACT if rule.needs]
NEEDY += [
    (f"{rule.id}-{number}", near, REACH, needs)
    for rule in COMPACT
    for number, (near, needs) in enumerate(zip(rule.near, rule.near_needs, strict=True), 1)
    if needs
]


@pytest.mark.parametrize(("_name", "pattern", "longest", "ways"), NEEDY, ids=[row[0] for row in NEEDY])
def test_whatever_a_pattern_matches_holds_what_it_needs(_name, pattern, longest, ways):
    compiled = compile_pattern(pattern)
    matches = [match for match in map(compiled.search, samples(pattern, 60)) if match]
    assert matches
    vocabulary = Vocabulary(literal for way in ways for group in way for literal in group)
    for match in matches:
        if len(match[0]) <= longest:
            held = Literals(match[0].replace("\n", " "), vocabulary)
            assert held.allow(ways) and held.hold(ways, 0, len(match[0]), longest)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("red fox", [[["red fox"]]]),
        ("(?:red|blue) fox(?:es)?", [[["blue", "red"], [" fox"]]]),
        ("red (?:fox|wolf) now|green frog", [[["red "], ["fox", "wolf"], [" now"]], [["green frog"]]]),
        ("red fox.{0,9} wolf|red fox.{0,9} frog", [[["red fox"], [" frog", " wolf"]]]),
        ("red.{0,9}fox.{0,9}frog|frog.{0,9}red", [[["red"], ["fox"], ["frog"]], [["frog"], ["red"]]]),
        ("red.{0,9}fox.{0,9}frog|red.{0,9}frog", [[["red"], ["frog"]]]),
        (r"[a-z]{3}|red", []),
        ("(?:red )*fox", [[["fox"]]]),
        ("(?:foxes|fox)", [[["fox"]]]),
        ("(?!red)(?<=blue)fox", [[["fox"]]]),
        ("is", []),
    ],
)
def test_what_a_pattern_needs(pattern, expected):
    assert generate_compact.needs(pattern) == expected


def test_a_slow_pattern_is_still_reported_behind_the_quick_look():
    slow = COMPACT[0]._replace(pattern=r"(?:a+)+b", anchors=["aaa"], longest=2 * REACH, needs=[[["aaa"]]])
    budget = Budget()
    Matcher([slow]).search(next(views("a" * 5000)), budget)
    assert budget.incomplete


def test_no_pattern_compiles_where_what_it_needs_is_missing_or_far_apart():
    rule = COMPACT[0]._replace(pattern="(", anchors=["fox"], longest=40, needs=[[["red "], ["fox"]]])
    far = "fox " + "and so on, " * 20 + "red " + "and so on, " * 20
    for text in ("a fox", "a fox, red ", far, far * 5):
        assert Matcher([rule]).search(next(views(text)), Budget()) == []
    with pytest.raises(Exception, match="missing"):
        Matcher([rule]).search(next(views("a red\nfox")), Budget())
