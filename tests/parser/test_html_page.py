"""The rest of an HTML page: which part is the content, its facts, and refusals."""

import gzip
import json

import pytest

from guarded_webfetch.core.reasons import Refusal
from tests.parser.pages import data_set, parsed, text_of

PARAGRAPH = (
    "<p>The canal office keeps a day book in which every boat, its load and its depth are noted by hand before the "
    "gate opens.</p>"
)
TWO = PARAGRAPH * 2
ROUNDS = f"<tr><td>Round</td><td>{PARAGRAPH}</td></tr>" * 9
HOURS = "<tr><td>Mon</td><td><ul><li>08:15</li></ul></td></tr><tr><td>Tue</td><td>no</td></tr>"
SAID = "<div class=meta><a href=/u><b>marit-lund</b></a> commented</div>"


def refused(body, **order):
    with pytest.raises(Refusal) as refusal:
        parsed(body, **order)
    return refusal.value.code


@pytest.mark.parametrize(
    "body",
    [b"", b"   \n", b"<!-- only this -->", b"<html><body></body></html>", b"<div id=root></div><script>app()</script>",
     b"<p hidden>no</p>", b"<meta http-equiv=refresh content='0; url=https://x.example/'>"],
)  # fmt: skip
def test_nothing_to_read_is_no_success(body):
    assert refused(body) == "extract_empty"


CHALLENGES = [
    "<title>Just a moment...</title><body><h1>site</h1><p>Verifying you are human.</p><script>window._cf_chl_opt={}</script>",
    "<title>example.com</title><body><p>Please enable JS</p><script src='https://ct.captcha-delivery.com/c.js'></script>",
    "<title>Access to this page has been denied</title><body><div id=px-captcha></div><p>Press and hold</p>",
    "<title>Pardon Our Interruption</title><body><p>As you were browsing something made us think you are a bot.</p>",
]


@pytest.mark.parametrize("body", CHALLENGES)
def test_challenge_pages(body):
    assert refused(body) == "bot_challenge"


@pytest.mark.parametrize(
    "body",
    [
        f"<title>Just a moment: how challenges work</title><body><h1>Challenges</h1>{PARAGRAPH * 20}<p>px-captcha, _cf_chl_opt</p>",
        f"<title>Gate</title><body>{PARAGRAPH * 3}<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>",
        f"<title>Contact</title><body>{PARAGRAPH}<form><div class=h-captcha></div><script src='https://hcaptcha.com/1/api.js'></script>",
    ],
)
def test_pages_that_only_mention_or_use_challenges_are_read(body):
    assert "canal office" in text_of(parsed(body))


def test_title_prefers_what_the_page_calls_itself():
    assert parsed("<title>Gate - Site</title><meta property=og:title content=Gate><p>x</p>")["title"] == "Gate"
    assert parsed("<title>Gate</title><meta property=og:title content='Other thing'><p>x</p>")["title"] == "Gate"
    assert parsed("<h1>Only  heading</h1><p>x</p>")["title"] == "Only heading"
    assert parsed("<title>" + "x" * 300 + "</title><p>x</p>")["title"] == "x" * 200
    assert parsed("<p>x</p>")["title"] is None


def test_facts_of_a_shell_and_of_active_markup():
    body = "<div id=root>Loading</div><script src=app.js></script><iframe src=/f></iframe><object data=x></object>"
    markup = parsed(body + "<a href='javascript:x()'>x</a><a href='data:text/html,x'>y</a>")["markup"]
    assert markup["likely_spa"]
    assert dict(markup["active_markup"]) == {"data_url": 1, "frame": 1, "javascript_url": 1, "object": 1}
    assert not parsed(PARAGRAPH * 4 + "<script src=a.js></script>")["markup"]["likely_spa"]


def test_meta_refresh_is_told():
    head = "<meta http-equiv='Refresh' content='5; URL=https://x.example/'>"
    assert parsed(head + PARAGRAPH)["markup"]["meta_refresh"]
    assert not parsed("<meta http-equiv=refresh content=300>" + PARAGRAPH)["markup"]["meta_refresh"]


def test_page_chrome_is_left_out_and_nothing_else():
    menu = "<nav>" + "<a href=/x>Menu entry</a> " * 8 + "</nav>"
    said = parsed(
        f"<title>t</title>{menu}<main><h1>Gate</h1>{PARAGRAPH * 4}<pre>code</pre></main><footer>Imprint words</footer>"
    )
    assert "Menu entry" not in text_of(said)
    assert "Imprint" not in text_of(said)
    assert "Gate" in text_of(said)
    assert "code" in text_of(said)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (f"<article><h1>G</h1>{TWO}<p>Open it so</p><div class=lisp><pre>(open)</pre></div><p>is a call.</p></article>", "(open)"),
        (f"<main><div><h1>F</h1><p>Short before.</p></div><div><table>{ROUNDS}</table></div></main>", "Short before."),
        (f"<article>{TWO}<table>{HOURS}</table></article>", "Mon | 08:15"),
        (f"<article>{TWO}<ul><li>copy</li><li><span>correct a name</span></li></ul></article>", "correct a name"),
        (f"<article>{TWO}<div class=post>{SAID}<p>It is fine.</p></div></article>", "marit-lund"),
    ],
)  # fmt: skip
def test_kinds_of_content_that_get_lost_elsewhere(body, wanted):
    assert wanted in text_of(parsed(body))


def test_structure_of_documentation_pages_with_a_floor():
    folder = data_set("html")
    found = total = 0
    for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()[:16]:
        row = json.loads(line)
        page = parsed(gzip.decompress((folder / row["file"]).read_bytes()), base_url=row["url"])
        code = [
            [text.strip() for text in block["text"].split("\n") if text.strip()]
            for block in page["blocks"]
            if block["kind"] == "code"
        ]
        for block in row["structure"].get("pre", []):
            wanted = [text.strip() for text in block["lines"] if text.strip()]
            total += 1
            found += any(lines[at : at + len(wanted)] == wanted for lines in code for at in range(len(lines)))
    assert total > 50
    assert found >= total * 0.8
