"""What fades in when a person scrolls there is page; a transparent paragraph is not."""

import pytest

from tests.parser.pages import parsed, text_of

PLAIN = "The keeper opens the gate at eight and closes it in the evening. "
RISING = "opacity:0;transform:translateY(30px)"
PICTURES = "<img src=a style='opacity:0'><img src=b style='opacity: 0;'><svg style='opacity:0'></svg>"


def page(parts, before=""):
    return f"<!DOCTYPE html><html><head><title>t</title></head><body><p>{PLAIN * 60}</p>{before}{''.join(parts)}</body></html>"


def part(number, style=RISING, tag="p"):
    return f"<div style='{style}'><{tag}>{PLAIN * 8} ZEBRA {number}.</{tag}></div>"


@pytest.mark.parametrize(("style", "before"), [(RISING, ""), ("opacity:0", PICTURES)])
def test_a_good_part_of_a_page_that_fades_in_is_read_and_said_to_be_unsure(style, before):
    said = parsed(page([part(n, style) for n in range(6)], before))
    assert text_of(said).count("ZEBRA") == 6
    assert said["markup"]["hidden_check_incomplete"]


@pytest.mark.parametrize(
    "parts",
    [
        [part(n) for n in range(2)],  # too few
        [part(n, "opacity:0") for n in range(6)],  # without a mark of an entrance
        [f"<p style='{RISING}'>ZEBRA {n}</p>" for n in range(6)],  # too little
    ],
)
def test_less_is_set_aside(parts):
    said = parsed(page(parts))
    assert "ZEBRA" not in text_of(said)
    assert not said["markup"]["hidden_check_incomplete"]


def test_a_single_rising_part_is_interface_and_a_transparent_one_is_not():
    for style, technique in ((RISING, "interface"), ("opacity:0", "opacity")):
        said = parsed(page([part(1, style)]))
        assert [item["technique"] for item in said["hidden"] if "ZEBRA" in item["text"]] == [technique]


def test_a_page_whose_heading_fades_in_with_other_parts_keeps_them():
    parts = [f"<h1 style='{RISING}'>ZEBRA 0</h1>", *(f"<p style='{RISING}'>ZEBRA {n}</p>" for n in range(1, 5))]
    assert text_of(parsed(page(parts))).count("ZEBRA") == 5
