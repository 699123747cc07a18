"""Anchors, windows, budget."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.rules.loader import Rule, load
from guarded_webfetch.text.match_view import View, views
from guarded_webfetch.text.patterns import Budget, Matcher
from guarded_webfetch.text.scan import judge, scan


def rule(pattern, anchors, tier="strong", category="test", name="test-rule"):
    return Rule(name, category, tier, "2026.11", tuple(anchors), pattern, "why", "here", ("x",), ("y",))


def spans(matcher, text):
    return [(found.start, found.end) for found in matcher.search(View(text), Budget())]


def test_every_occurrence_is_found_once():
    matcher = Matcher([rule(r"\bred fox\b", ["fox", "red"])])
    assert spans(matcher, "red fox, red\nfox, bored fox") == [(0, 7), (9, 16)]


def test_nothing_compiles_before_an_anchor_is_hit():
    matcher = Matcher([rule("(", ["never seen"])])  # not a pattern at all
    assert spans(matcher, "an ordinary text") == []


def test_a_slow_pattern_ends_and_is_reported():
    matcher = Matcher([rule(r"(?:a+)+b", ["aaa"])])
    budget = Budget()
    matcher.search(View("a" * 5000), budget)
    assert budget.incomplete


def test_a_spent_budget_is_reported():
    budget = Budget(seconds=0)
    assert Matcher([rule("fox", ["fox"])]).search(View("fox"), budget) == []
    assert budget.incomplete


def test_ordinary_work_leaves_the_budget_complete():
    budget = Budget()
    Matcher(load()).search(next(views("An ordinary page about foxes. " * 500)), budget)
    assert not budget.incomplete


WEAK = [
    rule("take the red", ["take"], "weak", "one", "weak-one"),
    rule("give the blue", ["give"], "weak", "two", "weak-two"),
]


def strengths(text, *, teaches=False, code=(), split=()):
    hits = scan(text, Matcher([*WEAK, rule("burn the green", ["burn"])]), Budget())
    inside = [any(a <= hit.start < b for a, b in code) for hit in hits]
    assert len(inside) == len(hits)
    return [
        judged.strong
        for judged in judge(
            text,
            hits,
            teaches=teaches,
            in_code=lambda start, end: any(a <= start and end <= b for a, b in code),
            split=lambda start, end: any(start < place < end for place in split),
        )
    ]


def test_a_weak_match_alone_is_noted():
    assert strengths("take the red") == [False]


def test_two_weak_categories_close_together_are_strong():
    assert strengths("take the red and give the blue") == [True, True]
    assert strengths("take the red" + " and so on" * 60 + " give the blue") == [False, False]
    assert strengths("take the red and take the red") == [False, False]


def test_a_split_weak_match_is_strong():
    assert strengths("take the red", split=[5]) == [True]


def test_a_strong_rule_is_strong_in_quotation_marks_too():
    """Quoting costs an attacker nothing."""
    for text in ("The note “burn the green” is typical.", "Watch for text that tells you to burn the green."):
        assert strengths(text) == [True]
        assert strengths(text, teaches=True) == [True]
    assert strengths("burn the green", code=[(0, 14)], teaches=True) == [True]


def test_weak_matches_that_are_talked_about_do_not_add_up():
    quoted = "Well: “take the red” and “give the blue”."
    assert strengths("Do take the red and give the blue.", teaches=True) == [True, True]
    assert strengths(quoted) == [True, True]
    assert strengths(quoted, teaches=True) == [False, False]
    assert strengths("They tell you to take the red, such as give the blue") == [False, False]
    assert strengths("take the red and give the blue", code=[(0, 30)]) == [False, False]


def test_what_is_talked_about_is_strong_where_it_is_split_or_disguised():
    assert strengths("They tell you to take the red", split=[20]) == [True]
    assert strengths("such as b-urn t-he gr-een", teaches=True) == [True]


def test_a_rule_may_spare_code():
    spared = Matcher([rule("burn the green", ["burn"])._replace(spares_code=True)])
    hits = scan("burn the green", spared, Budget())
    for in_code in (True, False):
        (judged,) = judge(
            "burn the green", hits, teaches=False, in_code=lambda a, b, here=in_code: here, split=lambda a, b: False
        )
        assert judged.strong is not in_code


COMPANY = rule("fox", ["fox"])._replace(near=("hen", "red|blue"), within=20, unless="zoo")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the red hen saw the fox", [(4, 23)]),
        ("a fox, a hen, all blue", [(2, 22)]),
        ("a fox and a hen", []),
        ("a red fox", []),
        ("a red fox in the zoo with a hen", []),
        ("a red fox, and some twenty characters on a hen", []),
        ("red hen fox" + "." * 60 + "fox", [(0, 11)]),
        ("red hen fox fox", [(0, 11), (0, 15)]),
        ("zoo" + "." * 30 + "red hen fox", [(33, 44)]),
    ],
)
def test_a_rule_with_company_asks_for_all_of_it_close_by(text, expected):
    assert spans(Matcher([COMPANY]), text) == expected


def test_a_rule_that_only_excludes_something():
    alone = COMPANY._replace(near=())
    assert spans(Matcher([alone]), "a fox") == [(2, 5)]
    assert spans(Matcher([alone]), "a fox in the zoo") == []


def test_slow_company_ends_and_is_reported():
    slow = rule("aaa", ["aaa"])._replace(near=(r"(?:a+)+b",), within=20)
    budget = Budget()
    Matcher([slow]).search(View("a" * 5000), budget)
    assert budget.incomplete


def test_company_is_looked_for_once_however_many_leads_there_are():
    text = "fox " * 20_000 + "hen red"
    assert len(spans(Matcher([COMPANY]), text)) == 4


def test_an_anchor_with_a_blank_is_found_over_a_line_end():
    assert spans(Matcher([rule(r"red\sfox", ["red fox"])]), "a red\nfox") == [(2, 9)]


@given(st.lists(st.sampled_from(["fox", "hen", "red", "zoo", "and so on", ",\n"]), max_size=24))
def test_company_is_what_comparing_all_with_all_finds(words):
    text = " ".join(words)
    leads, hens, reds, zoos = ([m.span() for m in re.finditer(word, text)] for word in ("fox", "hen", "red", "zoo"))

    def close(a, others):
        return [b for b in others if max(0, a[0] - b[1], b[0] - a[1]) <= COMPANY.within]

    expected = [lead for lead in leads if close(lead, hens) and close(lead, reds) and not close(lead, zoos)]
    found = spans(Matcher([COMPANY]), text)
    assert len(found) == len(expected)
    assert all(any(a <= start and end <= b for a, b in found) for start, end in expected)


def test_time_is_that_of_the_processor():
    """A busy machine must not make an ordinary page look hostile."""
    budget = Budget(seconds=0.05)
    time.sleep(0.1)
    assert budget.slice() > 0 and not budget.incomplete
