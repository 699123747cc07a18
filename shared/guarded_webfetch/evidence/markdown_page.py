"""Writes blocks as Markdown (CommonMark): every character that could mean something is escaped, links lead to a store's URL."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from guarded_webfetch.evidence.draft import Block, Style, pieces
from guarded_webfetch.evidence.html_page import Target

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>#|!~$^{}]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINE_START: Final = re.compile(r"^(\s*)([-+=:]|\d{1,9}(?=[.)]))", re.MULTILINE)
_PREFIXES: Final = {"h2": "## ", "h3": "### ", "blockquote": "> "}
_STYLE_MARKS: Final[dict[Style, str]] = {"strong": "**", "em": "*"}


def write_markdown(blocks: Sequence[Block], targets: Mapping[int, Target]) -> str:
    """Blocks with a blank line between them; items of one list stand on lines of their own."""
    parts: list[str] = []
    last = ""
    for block in blocks:
        separator = "" if not parts else "\n" if block.kind == last and block.kind in ("li", "row") else "\n\n"
        parts.append(separator + _block(block, targets, first_row=block.kind == "row" and last != "row"))
        last = block.kind
    return "".join(parts) + "\n" if parts else ""


def _block(block: Block, targets: Mapping[int, Target], *, first_row: bool) -> str:
    if block.kind == "pre":
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
        return f"{fence}\n{block.text.strip(chr(10))}\n{fence}"
    text = _inline(block, targets)
    if block.kind == "row":
        cells = text.split("\t")
        line = "| " + " | ".join(cells) + " |"
        return f"{line}\n|{' --- |' * len(cells)}" if first_row else line
    if block.kind == "li":
        indent = "    " * block.depth
        return f"{indent}{'1.' if block.ordered else '-'} {text}"
    return _PREFIXES.get(block.kind, "") + text


def _inline(block: Block, targets: Mapping[int, Target]) -> str:
    parts: list[str] = []
    for piece in pieces(block):
        code = "code" in piece.styles
        text = _piece(piece.text, code) if piece.number is None else _link(targets[piece.number])
        parts.append(_styled(text, [mark for kind, mark in _STYLE_MARKS.items() if kind in piece.styles]))
    return _LINE_START.sub(r"\1\\\2", "".join(parts).strip().replace("\n", " "))


def _piece(text: str, code: bool) -> str:
    if not code:
        return _SPECIAL.sub(r"\\\g<0>", text).replace("&", "&amp;")
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text}{ticks}"


def _styled(text: str, marks: Sequence[str]) -> str:
    """Marks stand against words: before or after a blank they would be plain text."""
    words = text.strip()
    if not words or not marks:
        return text
    at = text.index(words)
    mark = "".join(marks)
    return f"{text[:at]}{mark}{words}{mark[::-1]}{text[at + len(words) :]}"


def _link(target: Target) -> str:
    title = _SPECIAL.sub(r"\\\g<0>", target.title).replace("&", "&amp;")
    return f"[{title}](<{target.url}>)" if target.url else title
