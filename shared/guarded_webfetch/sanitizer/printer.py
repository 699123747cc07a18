"""Blocks as text with our marks: the only place where structure is written.

Words stay as the page has them: emphasis is not printed, because `*` inside words could not be told from the page's own.
Marks are insertions into a passage, so that the notes of earlier removals keep true offsets.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Block, Link, Span
from guarded_webfetch.sanitizer.body import Part
from guarded_webfetch.text.edits import Edit, Note, Passage, apply

DETAILS: Final = "--- details ---"
DETAILS_END: Final = "--- end of details ---"
# Compiled by `re` on first use.
_DIGITS: Final = r"[+\-−]?\d+"
_LANGUAGE: Final = r"[a-z0-9+#-]{1,20}"


class Printed(NamedTuple):
    """A printed block: `gap` stands before it when it is not the first; `heading` is its text without marks."""

    text: str
    notes: Sequence[Note] = ()
    gap: str = "\n\n"
    heading: str = ""
    level: int = 0


class Style(NamedTuple):
    """How links are written: numbered, or with their address (`links` from 1)."""

    inline: bool
    links: Sequence[Link]

    def target(self, number: int) -> str:
        if self.inline and 0 < number <= len(self.links):
            return "(" + self.links[number - 1]["url"].replace("(", "%28").replace(")", "%29") + ")"
        return f"[L{number}]"


def print_body(parts: Iterable[Part], style: Style) -> Iterator[Printed]:
    """Every block in order, closed details between their marks."""
    open_details = False
    was_item = False
    for part in parts:
        block = part.block
        if open_details and not block.get("inside"):
            open_details = False
            yield Printed(DETAILS_END)
        if block["kind"] == "details":
            open_details = True
            yield Printed(DETAILS)
        is_item = block["kind"] == "item"
        yield print_block(part, style)._replace(gap="\n" if is_item and was_item else "\n\n")
        was_item = is_item
    if open_details:
        yield Printed(DETAILS_END)


def print_verbatim(parts: Iterable[Part]) -> Iterator[Printed]:
    """The texts as they stand."""
    for part in parts:
        passage = part.passages[0] if part.passages else Passage("")
        yield Printed(passage.text, passage.notes, "\n")


def print_block(part: Part, style: Style) -> Printed:
    """One block with all its marks."""
    block = part.block
    kind = block["kind"]
    outer = "> " * block.get("quote", 0)
    if kind == "rule":
        return Printed(outer + "---")
    if kind == "page":
        return Printed(f"--- page {block['text'] if block['text'].isdigit() else 0} ---")
    if kind == "table":
        return _table(part, outer, style)
    passage = part.passages[0]
    if kind == "code":
        return _code(passage, outer + _indent(block), block.get("language", ""))
    first, rest = _prefixes(block, outer)
    marked = _marked(passage, style, rest)
    printed = Printed(first + marked.text, _shifted(marked.notes, len(first)))
    return printed._replace(heading=passage.text, level=block.get("level", 1)) if kind == "heading" else printed


def _indent(block: Block) -> str:
    """The indentation of a block that continues an item."""
    return "  " * (block["depth"] + 1) if "depth" in block and block["kind"] != "item" else ""


def _prefixes(block: Block, outer: str) -> tuple[str, str]:
    """What stands before the first line of a block and before each further one."""
    if block["kind"] == "heading":
        return outer + "#" * min(max(block.get("level", 1), 1), 6) + " ", outer
    if block["kind"] == "item":
        indent = outer + "  " * block.get("depth", 0)
        return indent + (f"{block['number']}. " if "number" in block else "- "), indent + "  "
    return outer + _indent(block), outer + _indent(block)


def _shifted(notes: Sequence[Note], by: int) -> list[Note]:
    return [Note(note.offset + by, note.what, note.chars) for note in notes]


def _code(passage: Passage, prefix: str, language: str) -> Printed:
    fence = "`" * max(3, 1 + _longest_ticks(passage.text))
    head = f"{prefix}{fence}{language if re.fullmatch(_LANGUAGE, language) else ''}\n{prefix}"
    lines = apply(Passage(passage.text, (), passage.notes), _line_prefixes(passage.text, prefix))
    tail = f"\n{prefix}{fence}"
    if lines.text.endswith("\n" + prefix):
        tail = fence
    return Printed(head + lines.text + tail, _shifted(lines.notes, len(head)))


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0) if "`" in text else 0


def _table(part: Part, outer: str, style: Style) -> Printed:
    rows = part.block.get("rows", [])
    text = ""
    notes: list[Note] = []
    cells = iter(part.passages)
    for number, row in enumerate(rows):
        text += ("\n" if number else "") + outer + "|"
        for _ in row:
            cell = _cell(next(cells), style)
            notes += _shifted(cell.notes, len(text) + 1)
            text += f" {cell.text} |"
        if number == 0:
            text += "\n" + outer + "|" + " --- |" * len(row)
    return Printed(text, notes)


def _cell(passage: Passage, style: Style) -> Passage:
    """A cell on one line, its pipes escaped."""
    edits = [Edit(m.start(), m.end(), "\\|" if m[0] == "|" else " ") for m in re.finditer(r"\||\s*\n\s*", passage.text)]
    return _marked(apply(passage, edits), style, "")


def _marked(passage: Passage, style: Style, prefix: str) -> Passage:
    """`passage` with the marks of its spans and `prefix` at the start of every further line."""
    insertions: list[tuple[int, int, int, str]] = []  # place, closing before opening, nesting, mark
    for number, span in enumerate(passage.spans):
        before, after = _span_marks(passage.text, span, style)
        if before:
            insertions.append((span[1], 1, number, before))
        if after:
            insertions.append((span[2], 0, -number, after))
    insertions += [(edit.start, 2, 0, edit.text) for edit in _line_prefixes(passage.text, prefix)]
    edits = [Edit(place, place, mark) for place, _, _, mark in sorted(insertions)]
    return apply(Passage(passage.text, (), passage.notes), edits)


def _line_prefixes(text: str, prefix: str) -> list[Edit]:
    return [Edit(m.end(), m.end(), prefix) for m in re.finditer("\n", text)] if prefix else []


def _span_marks(text: str, span: Span, style: Style) -> tuple[str, str]:
    kind, start, end, number = span
    inner = text[start:end]
    if kind == "link":
        return ("", "") if inner == f"[L{number}]" or not inner.strip() else ("[", "]" + style.target(number))
    if kind == "code":
        ticks = "`" * (1 + _longest_ticks(inner))
        pad = " " if inner.startswith("`") or inner.endswith("`") else ""
        return ticks + pad, pad + ticks
    if (
        kind in ("sup", "sub")
        and re.fullmatch(_DIGITS, inner)
        and start
        and (text[start - 1].isalnum() or text[start - 1] in ")]")
    ):
        return ("^" if kind == "sup" else "_"), ""
    return "", ""
