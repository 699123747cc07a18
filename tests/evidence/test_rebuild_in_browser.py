"""Independent eyes on the pages of every hostile draft: a browser that runs scripts, and an HTML sanitizer."""

import os
from pathlib import Path

import nh3
import pytest

from guarded_webfetch.evidence.rebuild import Wanted, build
from tests.evidence.link_cases import ATTACKS, BENIGN, ITEMS

KINDS = frozenset(("code", "pre", "blockquote", "table"))
PAGES = [build(draft, ITEMS, Wanted(kinds=KINDS)) for draft in (*(attack.draft for attack in ATTACKS), *BENIGN)]
TAGS = {"p", "h2", "h3", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "table", "tr", "td", "a"}
LINKED = {item.url for item in ITEMS if item.url}


def test_an_html_sanitizer_finds_nothing_to_take_out() -> None:
    for page in PAGES:
        assert nh3.clean(page, tags=TAGS, attributes={"a": {"href"}}, url_schemes={"https"}, link_rel=None).count(
            "<"
        ) == (
            page.count("<") + 2 * page.count("<table>")  # a parser adds tbody
        )


@pytest.mark.chromium
def test_chromium_loads_nothing_runs_nothing_and_links_only_to_the_store(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    if not os.path.exists("/usr/bin/chromium"):
        pytest.skip("no /usr/bin/chromium")
    path = tmp_path / "page.html"
    asked: list[str] = []
    with playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("dialog", lambda dialog: asked.append("dialog"))
        path.write_text("<!doctype html><meta charset=utf-8>" + "<hr>".join(PAGES), encoding="utf-8")
        tab.goto(path.as_uri())
        attributes = tab.evaluate(
            "[...document.body.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a => [a.name, a.value]))"
        )
        names = set(tab.evaluate("[...document.body.querySelectorAll('*')].map(e => e.localName)"))
        path.write_text("<!doctype html><img src=x.png>", encoding="utf-8")  # the same eyes see a request
        tab.goto(path.as_uri())
        browser.close()
    assert {name for name, _ in attributes} == {"href"}
    assert {value for _, value in attributes} == LINKED
    assert names <= TAGS | {"hr", "tbody"}
    assert [url.rpartition("/")[2] for url in asked] == ["page.html", "page.html", "x.png"]
