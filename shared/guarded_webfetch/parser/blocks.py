"""The writer: a cleaned tree becomes blocks of text with spans, in reading order, in one pass that nesting cannot break.

Words are never changed. Structure is named, not drawn: the sanitizer prints fences, marks and tables.
"""

from typing import Final

from lxml import etree

from guarded_webfetch.core.messages import Block, Cell
from guarded_webfetch.parser import code_block, tables
from guarded_webfetch.parser.clean import WHITE_SPACE
from guarded_webfetch.parser.inline import (
    BLOCK_TAGS,
    IGNORED_TAGS,
    Inline,
    end_inline,
    is_permalink,
    one_line,
    start_inline,
)
from guarded_webfetch.parser.links import Hrefs, LinkTable
from guarded_webfetch.parser.tree import Element, tag_of, text_of

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset(("ul", "ol", "menu", "dir"))


class _List:
    """One open list: how its items are numbered, if they are."""

    def __init__(self, element: Element) -> None:
        self.ordered = tag_of(element) == "ol"
        self.next = _integer(element.get("start"), 1)
        self.step = -1 if element.get("reversed") is not None else 1
        if self.step < 0 and element.get("start") is None:
            self.next = sum(1 for child in element if tag_of(child) == "li")

    def number(self, item: Element) -> int:
        found = _integer(item.get("value"), self.next)
        self.next = found + self.step
        return found


class BlockWriter:
    """Walks a tree once; `blocks` holds what it wrote, `owners` the element each block was written from."""

    def __init__(self, links: LinkTable | Hrefs) -> None:
        self.blocks: list[Block] = []
        self.owners: list[Element] = []
        self._open: list[Element] = []  # block elements around the place
        self._links = links
        self._run = Inline(links)
        self._quote = 0
        self._lists: list[_List] = []
        self._items = 0  # open list items: a paragraph below one belongs to it
        self._marker: Block | None = None  # an item whose first text has not come yet
        self._closed_details = 0

    def write(self, root: Element) -> list[Block]:
        """The blocks of everything below `root`."""
        self._open.append(root)
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "start":
                if self._start(element):
                    walker.skip_subtree()
                else:
                    self._run.text(element.text or "")
            else:
                self._end(element)
                if element is not root:
                    self._run.text(element.tail or "")
        self._flush()
        return self.blocks

    def _start(self, element: Element) -> bool:
        """Opens an element; True when everything below it is done with."""
        tag = tag_of(element)
        if tag in IGNORED_TAGS or is_permalink(element) or code_block.is_gutter(element):
            return True
        if tag not in BLOCK_TAGS:
            if code_block.is_code_element(element):
                self._code(element)
                return True
            start_inline(self._run, element)
            return False
        self._flush()
        self._open.append(element)
        if tag in _HEADINGS:
            self._heading(element, _HEADINGS[tag])
            return True
        if tag == "pre":
            self._code(element)
            return True
        if tag == "table":
            return self._table(element)
        self._open_block(element, tag)
        return tag in ("hr", "summary")

    def _open_block(self, element: Element, tag: str) -> None:
        if tag in _LISTS:
            self._lists.append(_List(element))
        elif tag == "li":
            self._item(element)
        elif tag == "blockquote":
            self._quote += 1
        elif tag == "hr":
            self._append({"kind": "rule", "text": "", "spans": []})
        elif tag == "details" and element.get("open") is None:
            self._closed_details += 1
            if self._closed_details == 1:
                self._details(element)
        elif tag == "summary":
            self._summary(element)
        elif tag == "dt":
            self._run.open("strong")

    def _end(self, element: Element) -> None:
        tag = tag_of(element)
        if tag not in BLOCK_TAGS:
            if tag not in IGNORED_TAGS and not is_permalink(element):
                end_inline(self._run, element)
            return
        self._flush()
        self._open.pop()
        if tag in _LISTS and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._marker = None
            self._items = max(self._items - 1, 0)
        elif tag == "blockquote":
            self._quote -= 1
        elif tag == "details" and element.get("open") is None:
            self._closed_details -= 1
        elif tag == "dt":
            self._run.close("strong")

    def _item(self, element: Element) -> None:
        self._items += 1
        self._marker = {"kind": "item", "text": "", "spans": [], "depth": max(len(self._lists) - 1, 0)}
        if self._lists and self._lists[-1].ordered:
            self._marker["number"] = self._lists[-1].number(element)

    def _flush(self) -> None:
        """Ends the running text as a paragraph, or as the first text of a list item."""
        cell = self._run.finish()
        if not cell["text"].strip(WHITE_SPACE):
            return
        self._paragraph(cell)

    def _paragraph(self, cell: Cell) -> None:
        block: Block = {"kind": "paragraph", "text": cell["text"], "spans": cell["spans"]}
        if self._marker is not None:
            block = {**self._marker, "text": cell["text"], "spans": cell["spans"]}
            self._marker = None
        elif self._items:
            block["depth"] = max(len(self._lists) - 1, 0)
        self._append(block)

    def _heading(self, element: Element, level: int) -> None:
        cell = one_line(element, self._links, self._run.open_href())
        if cell["text"]:
            self._marker = None
            self._append({"kind": "heading", "text": cell["text"], "spans": cell["spans"], "level": level})

    def _code(self, element: Element) -> None:
        text = code_block.code_text(element)
        if not text.strip():
            return
        self._flush()
        if self._marker is not None and "number" in self._marker:
            self._append(self._marker)  # the number must not get lost
        self._marker = None
        block: Block = {"kind": "code", "text": text, "spans": []}
        if language := code_block.language_of(element):
            block["language"] = language
        self._append(block)

    def _table(self, element: Element) -> bool:
        """Writes a data table and says so; a layout table is read like any other block."""
        rows = tables.rows_of(element)
        if not rows or not tables.is_data_table(element, rows):
            return False
        for caption in element.iter("caption"):
            cell = one_line(caption, self._links)
            if cell["text"]:
                self._paragraph(cell)
        lines = [line for line in tables.grid(rows, self._links) if any(cell["text"] for cell in line)]
        if lines:
            self._append({"kind": "table", "text": "", "spans": [], "rows": lines})
        return True

    def _details(self, element: Element) -> None:
        summary = next((child for child in element if tag_of(child) == "summary"), None)
        self._marker = None
        if summary is not None and (headings := _headings_of(summary)):
            self._append({"kind": "details", "text": "", "spans": []})
            for heading in headings:
                self._heading(heading, _HEADINGS[tag_of(heading)])
            return
        cell: Cell = one_line(summary, self._links) if summary is not None else {"text": "", "spans": []}
        self._append({"kind": "details", "text": cell["text"], "spans": cell["spans"]})

    def _summary(self, element: Element) -> None:
        """The summary of an open or inner `details`; that of a closed outer one stands in its own block."""
        parent = element.getparent()
        opens = self._closed_details == 1 and parent is not None and parent.get("open") is None
        if opens:
            return
        headings = _headings_of(element)
        for heading in headings:
            self._heading(heading, _HEADINGS[tag_of(heading)])
        cell = one_line(element, self._links)
        if cell["text"] and not headings:
            self._paragraph(cell)

    def _append(self, block: Block) -> None:
        if self._quote:
            block["quote"] = self._quote
        if self._closed_details and block["kind"] != "details":
            block["inside"] = True
        self.blocks.append(block)
        self.owners.append(self._open[-1])


def _headings_of(summary: Element) -> list[Element]:
    """The headings in a summary that is nothing else."""
    headings = [*summary.iter(*_HEADINGS)]
    whole, parts = (one_line(summary, Hrefs())["text"], "".join(map(text_of, headings))) if headings else ("", "")
    return headings if "".join(whole.split()) == "".join(parts.split()) else []


def _integer(value: str | None, default: int) -> int:
    text = (value or "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 9 else default
