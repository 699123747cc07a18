"""Reads a draft in Markdown: the block structure a model writes (headings, lists, quotes, tables, fences) and emphasis.

What CommonMark adds beyond that stays text. Raw HTML inside loses its tags; links are taken apart when the text is cleaned.
"""

import re
from collections.abc import Mapping
from typing import Final

from guarded_webfetch.evidence.draft import Block, BlockBuilder, Style
from guarded_webfetch.evidence.html_draft import inline_html

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*?)(?:[ \t]+#+)?[ \t]*")
_ITEM: Final = re.compile(r"([ \t]*)(?:([-*+])|\d{1,9}[.)])(?:[ \t]+(.*)|)")
_QUOTE: Final = re.compile(r" {0,3}> ?(.*)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_ROW: Final = re.compile(r"[ \t]*\|(.*)\|[ \t]*")
_DIVIDER: Final = re.compile(r"[\s|:-]*-[\s|:-]*|[ \t]*(?:[*_-][ \t]*){3,}")
_INLINE: Final = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)|\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<mark>\*\*|__|\*|_)", re.DOTALL
)


def read_markdown(source: str) -> list[Block]:
    """The blocks of a draft. Words and their order stay; entities are decoded once."""
    reader = _Reader()
    for line in source.splitlines():
        reader.line(line)
    reader.end()
    return reader.builder.blocks


class _Reader:
    def __init__(self) -> None:
        self.builder = BlockBuilder()
        self._fence = ""
        self._lines: list[str] = []  # of the block that is being read

    def line(self, line: str) -> None:
        if self._fence:
            self._fenced(line)
        elif match := _FENCE.fullmatch(line):
            self.end()
            self.builder.begin("pre")
            self._fence = match[1]
        elif not line.strip() or _DIVIDER.fullmatch(line):
            self.end()
        elif match := _HEADING.fullmatch(line):
            self.end()
            self.builder.begin("h2" if len(match[1]) <= 2 else "h3")
            self._lines.append(match[2])
            self.end()
        else:
            self._text_line(line)

    def end(self) -> None:
        if self._lines:
            _inline("\n".join(self._lines), self.builder)
            self._lines = []
        self.builder.end()

    def _fenced(self, line: str) -> None:
        if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
            self._fence = ""
            self.builder.end()
        else:
            self.builder.add(f"{line}\n")

    def _text_line(self, line: str) -> None:
        if match := _ITEM.fullmatch(line):
            self.end()
            self.builder.begin("li", len(match[1].expandtabs(4)) // 2, match[2] is None)
            self._lines.append(match[3] or "")
        elif match := _ROW.fullmatch(line):
            self.end()
            self.builder.begin("row")
            self._lines.append("\t".join(cell.strip() for cell in re.split(r"(?<!\\)\|", match[1])))
        elif match := _QUOTE.fullmatch(line):
            if not self._lines:
                self.builder.begin("blockquote")
            self._lines.append(match[1])
        else:
            self._lines.append(line.strip())


def _inline(text: str, builder: BlockBuilder) -> None:
    place = 0
    opened: set[str] = set()
    last = {mark: text.rfind(mark) for mark in ("**", "__", "*", "_")}
    for match in _INLINE.finditer(text):
        inline_html(text[place : match.start()], builder.add)
        place = match.end()
        if match["code"]:
            builder.open("code")
            builder.add(match["code"].strip())
            builder.close("code")
        elif match["escaped"]:
            builder.add(match["escaped"])
        else:
            _emphasis(match, last, opened, builder)
    inline_html(text[place:], builder.add)


def _emphasis(match: re.Match[str], last: Mapping[str, int], opened: set[str], builder: BlockBuilder) -> None:
    """A mark closes what the same mark opened, opens before a word, and is text elsewhere (CommonMark section 6.2, simplified).

    `last`: where each mark stands for the last time.
    """
    mark, text = match["mark"], match.string
    style: Style = "strong" if len(mark) == 2 else "em"
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    inner = "_" in mark and before.isalnum() and after.isalnum()
    if mark in opened and before.strip() and not inner:
        opened.discard(mark)
        builder.close(style)
    elif after.strip() and not inner and last[mark] >= match.end():
        opened.add(mark)
        builder.open(style)
    else:
        builder.add(mark)
