"""Whole pages of our own, each with all that must come out of it (tests/pages/<slug>)."""

import json

import pytest

from tests.parser.pages import ROOT, parsed

PAGES = sorted((ROOT / "tests" / "pages").iterdir())


def test_there_are_pages():
    assert len(PAGES) >= 5


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_page_is_read_as_expected(folder):
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    order = expected["order"]
    page = parsed(
        (folder / "source.html").read_bytes(),
        order["kind"],
        charset_header=order["charset_header"],
        base_url=order["base_url"],
        content_type=order["content_type"],
    )
    said = json.loads(json.dumps(page))
    for key, value in expected["parsed"].items():
        assert said[key] == value, key


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_spans_lie_inside_their_text_and_nest(folder):
    for block in parsed((folder / "source.html").read_bytes())["blocks"]:
        ends = []
        for _, start, end, _ in block["spans"]:
            assert 0 <= start < end <= len(block["text"])
            while ends and ends[-1] <= start:
                ends.pop()
            assert not ends or end <= ends[-1]
            ends.append(end)
