"""Tables: data tables become rows of cells, tables that only arrange a page are read as ordinary blocks."""

from typing import Final

from lxml import etree

from guarded_webfetch.core.messages import Cell
from guarded_webfetch.parser.inline import one_line
from guarded_webfetch.parser.links import Hrefs, LinkTable
from guarded_webfetch.parser.tree import Element, tag_of, text_of

MAX_COLUMNS: Final = 100  # colspan 9007199254740991 exists (adbar/trafilatura#657); HTML itself allows 1,000
MAX_ROW_SPAN: Final = 1_000
MAX_GRID_CELLS: Final = 200_000
_LONG_CELL_CHARS: Final = 400
_BLOCKS_IN_CELL: Final = frozenset((
    "table", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "form", "article", "section", "blockquote", "hr",
))  # fmt: skip

Row = list[Element]


def rows_of(table: Element) -> list[Row]:
    """The cells of each row, head rows first, foot rows last; rows of inner tables left out."""
    groups: dict[str, list[Row]] = {"thead": [], "": [], "tfoot": []}
    for child in table:
        tag = tag_of(child)
        if tag == "tr":
            groups[""].append(_cells(child))
        elif tag in ("thead", "tbody", "tfoot"):
            key = tag if tag != "tbody" else ""
            groups[key].extend(_cells(row) for row in child if tag_of(row) == "tr")
    return [row for key in ("thead", "", "tfoot") for row in groups[key] if row]


def _cells(row: Element) -> Row:
    return [cell for cell in row if tag_of(cell) in ("td", "th")]


def is_data_table(table: Element, rows: list[Row]) -> bool:
    """Whether the grid itself carries meaning."""
    if (table.get("role") or "").lower() in ("presentation", "none") or len(rows) < 2:
        return False
    width = max(len(row) for row in rows)
    if width < 2 or width > MAX_COLUMNS or len(rows) * width > MAX_GRID_CELLS:
        return False
    if any(tag_of(node) in _BLOCKS_IN_CELL for row in rows for cell in row for node in cell.iter(etree.Element)):
        return False
    if any(tag_of(cell) == "th" for row in rows for cell in row) or table.find("caption") is not None:
        return True
    lengths = [len(text_of(cell)) for row in rows for cell in row]
    filled = sum(1 for length in lengths if length)
    return filled * 2 >= len(lengths) and max(lengths) <= _LONG_CELL_CHARS


def grid(rows: list[Row], links: LinkTable | Hrefs) -> list[list[Cell]]:
    """Rows of equal length. A cell that spans several places stands in the first; the others are empty."""
    lines: list[list[Cell]] = []
    carried: dict[int, int] = {}  # column: rows it still covers
    widest = 2 * max(len(row) for row in rows)
    for row in rows:
        line: list[Cell] = []
        for cell in row:
            _fill_carried(line, carried)
            if len(line) >= MAX_COLUMNS:
                break
            columns = _span(cell.get("colspan"), min(widest, MAX_COLUMNS - len(line)))
            depth = _span(cell.get("rowspan"), MAX_ROW_SPAN)
            for column in range(len(line), len(line) + columns):
                carried[column] = depth
            line.append(one_line(cell, links))
            line.extend(_empty() for _ in range(columns - 1))
        _fill_carried(line, carried)
        lines.append(line)
        carried = {column: left - 1 for column, left in carried.items() if left > 1}
    width = max(len(line) for line in lines)
    # A column that only spans fill says nothing.
    width = max((index + 1 for line in lines for index, cell in enumerate(line) if cell["text"]), default=width)
    return [(line + [_empty() for _ in range(width - len(line))])[:width] for line in lines]


def _fill_carried(line: list[Cell], carried: dict[int, int]) -> None:
    """Empty cells where a cell of an earlier row still stands."""
    while len(line) in carried and len(line) < MAX_COLUMNS:
        line.append(_empty())


def _span(value: str | None, limit: int) -> int:
    text = (value or "").strip()
    return min(max(int(text[:6]), 1), limit) if text.isascii() and text.isdigit() else 1


def _empty() -> Cell:
    return {"text": "", "spans": []}
