"""Inline text: white space as a browser shows it, with spans for emphasis, code, links and scripts.

A space belongs to no word: it is written when the next letter comes, outside the span that begins there, so that a word split by
`b` stays one word and a span never begins or ends with a space.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from lxml import etree

from guarded_webfetch.core.limits import MAX_OPEN_SPANS
from guarded_webfetch.core.messages import Cell, Span, SpanKind
from guarded_webfetch.parser.clean import WHITE_SPACE, clean_text
from guarded_webfetch.parser.links import Hrefs, LinkTable
from guarded_webfetch.parser.tree import Element, tag_of

_SPACES: Final = re.compile(r"[ \t\n\r\f]+")
SPAN_TAGS: Final[dict[str, SpanKind]] = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "em", "dfn": "em", "var": "em", "code": "code", "kbd": "code",
    "samp": "code", "tt": "code", "sup": "sup", "sub": "sub", "a": "link",
}  # fmt: skip
BLOCK_TAGS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "search",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "caption",
))  # fmt: skip
IGNORED_TAGS: Final = frozenset((
    "script", "style", "head", "title", "meta", "link", "template", "button", "select", "textarea", "input", "img",
    "picture", "source", "track", "map", "area", "embed", "colgroup", "col", "rp", "wbr",
))  # fmt: skip


@dataclass
class _Open:
    """A span that is being written. A link gets its number with its first letter, so that empty links take no row."""

    kind: SpanKind
    href: str = ""
    start: int | None = None
    number: int = 0


class Inline:
    """Collects one run of text with its spans."""

    def __init__(self, links: LinkTable | Hrefs) -> None:
        self._links = links
        self._parts: list[str] = []
        self._length = 0
        self._space = False
        self._spans: list[Span] = []
        self._open: list[_Open] = []
        self._ignored: Counter[SpanKind] = Counter()  # opened beyond the limit; they close first, being the innermost

    def text(self, text: str) -> None:
        """Adds text as it stands in the source."""
        words = _SPACES.sub(" ", clean_text(text))
        body = words.strip(" ")
        self._space = self._space or words.startswith(" ")
        if not body:
            return
        if self._space and self._parts and not self._parts[-1].endswith("\n"):
            self._write(" ")
        self._space = words.endswith(" ")
        self._mark(body)
        self._write(body)

    def newline(self) -> None:
        """A line break inside the run."""
        self._space = False
        if self._parts[-2:] != ["\n", "\n"] and self._parts:
            self._write("\n")

    def space(self) -> None:
        """A boundary that shows as a gap, such as between two cells or blocks on one line."""
        self._space = True

    def open(self, kind: SpanKind, href: str = "") -> None:
        if len(self._open) < MAX_OPEN_SPANS:
            self._open.append(_Open(kind, href))
        else:
            self._ignored[kind] += 1

    def open_href(self) -> str:
        """The address of the link that is open, for text that is written on its own."""
        return next((entry.href for entry in reversed(self._open) if entry.kind == "link"), "")

    def close(self, kind: SpanKind) -> None:
        """Ends the innermost span of this kind; spans opened inside it and still open go on afresh."""
        if self._ignored[kind]:
            self._ignored[kind] -= 1
            return
        if not any(entry.kind == kind for entry in self._open):
            return
        inner: list[_Open] = []
        while (entry := self._open.pop()).kind != kind:
            self._end(entry)
            inner.append(entry)
        self._end(entry)
        self._open.extend(reversed(inner))

    def finish(self) -> Cell:
        """The run so far, on its own. Open spans go on in the next run."""
        if not self._parts:
            self._space = False
            return {"text": "", "spans": []}
        for entry in reversed(self._open):
            self._end(entry)
        text = "".join(self._parts).rstrip(WHITE_SPACE)
        spans = [(kind, start, min(end, len(text)), number) for kind, start, end, number in self._spans]
        self._parts, self._length, self._space, self._spans = [], 0, False, []
        return {"text": text, "spans": sorted((s for s in spans if s[1] < s[2]), key=lambda s: (s[1], -s[2]))}

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _mark(self, body: str) -> None:
        for entry in self._open:
            if entry.start is None:
                entry.start = self._length
            if entry.href and not entry.number:
                entry.number = self._links.add(entry.href)
                entry.href = entry.href if entry.number else ""
            if entry.number:
                self._links.add_text(entry.number, body)

    def _end(self, entry: _Open) -> None:
        if entry.start is not None and (entry.kind != "link" or entry.number):
            self._spans.append((entry.kind, entry.start, self._length, entry.number))
        entry.start = None


def start_inline(run: Inline, element: Element) -> None:
    """What the start of an inline element adds to the run."""
    tag = tag_of(element)
    if tag == "br":
        run.newline()
    elif tag == "rt":
        run.text("(")
    elif tag == "a":
        run.open("link", element.get("href") or "")
    elif kind := SPAN_TAGS.get(tag):
        run.open(kind)


def end_inline(run: Inline, element: Element) -> None:
    """What its end adds."""
    tag = tag_of(element)
    if tag == "rt":
        run.text(")")
    elif kind := SPAN_TAGS.get(tag):
        run.close(kind)


def one_line(element: Element, links: LinkTable | Hrefs, href: str = "") -> Cell:
    """All text below `element` on one line: headings, cells, summaries. Blocks inside are parted by a space.

    `href` is the address of a link around the whole element.
    """
    run = Inline(links)
    if href:
        run.open("link", href)
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        tag = tag_of(node)
        if event == "start":
            if tag in IGNORED_TAGS or is_permalink(node):
                walker.skip_subtree()
                continue
            if tag in BLOCK_TAGS or tag == "br":
                run.space()
            else:
                start_inline(run, node)
            run.text(node.text or "")
        elif node is not element:
            if tag in BLOCK_TAGS:
                run.space()
            elif tag not in IGNORED_TAGS and not is_permalink(node):
                end_inline(run, node)
            run.text(node.tail or "")
    return run.finish()


def is_permalink(element: Element) -> bool:
    """The sign beside a heading that links to the heading itself."""
    if tag_of(element) != "a" or len(element) > 1:
        return False
    text = "".join(map(str, element.itertext())).strip()
    return text in ("¶", "#", "§", "🔗", "\uf0c1", "\u200b") and "#" in (element.get("href") or "#")
