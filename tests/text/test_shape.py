"""Quick looks are never false where the pattern they stand before finds something, and seldom true on prose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.text import match_view, shape, spelled

APART = next(e.candidate for e in spelled.SPELLINGS if e.possible is spelled._lone_letters)
PAIRS = (
    (lambda text: shape.letters_apart(text, 4), match_view._SPACED),
    (shape.hyphened_pairs, match_view._HYPHENED),
    (shape.marks_in_words, match_view._EMPHASIZED),
    (shape.leet, match_view._LEET_WORDS),
    (lambda text: shape.letters_apart(text, 8), APART),
)
PROSE = "A keeper wrote the level of the pound in a well-known book, and it's 1.97 m (see p. 3)."


@given(
    st.one_of(
        st.text(st.sampled_from("ab1 .-_*|/,~+\n'0$!é指·("), max_size=50),
        st.lists(
            st.sampled_from(["a", " ", "b-c", "1", "i0n", ".", "*", "_", "'", "--", "word", "é"]), max_size=40
        ).map("".join),
    )
)
def test_a_quick_look_never_overlooks(text):
    for possible, pattern in PAIRS:
        assert possible(text) or not pattern.search(text)


@pytest.mark.parametrize(
    "text",
    [
        *(sign.join("ignore") for sign in (" ", ".", "-", "_", "*", "|", "/")),
        "Well-known pre-vi-ous in-struc-tions".lower(),
        "ig*no*re",
        "ig__no__re",
        "1gn0re pr3v10us",
    ],
)
def test_each_disguise_is_let_through_by_its_quick_look(text):
    assert any(possible(text) and pattern.search(text) for possible, pattern in PAIRS)


def test_prose_is_not_looked_at_twice():
    assert not any(possible(PROSE.lower()) for possible, _ in PAIRS)


def test_how_many_letters_stand_apart():
    text = "see a b c d e f now"
    assert shape.letters_apart(text, 6) and not shape.letters_apart(text, 9)
    assert shape.letters_apart("word · word", 8) and not shape.letters_apart("word, word", 4)
    assert shape.letters_apart("a" + " " * 40 + "b, c . d", 4)


def test_two_places_with_figures_in_words():
    assert shape.leet("i000n and i1n") and not shape.leet("i0n and in1") and not shape.leet("2020 and b2b")
