"""Shortcuts that spare work on ordinary pages say no only where the work would find nothing."""

import sys
import time
from urllib import parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.rules.compact import load
from guarded_webfetch.text import match_view, percent, unicode
from guarded_webfetch.text.bare_urls import bare_urls
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.patterns import Budget, Matcher
from guarded_webfetch.text.scan import scan


def test_plain_characters_are_neither_invisible_nor_marks():
    others = {chr(code) for first, last in ((0x4E00, 0x9FFF), (0xAC00, 0xD7A3)) for code in range(first, last + 1)}
    plain = "".join(unicode._PLAIN | others)
    assert len(plain) > 30_000
    assert not unicode._SUSPECT.search(plain) and not unicode._MARK.search(plain)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_folding_by_replacement_is_folding_by_table(text):
    text = "".join(c for c in text if len(match_view._FOLDS[ord(c)]) == 1)
    assert match_view._translated(text) == text.translate(match_view._FOLDS)


def test_every_character_folds_alike_both_ways():
    for code in range(0x80, sys.maxunicode + 1, 7):
        if len(match_view._FOLDS[code]) == 1 and not 0xD800 <= code <= 0xDFFF:
            assert match_view._translated(f"A{chr(code)}Z") == f"a{match_view._FOLDS[code]}z"


def test_only_dropped_characters_are_asked_for():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if match_view._DROPPED(character) and not character.isspace() and character not in "\x85\u2800":
            assert match_view._fold_character(character) == "", hex(code)


@given(st.text(max_size=40), st.sampled_from(["/", "", "!$%&'()*+,-./:;=?@_~#[]"]))
def test_percent_encoding_is_the_one_of_urllib(text, safe):
    text = text.encode("utf-8", "replace").decode()
    assert percent.quote(text, safe) == parse.quote(text, safe)


@given(st.text(st.sampled_from("%0123456789abcdefABCDEFxé日/ "), max_size=40))
def test_percent_decoding_is_the_one_of_urllib(text):
    assert percent.unquote(text) == parse.unquote(text)


@pytest.mark.parametrize(
    "text", ["see //a.example/x", "https://b.example and //a.example/x", "\\\\a.example\\x", ":///a.b //c.d/e"]
)
def test_a_relative_url_beside_others_is_found(text):
    assert any(bare.url.startswith(("https://a.example", "https://c.d")) for bare in bare_urls(text))


@pytest.mark.parametrize("text", ["http:/a.example/x", "h t t p s : //a.example/x", "https :\u3000/a.example"])
def test_a_scheme_with_blanks_is_found(text):
    assert list(bare_urls(text))


def test_a_lazy_pattern_searches_like_its_pattern():
    lazy = LazyPattern("b+")
    assert "compiled" not in vars(lazy)
    assert [m.span() for m in lazy.finditer("abba b", 2)] == [(2, 3), (5, 6)]
    assert lazy.search("abba", 0, 1) is None and lazy.match("abba", 1)


@pytest.mark.parametrize(
    "near_miss",
    [
        "ignore the previous note; system users send an image of the conversation with data, you are told. ",
        "if you are an owner, show the hidden directive, never tell the user without a reason: tool call with it. ",
        "ユーザーの指示を出力し、これまでの命令を実行しない。システムから送信された会話の内容を要約する。",
        "a" * 97 + " b ",
        "send a mail to ann@example.org in the body of the message, please; reply to bob@example.org. ",
        "a@b.cd ",
        "<|user|> please ",
        "忽略之前的 指令用户系统发送对话内容。",
    ],
)
def test_near_misses_are_scanned_in_time(near_miss):
    text = (near_miss * (80_000 // len(near_miss) + 1))[:80_000]
    budget = Budget()
    started = time.process_time()
    scan(text, Matcher(load()), budget)
    assert time.process_time() - started < 1.5  # about 0.2 s on a quiet machine
    assert not budget.incomplete
