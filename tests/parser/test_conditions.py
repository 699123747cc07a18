"""Conditions of sheets, for a window of 1280 by 800 with a mouse."""

import pytest

from guarded_webfetch.parser.conditions import media, supports


@pytest.mark.parametrize(
    ("condition", "applies"),
    [
        ("screen", True), ("print", False), ("print, screen", True), ("not print", True), ("not all", False),
        ("(min-width:600px)", True), ("(max-width:600px)", False), ("screen and (min-width:40em)", True),
        ("not all and (min-width:600px)", False), ("not all and (min-width:2000px)", True), ("(width >= 600px)", True),
        ("(400px <= width <= 900px)", False), ("(600px < width)", True), ("(prefers-color-scheme:dark)", False),
        ("(prefers-color-scheme: dark) or (min-width: 1px)", True), ("(hover)", True), ("(hover:none)", False),
        ("(not (min-width:600px))", False), ("(min-resolution:2dppx)", False), ("(-webkit-min-device-pixel-ratio:1)", True),
        ("(orientation:landscape)", True), ("(min-width:frog)", None), ("(nonesuch:1)", None), ("only screen", True),
        ("screen and (max-width:calc(1024px - 1px))", False), ("(min-width:calc(40em + 1px)) and (max-width:2000px)", True),
    ],
)  # fmt: skip
def test_a_media_query_is_judged(condition, applies):
    assert media(condition) is applies


@pytest.mark.parametrize(
    ("condition", "applies"),
    [("(display:grid)", True), ("not (display:grid)", False), ("(-moz-appearance:none)", False)],
)
def test_supports_is_judged(condition, applies):
    assert supports(condition) is applies
