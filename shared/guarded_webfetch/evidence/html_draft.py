"""Reads a draft in HTML: one pass over tags that no later stage repeats, so that reading them unlike a browser costs no safety."""

import html
import re
from collections.abc import Callable
from typing import Final

from guarded_webfetch.evidence.draft import Block, BlockBuilder, Kind, Style

# A comment, a declaration, or a tag whose attributes may hold ">" between quotes. None reaches past the next "<", so that a
# draft full of tags without an end costs linear time; a tag with "<" in an attribute ends there, which loses nothing.
_TAG: Final = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|<[!?][^>]*>?"
    r"""|<(?P<close>/?)(?P<name>[A-Za-z][^\s/><"'=]*)(?:"[^"<]*"|'[^'<]*'|[^<>"'])*+>""",
    re.DOTALL,
)
# The beginning of a tag that never ends: browsers drop it at the end of the file. "a<b and c=d" is none.
ATTRIBUTE: Final = (
    r"\b(?:href|src|srcset|srcdoc|style|on[a-z]{2,20}|action|formaction|data|poster|background|cite|ping|title|class|id|content|rel"
    r"|target|alt|name)\s*="
)
_UNENDED: Final = re.compile(rf"<[A-Za-z][A-Za-z0-9]*[\s/][^<\n]{{0,500}}?{ATTRIBUTE}[^<]*", re.IGNORECASE)
# Their content is no text for people, or text only where scripts do not run.
_DROPPED: Final = ("script", "style", "template", "iframe", "noembed", "noframes", "object", "title", "head")
_DROPPED_ENDS: Final = {name: re.compile(rf"</{name}\b[^>]*>?", re.IGNORECASE) for name in _DROPPED}
_HEADINGS: Final[dict[str, Kind]] = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h3", "h5": "h3", "h6": "h3"}
_STYLES: Final[dict[str, Style]] = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code"}
_INLINE_NAMES: Final = (
    "a abbr acronym bdi bdo big cite data del dfn font ins kbd label mark q rp rt ruby s samp small span strike sub sup time"
    " tt u var wbr"
)
_INLINE: Final = frozenset(_INLINE_NAMES.split())


def read_html(source: str) -> list[Block]:
    """The blocks of a draft. Every character outside tags is kept; entities are decoded once."""
    reader = _Reader()
    place = 0
    while (match := _TAG.search(source, place)) is not None:
        reader.text(source[place : match.start()])
        place = match.end()
        name = (match["name"] or "").lower()
        if name in _DROPPED_ENDS and not match["close"]:
            ended = _DROPPED_ENDS[name].search(source, place)
            place = ended.end() if ended else len(source)
        elif name:
            reader.tag(name, bool(match["close"]))
    reader.text(source[place:])
    reader.builder.end()
    return reader.builder.blocks


def inline_html(text: str, add: Callable[[str], None]) -> None:
    """Hands every stretch outside tags to `add`, entities decoded: for raw HTML inside another format."""
    place = 0
    for match in _TAG.finditer(text):
        add(_decoded(text[place : match.start()]))
        place = match.end()
    add(_decoded(text[place:]))


def _decoded(text: str) -> str:
    return html.unescape(_UNENDED.sub("", text)) if "<" in text else html.unescape(text)


class _Reader:
    def __init__(self) -> None:
        self.builder = BlockBuilder()
        self._lists: list[bool] = []  # of the open lists, whether they are ordered
        self._pre = 0
        self._quotes = 0
        self._cells = 0

    def text(self, raw: str) -> None:
        text = _decoded(raw)
        self.builder.add(text if self._pre else re.sub(r"\s+", " ", text))

    def tag(self, name: str, closing: bool) -> None:
        if name in _STYLES:
            (self.builder.close if closing else self.builder.open)(_STYLES[name])
        elif name == "br":
            self.builder.add("\n")
        elif name in ("ul", "ol"):
            self._list(name == "ol", closing)
        elif name in ("td", "th"):
            self._cell(closing)
        elif name not in _INLINE:
            self._block(name, closing)

    def _list(self, ordered: bool, closing: bool) -> None:
        self.builder.end()
        if not closing:
            self._lists.append(ordered)
        elif self._lists:
            self._lists.pop()

    def _cell(self, closing: bool) -> None:
        if not closing:
            self.builder.add("\t" if self._cells else "")
            self._cells += 1

    def _block(self, name: str, closing: bool) -> None:
        if name == "pre":
            self._pre = max(0, self._pre + (-1 if closing else 1))
        if name == "blockquote":
            self._quotes = max(0, self._quotes + (-1 if closing else 1))
        self._cells = 0
        if not closing and name == "li":
            ordered = self._lists[-1] if self._lists else False
            self.builder.begin("li", max(0, len(self._lists) - 1), ordered)
        else:
            self.builder.begin(self._kind(name, closing))

    def _kind(self, name: str, closing: bool) -> Kind:
        if not closing and name in _HEADINGS:
            return _HEADINGS[name]
        if not closing and name == "tr":
            return "row"
        return "pre" if self._pre else "blockquote" if self._quotes else "p"
