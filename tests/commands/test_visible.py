"""Nothing that steers a terminal gets through, and lines are as wide as they claim."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.commands import visible

TEXT = st.text(max_size=80)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 100 %", "plain text, 100 %"),
        ("日本語とかな、ｶﾅ", "日本語とかな、ｶﾅ"),
        ("می‌خواهم", "می‌خواهم"),  # a joiner its script needs
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("a\x1b[31mb", "a\\u{001B}[31mb"),
        ("a\x9b31m", "a\\u{009B}31m"),
        ("a\rb\nc\td\0", "a\\u{000D}b\\u{000A}c\\u{0009}d\\u{0000}"),
        ("\u202eabc\u2066", "\\u{202E}abc\\u{2066}"),
        ("a\u200b\ufeff\u2060b", "a\\u{200B}\\u{FEFF}\\u{2060}b"),
        ("\u2028\u2029\x85", "\\u{2028}\\u{2029}\\u{0085}"),
        ("\U000e0041\U000e0000", "\\u{E0041}\\u{E0000}"),
        ("\udcff", "\\u{DCFF}"),
    ],
)
def test_line(text: str, shown: str) -> None:
    assert visible.line(text) == shown


@given(TEXT)
def test_no_control_or_separator_is_left(text: str) -> None:
    shown = visible.line(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert visible.line(shown) == shown


def test_lines_break_at_line_feeds_only() -> None:
    assert visible.lines("a\r\nb\x0bc\u2028d\n\te") == ["a\\u{000D}", "b\\u{000B}c\\u{2028}d", "    e"]


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("ｶﾅ", 2), ("ｱ", 1), ("Ａ", 2), ("e\u0301", 1), ("ไม่", 2), ("", 0)]
)
def test_width(text: str, columns: int) -> None:
    assert visible.width(text) == columns


def test_wrap_prefers_spaces_and_breaks_japanese_anywhere() -> None:
    assert visible.wrap("one two three", 8) == ["one two", "three"]
    assert visible.wrap("https://example.com/", 8) == ["https://", "example.", "com/"]
    assert visible.wrap("図書館は開いて", 6) == ["図書館", "は開い", "て"]
    assert visible.wrap("", 8) == [""]


@given(TEXT, st.integers(min_value=2, max_value=20))
def test_wrapped_lines_fit_and_lose_nothing_but_spaces(text: str, columns: int) -> None:
    parts = visible.wrap(visible.line(text), columns)
    assert all(visible.width(part) <= columns for part in parts)
    assert "".join(parts).replace(" ", "") == visible.line(text).replace(" ", "")


def test_wrapping_a_long_line_takes_time_in_proportion() -> None:
    assert len(visible.wrap("字" * 80_000, 100)) == 1_600
