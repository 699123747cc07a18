"""Every http(s) link in the pages of the data sets: how many a person could follow in a browser and we would refuse."""

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import parse_url
from guarded_webfetch.core.url_secrets import carries_secret

pytestmark = pytest.mark.long
SETS = ("html", "wcxb-dev", "charset", "injection")
_AUTHORITY = re.compile(r"https?:/*([^/?#\\]*)", re.I)
# A name with two labels and an optional port: what a link to a page of the internet has. All else is debris of the page:
# templates, half-written addresses, single-label names of an intranet, two addresses in one attribute.
_PUBLIC_NAME = re.compile(r"(?:[^@\s{}<>%$\[\]\"',;()]+@)?(?:[\w-]+\.)+[^\W\d_][\w-]*\.?(?::\d+)?")
_SPECIAL_NAME = re.compile(
    r"(?:^|\.)(?:localhost|local|internal|example|test|invalid|lan|home|corp|svc|arpa|onion)(?::\d+)?$", re.I
)


def pages(folder: Path) -> Iterator[bytes]:
    for name in SETS:
        for path in sorted((folder / name).rglob("*")):
            if path.name.endswith((".html", ".htm")):
                yield path.read_bytes()
            elif path.name.endswith(".html.gz"):
                yield gzip.decompress(path.read_bytes())
            elif path.name.endswith("hidden_html.jsonl"):
                yield from (_markup(json.loads(line)).encode() for line in path.read_text("utf-8").splitlines())


def _markup(row: dict[str, object]) -> str:
    return str(row.get("html") or row.get("content") or "")


def links(page: bytes) -> Iterator[str]:
    from lxml import html

    if not page.strip():
        return
    root = html.document_fromstring(page)
    for element in root.iter("a", "area", "link", "iframe", "img", "form"):
        for name in ("href", "src", "action"):
            value = (element.get(name) or "").strip()
            if value.lower().startswith(("http:", "https:")):
                yield value


def is_debris(url: str) -> bool:
    authority = _AUTHORITY.match(url)
    text = authority[1] if authority else ""
    two = len(re.findall(r"https?://", text, re.I)) > 0 or not url.partition("://")[1]
    return (
        two
        or not _PUBLIC_NAME.fullmatch(text)
        or bool(_SPECIAL_NAME.search(text))
        or bool(re.search(r"[\x00-\x1f\x7f]", url))
    )


def refusal_of(url: str) -> str | None:
    try:
        return "url_secret" if carries_secret(parse_url(url)) else None
    except Refusal as refusal:
        return refusal.code


def test_hardly_a_real_link_is_refused(data_folder: Path) -> None:
    found = {url for page in pages(data_folder) for url in links(page)}
    refused: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)
    for url in sorted(found):
        code = refusal_of(url)
        if code:
            refused[code, is_debris(url)].append(url)
    real: Counter[str] = Counter()
    print(f"\n{len(found)} distinct links")
    for (code, debris), urls in sorted(refused.items()):
        print(f"{'debris' if debris else 'real':<7}{code:<20}{len(urls):>6}  {urls[len(urls) // 2][:120]}")
        if not debris:
            real[code] += len(urls)
    print(f"refused, debris apart: {real.total()} = {100 * real.total() / len(found):.3f} %")
    assert len(found) > 20_000
    assert real.total() <= len(found) / 1000, real
