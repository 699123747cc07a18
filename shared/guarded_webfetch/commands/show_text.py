"""The view of a record for a terminal: as wide as it is, with colours only where they are wanted.

Every line of the page's own text stands behind a bar, so that none can pass for one of ours.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.commands import show_words as words
from guarded_webfetch.commands import visible
from guarded_webfetch.commands.show_marks import Mark, legend, pieces
from guarded_webfetch.commands.show_view import Row, Table, View
from guarded_webfetch.commands.show_words import Point
from guarded_webfetch.commands.terminal import Terminal

_INDENT: Final = "  "
_GAP: Final = 2  # columns between two cells
_BOLD: Final = "1"
_REVERSED: Final = "7"
_CHIP: Final = re.compile("⟪[^⟫]*⟫")
_DIM: Final = "2"
_MARKS: Final = {"": _DIM, "notice": "33", "incomplete": "35", "confirm": "1;31"}
_BADGES: Final = {
    "safe": "1;30;42",
    "notice": "1;30;43",
    "incomplete": "1;37;45",
    "confirm": "1;37;41",
    "failed": "1;37;41",
}


def render(view: View, terminal: Terminal) -> str:
    """The whole view, ending in a line end. No control character but LF stands in it, beside our own colours."""
    parts = [_head(view, terminal)]
    if view.points:
        parts.append(_points(view.points, terminal))
    parts += [_table(table, terminal) for table in (view.page, *view.findings, *view.technical)]
    if view.text_note:
        parts.append(_text(view, terminal))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(view: View, terminal: Terminal) -> list[str]:
    badge = terminal.painted(f" {view.kind.upper()} ", _BADGES[view.kind])
    title = _wrapped(view.title, terminal.usable - len(view.kind) - 3)
    lines = [f"{badge} {terminal.painted(title[0], _BOLD)}"]
    lines += [" " * (len(view.kind) + 3) + terminal.painted(line, _BOLD) for line in title[1:]]
    lines.append("")
    return lines + _paragraph(view.meaning, terminal) + _paragraph(view.action, terminal)


def _points(points: list[Point], terminal: Terminal) -> list[str]:
    lines = [terminal.painted("Worth knowing", _BOLD)]
    for point in points:
        mark = "!" if point.weight else "-"
        first, *rest = _wrapped(f"{point.sentence} [{point.code}]", terminal.usable - 4)
        lines.append(f"{_INDENT}{terminal.painted(mark, _MARKS[point.weight])} {first}")
        lines += [f"{_INDENT}  {line}" for line in rest]
    return lines


def _table(table: Table, terminal: Terminal) -> list[str]:
    lines = [terminal.painted(table.title, _BOLD)]
    rows = [tuple(map(visible.line, row)) for row in table.rows]
    everything = [table.head, *rows] if table.head else rows
    widths = _column_widths(everything, terminal.usable - len(_INDENT))
    if table.head:
        lines += [terminal.painted(line, _DIM) for line in _row(table.head, widths)]
    for row in rows:
        lines += _row(row, widths)
    return lines + (_paragraph(table.note, terminal) if table.note else [])


def _column_widths(rows: list[Row], columns: int) -> list[int]:
    """What each column needs; when all together need too much, the widest gives until they fit."""
    needed = [max(1, *map(visible.width, column)) for column in zip(*rows, strict=True)]
    spare = columns - _GAP * (len(needed) - 1)
    while (excess := sum(needed) - spare) > 0:
        widest = max(needed)
        second = max((width for width in needed if width < widest), default=1)
        needed[needed.index(widest)] -= min(excess, widest - second)
    return needed


def _row(cells: Row, widths: list[int]) -> list[str]:
    wrapped = [visible.wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, wrapped))
    lines = []
    for index in range(height):
        parts = [column[index] if index < len(column) else "" for column in wrapped]
        padded = [part + " " * (width - visible.width(part)) for part, width in zip(parts, widths, strict=True)]
        lines.append((_INDENT + (" " * _GAP).join(padded)).rstrip())
    return lines


def _text(view: View, terminal: Terminal) -> list[str]:
    lines = [terminal.painted("Text", _BOLD), *_paragraph(view.text_note, terminal)]
    if view.text is None:
        return lines
    lines += _legend(view, terminal)
    bar = terminal.painted("│", _DIM)
    lines.append("")
    for line in _marked_lines(view.text, view.marks):
        for part in visible.wrap(line, terminal.usable - 2):
            lines.append(f"{bar} {_CHIP.sub(lambda chip: terminal.painted(chip[0], _REVERSED), part)}".rstrip(" "))
    return lines


def _legend(view: View, terminal: Terminal) -> list[str]:
    lines: list[str] = []
    for entry in legend(view.marks):
        first, *rest = _wrapped(
            f"{words.counted(entry.places, 'place')}: {entry.meaning}", terminal.usable - len(entry.kind) - 5
        )
        chip = terminal.painted(f"⟪{entry.kind}⟫", _REVERSED)
        lines += [f"{_INDENT}{chip} {first}", *(" " * (len(entry.kind) + 5) + line for line in rest)]
    return lines


def _marked_lines(text: str, marks: Sequence[Mark]) -> Iterator[str]:
    """The lines made visible, each mark of ours between ⟪ and ⟫, which the page's own text cannot hold."""
    offset = first = 0
    for line in text.split("\n"):
        end = offset + len(line)
        last = first
        while last < len(marks) and marks[last].offset <= end:
            last += 1
        yield "".join(
            f"⟪{piece.kind}: {piece.text()}⟫" if isinstance(piece, Mark) else _without_brackets(piece)
            for piece in pieces(line, offset, marks[first:last])
        )
        offset, first = end + 1, last


def _without_brackets(text: str) -> str:
    return visible.lines(text)[0].replace("⟪", "\\u{27EA}").replace("⟫", "\\u{27EB}")


def _paragraph(text: str, terminal: Terminal) -> list[str]:
    return [_INDENT + line for line in _wrapped(text, terminal.usable - len(_INDENT))]


def _wrapped(text: str, columns: int) -> list[str]:
    return visible.wrap(visible.line(text), columns)
