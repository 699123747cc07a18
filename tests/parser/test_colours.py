"""Colours as browsers compute them, to a few steps of a channel."""

import pytest

from guarded_webfetch.parser.colours import colour, colours_in


@pytest.mark.parametrize(
    ("written", "channels"),
    [
        ("#fff", (255, 255, 255, 1)),
        ("#12345678", (18, 52, 86, 0.47)),
        ("rgb(1 2 3 / 50%)", (1, 2, 3, 0.5)),
        ("rgba(10%, 20%, 30%, .4)", (25.5, 51, 76.5, 0.4)),
        ("hsl(120deg 100% 50%)", (0, 255, 0, 1)),
        ("hsl(.5turn 100% 50% / none)", (0, 255, 255, 0)),
        ("hwb(0 100% 0%)", (255, 255, 255, 1)),
        ("hwb(0 80% 80%)", (127.5, 127.5, 127.5, 1)),
        ("lab(100 0 0)", (255, 255, 255, 1)),
        ("lab(53.24% 80.09 67.2)", (255, 0, 0, 1)),
        ("lch(0% 0 0)", (0, 0, 0, 1)),
        ("oklab(100% 0 0)", (255, 255, 255, 1)),
        ("oklch(62.8% .2577 29.23)", (255, 0, 0, 1)),
        ("color(srgb 1 .5 0)", (255, 127.5, 0, 1)),
        ("color-mix(in srgb, white 25%, black)", (63.75, 63.75, 63.75, 1)),
        ("color-mix(in srgb, red, transparent 100%)", (0, 0, 0, 0)),
        ("light-dark(white, black)", (255, 255, 255, 1)),
    ],
)
def test_a_colour_is_read(written, channels):
    assert colour(written) == pytest.approx(channels, abs=14)


@pytest.mark.parametrize(
    "written", ["", "nonesuch", "#12", "#12345", "rgb(1 2)", "rgb(a b c)", "hsl()", "color-mix(in srgb, red)"]
)
def test_what_is_no_colour_is_none(written):
    assert colour(written) is None


def test_colours_inside_a_gradient():
    found = colours_in("linear-gradient(90deg, rgb(1 2 3) 0%, color-mix(in srgb, white, white), #0000)")
    assert [tuple(map(round, one[:3])) for one in found] == [(1, 2, 3), (255, 255, 255), (0, 0, 0)]
