"""The parser's split of visible and hidden text agrees with the pixels of a real browser."""

import os
import random
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from guarded_webfetch.parser.decode import decode
from tests.oracle import agreement, browser, generate
from tests.parser.pages import ROOT, data_set

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(browser.executable() is None, reason="no chromium (Debian package chromium)"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="no playwright (dev extra)"),
]
LONG = os.environ.get("GUARDED_WEBFETCH_LONG") == "1"
MIN_AGREEMENT = 0.98
SEED = 5
SHORT_CASES = 110
REAL_PAGES = 60

# Cases on which the two differ, and why that stays: the beginning of what the generator calls them.
KNOWN: dict[str, str] = {
    "<details><summary>": "a closed part is delivered, in a block of its own that says so",
    "font-size:.01em": "Chromium draws it 6 px high; what is written like this is not written to be read",
    "<div style='height:30px;overflow:hidden'><div style='height:60px'>": "needs layout: text pushed out of a box by what stands before it",
    "min-height:20px;height:0;overflow:hidden": "needs layout: margins inside push the text out of the box",
    "height:0;overflow:hidden;padding-top:40px": "needs layout: padding above makes room for placed children, not for text",
    "<div style='height:0;overflow:hidden'><p style='position:absolute'>": "a placed child escapes a box that is not its container",
    "<div style='text-indent:-9999px'><p style='text-indent:0'>": "an indent is taken to hide the whole element",
    "<table><colgroup><col style='visibility:collapse'>": "columns are not matched to their cells",
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    with browser.open_browser() as opened:
        yield opened


def test_the_browser_tells_ink_from_paper(chromium):
    seen = chromium.visible(
        "<!DOCTYPE html><p>dark text<p style='color:#fff'>white text<div hidden>no text</div>"
        "<svg><text y=20>drawn text</text></svg>",
        ["dark text", "white text", "no text", "drawn text", "absent text"],
    )
    assert [string for string, yes in seen.items() if yes] == ["dark text", "drawn text"]


def test_every_known_difference_is_generated():
    said = [case.said for case in generate.cases(SEED, 1)]
    assert all(any(one.startswith(beginning) for one in said) for beginning in KNOWN)


def test_generated_pages_agree(chromium):
    cases = generate.cases(SEED, len(generate.CARRIERS) - 1 if LONG else 1)
    if not LONG:
        cases = random.Random(SEED).sample(cases, SHORT_CASES)
    judged = list(agreement.judge_cases(chromium, cases))
    print(agreement.report(judged))
    assert len(judged) >= 0.99 * len(cases)
    assert 0.2 < sum(one.seen for one in judged) / len(judged) < 0.8
    assert [one.where for one in judged if not one.agrees and not one.where.startswith(tuple(KNOWN))] == []
    assert sum(one.agrees for one in judged) >= MIN_AGREEMENT * len(judged)


@pytest.mark.parametrize("folder", sorted((ROOT / "tests" / "pages").iterdir()), ids=lambda folder: folder.name)
def test_own_pages_agree(chromium, folder):
    html, _ = decode((folder / "source.html").read_bytes(), None, "html", truncated=False)
    judged, _ = agreement.judge_page(chromium, html, folder.name)
    assert judged
    assert [one for one in judged if not one.agrees] == []


@pytest.mark.long
@pytest.mark.skipif(not LONG, reason="full counts only (GUARDED_WEBFETCH_LONG=1)")
def test_real_pages_agree(chromium):
    """Pages that the parser says it is unsure of, and pages behind a curtain of their own, are counted apart."""
    paths = sorted(data_set("wcxb-dev/pages").glob("*.gz"))
    judged, apart = agreement.judge_files(chromium, paths[:: max(1, len(paths) // REAL_PAGES)])
    print(agreement.report(judged))
    print("apart:", agreement.report(apart).splitlines()[-1])
    assert len(judged) > 5 * len(apart)
    assert sum(one.agrees for one in judged) >= MIN_AGREEMENT * len(judged)
    lost = [one for one in judged if one.seen and not one.ours]
    assert len(lost) <= 0.005 * sum(one.seen for one in judged)
