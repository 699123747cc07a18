"""Literals in a text: none that stands there is missed, and what is needed must come in its order and close together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.rules.loader import Rule
from guarded_webfetch.text.literals import Literals, Vocabulary, places_of
from guarded_webfetch.text.match_view import View
from guarded_webfetch.text.patterns import Budget, Matcher

WORDS = ("red", "red fox", "fo", "[at]", "@", "foxes", "示を", "a.b")
VOCABULARY = Vocabulary(WORDS)
WAY = [[["red"], ["fox", "wolf"], ["!"]]]


def literals(text):
    return Literals(text, Vocabulary(["red", "fox", "wolf", "!", "?"]))


@given(st.lists(st.sampled_from([*WORDS, "fox", " ", "bored", "x", "_", "指示を", "."]), max_size=12).map("".join))
def test_no_literal_that_stands_in_a_text_is_missed(text):
    found = Literals(text, VOCABULARY)
    for word in WORDS:
        assert found.places(word) == list(places_of(word, text))


def test_what_the_words_rule_out_does_not_stand():
    assert Literals("one rod, the box", VOCABULARY).standing == {"@"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red fox!", True),
        ("a red and a wolf ! ", True),
        ("fox red!", False),
        ("red fox", False),
        ("red" + " " * 40 + "fox!", False),
        ("red red" + " " * 22 + "wolf!", True),
        ("red fox" + " " * 60 + "!", False),
        ("fox red wolf!", True),
    ],
)
def test_what_is_needed_comes_in_its_order_and_close_together(text, expected):
    assert literals(text).hold(WAY, 0, len(text), 30) is expected
    assert literals("x " * 400 + text).hold(WAY, 800, 800 + len(text), 30) is expected
    assert literals(text).hold([[["?"]], *WAY], 0, len(text), 30) is expected


def test_a_stretch_is_all_that_is_looked_at():
    text = "red fox! " + "and so on " * 30
    assert literals(text).hold(WAY, 0, 20, 30)
    assert not literals(text).hold(WAY, 9, len(text), 30) and not literals(text).hold(WAY, 0, 4, 30)


def test_ways_need_all_their_groups():
    assert literals("red wolf!").allow(WAY) and literals("red wolf").allow([[["fox"]], [["red"], ["wolf"]]])
    assert not literals("red!").allow(WAY) and not literals("wolf fox").allow(WAY)
    assert literals("").allow([]) and literals("").hold([], 0, 0, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to ann@example.com", 1),
        ("ann @ example.com", 1),
        ("ann@example[dot]com and bob@example dot com", 2),
        ("}@media screen{", 0),
        ("x @media print", 0),
        ('{"@type": "a.b"}', 0),
    ],
)
def test_the_sign_of_addresses_is_an_anchor_only_within_one(text, expected):
    rule = Rule("a", "b", "weak", "2026.11", ("@",), r"@", "why", "here", ("x",), ("y",))
    assert len(Literals(text, VOCABULARY).anchored("@")) == expected
    assert bool(Matcher([rule]).search(View(text), Budget())) == (expected > 0)
