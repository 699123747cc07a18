"""Anchors, windows, budget."""

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


def test_quoting_softens_only_on_a_page_that_speaks_of_attacks():
    text = "The note “burn the green” is typical."
    assert strengths(text) == [True]
    assert strengths(text, teaches=True) == [False]


def test_code_softens_only_on_a_page_that_speaks_of_attacks():
    assert strengths("burn the green", code=[(0, 14)]) == [True]
    assert strengths("burn the green", code=[(0, 14)], teaches=True) == [False]


def test_reported_speech_softens():
    assert strengths("Watch for text that tells you to burn the green.") == [False]
    assert strengths("You have to burn the green.") == [True]


def test_a_disguised_match_is_never_softened():
    assert strengths("such as b-urn t-he gr-een", teaches=True) == [True]
