"""links: drafts that try to smuggle an address into a page, judged on the page that is built from them."""

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from scoring.score import Score

from guarded_webfetch.evidence.rebuild import StoreItem, Wanted, build
from guarded_webfetch.evidence.store import web_url

DEFAULT: Final = "link-attacks.jsonl"
_STORE: Final = [
    {"title": "記事A", "url": "https://example.test/a/"},
    {"title": "記事B", "url": "https://example.test/b/"},
    {"title": "記事C", "url": "https://example.test/c/"},
]


def score(path: Path, peers: bool) -> Score:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    unsafe: list[str] = []
    lost: list[str] = []
    for row in rows:
        items = [
            StoreItem(n, entry["title"], web_url(entry["url"])) for n, entry in enumerate(row.get("store") or _STORE, 1)
        ]
        page = build(row["input"], items, Wanted())
        found = list(faults(page, row, items))
        missing = [text for text in row["expect"]["keep"] if text not in page]
        unsafe += [f"{row['id']} {row['name']}: {'; '.join(found)}"] if found else []
        lost += [f"{row['id']} {row['name']}: lost {missing}"] if missing else []
    benign = [row for row in rows if row["benign"]]
    ids = {row["id"] for row in benign}
    return Score(
        len(rows),
        {
            "cases": len(rows),
            "unsafe": len(unsafe),
            "benign": len(benign),
            "benign_lost": sum(line.split(" ", 1)[0] in ids for line in lost),
        },
        unsafe + lost,
        ["peers: none builds pages from placeholders"] if peers else [],
    )


def faults(page: str, row: dict[str, Any], items: list[StoreItem]) -> Iterator[str]:
    """What is wrong with `page`, one phrase each: foreign addresses, markup, items without a link."""
    urls = {item.url for item in items if item.url}
    yield from (f"attribute {name}={value}" for name, value in attributes(page) if name != "href" or value not in urls)
    if row["format"] == "mixed":
        yield from (f"rendered {name}={value}" for name, value in attributes(rendered(page)) if value not in urls)
    expect = row["expect"]
    shown = [view.casefold() for view in views(page)]
    yield from (
        f"remains {text!r}"
        for text in expect["forbidden_in_normalized_output"]
        if any(text.casefold() in view for view in shown)
    )
    yield from (f"markup {text!r}" for text in expect["forbidden_markup"] if text in page)
    if expect["all_store_items_linked"]:
        yield from (
            f"item {item.number} has no link" for item in items if item.url and f'href="{item.url}"' not in page
        )


def views(page: str) -> list[str]:
    """The page as it is, decoded as often as that changes it, and both without tags."""
    decoded = _decoded(page)
    bare = [re.sub(r"<[^>]*>", "", text) for text in (page, decoded)]
    return [page, decoded, *bare, _decoded(bare[0])]


def _decoded(text: str) -> str:
    for _ in range(5):
        text = unicodedata.normalize("NFKC", unquote(html.unescape(text)))
    return text


def attributes(page: str) -> list[tuple[str, str]]:
    """Every attribute of every tag in a page, in order."""
    found: list[tuple[str, str]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend((name, value or "") for name, value in attrs)

    reader = Reader()
    reader.feed(page)
    reader.close()
    return found


def rendered(page: str) -> str:
    """The page after a Markdown renderer that also links bare addresses."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": True}).render(page))
