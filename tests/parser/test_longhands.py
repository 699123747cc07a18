"""One property by many names, and values a browser drops."""

import pytest

from guarded_webfetch.parser.longhands import expand


@pytest.mark.parametrize(
    ("name", "value", "longhands"),
    [
        ("inset", "1px", {"top": "1px", "right": "1px", "bottom": "1px", "left": "1px"}),
        ("inset", "1px 2px", {"top": "1px", "right": "2px", "bottom": "1px", "left": "2px"}),
        ("inset", "1px 2px 3px", {"top": "1px", "right": "2px", "bottom": "3px", "left": "2px"}),
        ("inset", "1px 2px 3px 4px", {"top": "1px", "right": "2px", "bottom": "3px", "left": "4px"}),
        ("margin", "1px 2px 3px", {"margin-top": "1px", "margin-left": "2px"}),
        ("overflow", "hidden auto", {"overflow-x": "hidden", "overflow-y": "auto"}),
        ("inline-size", "0", {"width": "0"}),
        ("-webkit-clip-path", "none", {"clip-path": "none"}),
        ("font", "bold 0/0 a", {"font-size": "0"}),
        ("font", "12px/1.5 serif", {"font-size": "12px"}),
        ("font", "caption", {}),
        (
            "background",
            "red",
            {"background": "red", "background-color": "", "background-image": "", "background-clip": ""},
        ),
        ("inset", "var(--x)", {"inset": "var(--x)"}),
        ("display", "nonesuch", {}),
        ("display", "inline flex", {"display": "inline flex"}),
        ("opacity", "none", {}),
        ("color", "notacolour", {}),
        ("color", "var(--x)", {"color": "var(--x)"}),
        ("height", "-1px", {}),
        ("margin-left", "-1px", {"margin-left": "-1px"}),
    ],
)
def test_a_declaration_is_taken_apart(name, value, longhands):
    assert dict(expand(name, value)) == longhands
