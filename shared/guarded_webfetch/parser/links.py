"""The link table: absolute http(s) addresses, numbered as they are met."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from guarded_webfetch.core.limits import MAX_LINKS, MAX_URL_CHARS
from guarded_webfetch.core.messages import Block, Link, Span
from guarded_webfetch.parser.clean import clean_text, collapse

if TYPE_CHECKING:  # the PDF reader uses the table without loading lxml
    from guarded_webfetch.parser.tree import Element

_SAFE: Final = "!#$%&'()*+,/:;=?@[]~-._"
_MAX_LINK_TEXT_CHARS: Final = 300


class LinkTable:
    """Rows for `Parsed.links`, and a count of the addresses that are no pages."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.active: Counter[str] = Counter()
        self._rows: list[tuple[str, list[str]]] = []
        self._resolved: dict[str, str | None] = {}

    def add(self, href: str) -> int:
        """The 1-based number of a new row for `href`; 0 when it is not listed."""
        url = self.resolve(href)
        if url is None or len(self._rows) >= MAX_LINKS:
            return 0
        self._rows.append((url, []))
        return len(self._rows)

    def add_text(self, number: int, text: str) -> None:
        """More text that stands inside link `number`."""
        self._rows[number - 1][1].append(text)

    def resolve(self, href: str) -> str | None:
        """The absolute ASCII address, or None for other schemes and what is no address."""
        if href not in self._resolved:
            self._resolved[href] = self._absolute(href)
        return self._resolved[href]

    def rows(self) -> list[Link]:
        return [{"url": url, "text": collapse(" ".join(texts))[:_MAX_LINK_TEXT_CHARS]} for url, texts in self._rows]

    def _absolute(self, href: str) -> str | None:
        # The URL standard strips white space at the ends, and tabs and line ends everywhere.
        text = clean_text(href).strip().translate({9: None, 10: None, 13: None})
        scheme = text.partition(":")[0].strip().lower()
        if scheme in ("javascript", "vbscript"):
            self.active["javascript_url"] += 1
            return None
        if scheme == "data":
            self.active["data_url"] += 1
            return None
        try:
            return _ascii(urljoin(self.base_url, text))
        except ValueError:
            return None


class Hrefs:
    """Addresses as they stand in the page, numbered as they are met, while it is not known which blocks are content."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, list[str]]] = []

    def add(self, href: str) -> int:
        """The 1-based number of `href`."""
        self.rows.append((href, []))
        return len(self.rows)

    def add_text(self, number: int, text: str) -> None:
        """More text that stands inside link `number`."""
        self.rows[number - 1][1].append(text)


def number_links(blocks: Iterable[Block], hrefs: Hrefs, links: LinkTable) -> None:
    """Gives the links of `blocks` their rows in `links`; the span of a link that is not listed goes."""
    numbers: dict[int, int] = {}

    def numbered(spans: Iterable[Span]) -> Iterator[Span]:
        for kind, start, end, number in spans:
            if kind == "link" and number not in numbers:
                href, texts = hrefs.rows[number - 1]
                numbers[number] = links.add(href)
                if numbers[number]:
                    links.add_text(numbers[number], " ".join(texts))
            if kind != "link" or numbers[number]:
                yield kind, start, end, numbers.get(number, 0)

    for block in blocks:
        for cell in chain((block,), *block.get("rows", [])):
            cell["spans"] = list(numbered(cell["spans"]))


def base_url_of(root: "Element", page_url: str) -> str:
    """The address relative links are resolved against: the first `base` element with a usable address, else the page's."""
    for base in root.iter("base"):
        if href := base.get("href"):
            try:
                joined = urljoin(page_url, href.strip())
                return joined if urlsplit(joined).scheme in ("http", "https") else page_url
            except ValueError:
                return page_url
    return page_url


def _ascii(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    netloc = parts.netloc
    if not netloc.isascii():
        netloc = netloc.encode("idna").decode("ascii")
    path, query, fragment = (quote(piece, safe=_SAFE) for piece in (parts.path, parts.query, parts.fragment))
    found = urlunsplit((parts.scheme, netloc, path or "/", query, fragment))
    return found if len(found) <= MAX_URL_CHARS else None
