"""Every kind of content, end to end."""

import hashlib
import stat

import pytest

from tests.e2e.conftest import Fetch
from tests.internet import sites
from tests.internet.client import SealedInternet
from tests.internet.replies import Site

pytestmark = pytest.mark.sealed
ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
CITY = "https://www.city.tsukishiro.lg.jp/kurashi/"


def test_article(fetch: Fetch, sealed_internet: SealedInternet) -> None:
    found = fetch(ARTICLE)
    record = found.record
    assert record["outcome"] == "ok"
    assert record["requested_url"] == record["fetched_url"] == ARTICLE
    assert record["charset"] == {"name": "utf-8", "source": "header", "conflict": False, "replacements": 0}
    assert record["network"] == {"mode": "direct", "ip_pinned": True}
    body = (sites.PAGES / "lock-gates.html").read_bytes()
    assert record["bytes"] == len(body)
    assert record["body_sha256"] == hashlib.sha256(body).hexdigest()
    assert record["flags"]["suspicious_patterns"] == []
    assert not record["flags"]["truncated"]
    assert len(found.stage_1.encode()) < 2000
    assert [entry["t"] for entry in found.result.log.connects] == ["connect"]
    assert found.path and stat.S_IMODE(found.path.stat().st_mode) == 0o600


def test_outline_offsets_point_at_the_headings(fetch: Fetch) -> None:
    found = fetch(ARTICLE)
    text, outline = found.record["raw_text"], found.beside("trace")["outline"]
    assert len(outline) > 3
    assert found.record["outline"] == outline[:8]
    for entry in outline:
        section = text[entry["offset"] : entry["offset"] + entry["chars"]]
        assert section.startswith("#" * entry["level"] + " "), section[:80]
        assert entry["heading"][:40] in section.split("\n")[0].replace("`", "").replace("*", "")


def test_links_and_following_one(fetch: Fetch) -> None:
    found = fetch("https://news.canal-journal.com/")
    links = found.beside("links")
    assert found.record["link_count"] == len(links)
    row = next(link for link in links if link["url"] == ARTICLE)
    assert row["relation"] == "same_origin"
    assert f"[{row['text']}][L{row['n']}]" in found.record["raw_text"]
    assert ARTICLE not in found.record["raw_text"]
    followed = fetch("--from", str(found.path), f"L{row['n']}")
    assert followed.record["fetched_url"] == ARTICLE


def test_from_is_believed_only_as_written(fetch: Fetch) -> None:
    found = fetch("https://news.canal-journal.com/")
    assert found.path
    table = found.path.with_suffix(".links.json")
    table.write_text(table.read_text().replace("news.canal-journal.com", "news.harbour-times.net"))
    forged = fetch("--from", str(found.path), "L1")
    assert (forged.code, forged.reason) == (4, "record_unknown")
    assert not forged.result.log.connects


@pytest.mark.parametrize(
    ("link", "reason"), [("L9999", "link_unknown"), ("9", "usage_invalid"), ("L0", "usage_invalid")]
)
def test_from_with_a_link_that_is_not_there(fetch: Fetch, link: str, reason: str) -> None:
    assert fetch("--from", str(fetch("https://news.canal-journal.com/").path), link).reason == reason


def test_from_needs_a_result(fetch: Fetch) -> None:
    failed = fetch("https://status.canal-journal.com/404")
    assert fetch("--from", str(failed.path), "L1").reason == "record_unusable"
    held = fetch("https://news.canal-journal.com/injected")
    assert fetch("--from", str(held.path), "L1").reason == "record_unusable"
    assert fetch("--from", "no-such-record.json", "L1").reason == "record_unusable"


@pytest.mark.parametrize(
    ("page", "name", "conflict"),
    [
        ("gomi.html", "shift_jis", False),
        ("gomi-meta-only.html", "shift_jis", False),
        ("gomi-header-latin1.html", "shift_jis", True),
        ("gomi-header-utf8.html", "shift_jis", True),
        ("gomi-undeclared.html", "shift_jis", False),
        ("gomi-euc.html", "euc-jp", False),
        ("gomi-utf8.html", "utf-8", False),
    ],
)
def test_japanese(fetch: Fetch, page: str, name: str, conflict: bool) -> None:
    record = fetch(CITY + page).record
    assert record["charset"]["name"] == name
    assert record["charset"]["conflict"] is conflict
    assert record["charset"]["replacements"] == 0
    assert "①" in record["raw_text"]
    assert "�" not in record["raw_text"]
    assert record["summary"] and any("ぁ" <= char <= "ん" for char in record["summary"])


def test_pdf(fetch: Fetch) -> None:
    found = fetch("https://files.canal-journal.com/report.pdf")
    text = found.record["raw_text"]
    assert text.index("--- page 1 ---") < text.index("136 cubic metres") < text.index("--- page 3 ---")
    assert found.record["content_type"] == "application/pdf"
    assert found.record["charset"] is None
    assert fetch("https://files.canal-journal.com/report-as-html").record["raw_text"] == text
    assert fetch("https://files.canal-journal.com/owner-locked.pdf").code == 0


def test_pdf_of_exactly_15_mb(fetch: Fetch) -> None:
    found = fetch("https://files.canal-journal.com/exactly-15mb.pdf")
    assert (found.record["outcome"], found.record["bytes"]) == ("ok", 15_000_000)


@pytest.mark.parametrize(
    ("name", "content_type", "words"),
    [
        ("levels.json", "application/json", '"station": "Marren Bridge"'),
        ("locks.csv", "text/csv", "lock,rise_m,built"),
        ("notes.txt", "text/plain", "    level = 1.97"),
        ("volunteers.md", "text/markdown", "* grease the racks"),
        ("feed.xml", "application/rss+xml", "<title>The Canal Journal</title>"),
    ],
)
def test_verbatim(fetch: Fetch, name: str, content_type: str, words: str) -> None:
    record = fetch(f"https://files.canal-journal.com/{name}").record
    assert record["content_type"] == content_type
    assert words in record["raw_text"]
    assert record["raw_html"] is None


def test_json_keeps_its_urls_inert(fetch: Fetch) -> None:
    record = fetch("https://files.canal-journal.com/levels.json").record
    assert "https://news.canal-journal.com/articles/lock-gates" in record["raw_text"]


def test_injected_page_is_held_back(fetch: Fetch) -> None:
    found = fetch("https://news.canal-journal.com/injected")
    record, held = found.record, found.beside("held")
    assert found.code == 0
    assert record["verdict"] == "confirm"
    assert record["verdict_reasons"][0] == "suspicious_patterns"
    for name in ("title", "summary", "outline", "raw_text", "raw_html"):
        assert record[name] is None
    assert "[FILTERED:" in held["raw_text"]
    page = (sites.PAGES / "injected.html").read_text(encoding="utf-8")
    words = {word for word in page.split() if len(word) > 6 and word.isalpha()} - {"content", "instructions"}
    assert len(words) > 12
    assert not [word for word in words if word in found.stage_1], "no word of the page in stage 1"
    assert found.beside("trace")["outline"] == []


def test_long_text_is_cut_and_says_so(fetch: Fetch) -> None:
    record = fetch("https://news.canal-journal.com/articles/long").record
    assert record["flags"]["truncated"]
    assert record["verdict"] == "incomplete"
    assert 70_000 < record["text_chars"] <= 80_000
    assert record["raw_text"].rstrip().endswith("still lit.")


@pytest.mark.parametrize("transfer", ["gzip", "deflate", "chunked", "early-hints", "no-type"])
def test_transfers(fetch: Fetch, transfer: str) -> None:
    assert fetch(f"https://news.canal-journal.com/{transfer}").code == 0


@pytest.mark.parametrize(
    "url", ["http://news.canal-journal.com/close-delimited", "https://news.canal-journal.com/no-close-notify"]
)
def test_a_body_that_merely_ends_is_named(fetch: Fetch, url: str) -> None:
    record = fetch(url).record
    assert record["flags"]["length_unknown"]
    assert record["verdict"] == "notice"


def test_close_notify_proves_the_end(fetch: Fetch) -> None:
    assert "length_unknown" not in fetch("https://news.canal-journal.com/close-delimited").record["flags"]


def test_options_of_an_agent(fetch: Fetch) -> None:
    found = fetch(
        "https://news.canal-journal.com/",
        "--links",
        "inline",
        "--summary",
        "none",
        "--no-raw-html",
        "--out",
        "results/a",
    )
    assert f"]({ARTICLE})" in found.record["raw_text"]
    assert found.record["summary"] is found.record["raw_html"] is None
    assert found.record["flags"]["summary_missing"]
    assert found.result.stdout.startswith("results/a/result-")


def test_ip_literals_and_families(fetch: Fetch) -> None:
    for host in ("six", "both", "nat64", "dead-six", "half-dark", "alias", "slow-name"):
        assert fetch(f"http://{host}.canal-journal.com/").code == 0, host


def test_a_wrong_guess_from_the_suffix_changes_nothing(fetch: Fetch, sealed_internet: SealedInternet) -> None:
    """A parser warms up for what the URL looks like; what the answer really is decides."""
    html, data = sites.page("example.html"), sites.content("application/json", b'{"level": 1.97}')
    routes = {"/page.pdf": html, "/page.json": html, "/data": data, "/data.pdf": data}
    sealed_internet.add_site(Site("guess.canal-journal.com", "suffixes that lie", routes))
    for path in ("page.pdf", "page.json"):
        assert fetch(f"https://guess.canal-journal.com/{path}").record["title"] == "Example page", path
    for path in ("data", "data.pdf"):
        assert fetch(f"https://guess.canal-journal.com/{path}").record["raw_text"].strip() == '{"level": 1.97}', path
