"""The view of a record as one page that can be sent to somebody: nothing in it runs, loads, links or submits.

Every string passes `_words` on its way in; the few tags are written here and carry no attribute that holds one.
"""

import base64
import hashlib
import html
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import Final

from guarded_webfetch.commands import show_words as words
from guarded_webfetch.commands import visible
from guarded_webfetch.commands.show_marks import Mark, legend, pieces
from guarded_webfetch.commands.show_view import Table, View, language
from guarded_webfetch.commands.show_words import Point

# The first line of every page, byte for byte: how a page of ours is recognised before it is replaced.
FIRST_LINE: Final = "<!doctype html><!-- written by guarded-webfetch show -->\n"

# A mark of ours has no backslash before its bracket: the sanitizer puts one before every look-alike.
_FILTERED: Final = re.compile(r"(?<!\\)\[FILTERED:[a-z0-9_-]{1,40}\]")
_FENCE: Final = re.compile(r" {0,8}(`{3,}|~{3,})")
_TABLE_ROW: Final = re.compile(r" {0,8}\|")


def render(view: View) -> str:
    """The whole page, UTF-8 when encoded."""
    title = visible.line(view.title)
    body = "".join(
        (
            _verdict(view),
            _points(view.points),
            _table(view.page),
            *map(_table, view.findings),
            _text(view),
            '<div class="pairs">\n',
            *map(_table, view.technical),
            "</div>\n",
        )
    )
    return (
        f'{FIRST_LINE}<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="guarded-webfetch">\n'
        f"<title>{view.kind}: {html.escape(title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n{body}"
        "<footer>Made by guarded-webfetch. It lowers the risk of reading the web; it does not remove it. Addresses stand here "
        "as text on purpose.</footer>\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    with open(os.path.join(os.path.dirname(__file__), "show_page.css"), encoding="utf-8") as file:
        return file.read()


def _policy() -> str:
    """Content Security Policy Level 3: nothing but the one style sheet, known by its hash (section 2.3.1)."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'none'; form-action 'none'; base-uri 'none'"


def _words(text: str) -> str:
    """`text` for an element: controls written out, then escaped. No attribute of this page holds such text."""
    return html.escape(visible.line(text))


def _verdict(view: View) -> str:
    lang = language(view.title)
    return (
        f'<header class="verdict {view.kind}">\n<span class="badge">{view.kind}</span>'
        '<span class="tool">guarded-webfetch</span>\n'
        f'<h1 dir="auto"{_lang(lang)}>{_words(view.title)}</h1>\n<p>{_words(view.meaning)}</p>\n'
        f'<p class="action">{_words(view.action)}</p>\n</header>\n'
    )


def _lang(tag: str) -> str:
    return f' lang="{tag}"'


def _points(points: list[Point]) -> str:
    if not points:
        return ""
    items = "".join(
        f'<li class="{point.weight or "quiet"}">{_words(point.sentence)} <code>{_words(point.code)}</code></li>\n'
        for point in points
    )
    return f'<section>\n<h2>Worth knowing</h2>\n<ul class="points">\n{items}</ul>\n</section>\n'


def _table(table: Table) -> str:
    if table.head:
        head = "".join(f'<th scope="col">{_words(cell)}</th>' for cell in table.head)
        rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in table.rows)
        inner = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"
    else:
        rows = "".join(f'<tr><th scope="row">{_words(row[0])}</th>{_cell(row[1])}</tr>\n' for row in table.rows)
        inner = f'<table class="facts">\n<tbody>\n{rows}</tbody>\n</table>'
    note = f'<p class="note">{_words(table.note)}</p>\n' if table.note else ""
    brief = ' class="brief"' if not table.head and max(len(row[1]) for row in table.rows) < 24 else ""
    return f'<section{brief}>\n<h2>{_words(table.title)}</h2>\n<div class="wide">{inner}</div>\n{note}</section>\n'


def _cell(text: str) -> str:
    """Long cells may break anywhere; short ones keep their words whole."""
    long = ' class="long"' if len(text) > 24 else ""
    lang = "" if text.isascii() else _lang(language(text))
    return f"<td{long}{lang}>{_words(text)}</td>"


def _text(view: View) -> str:
    if not view.text_note:
        return ""
    opening = f'<section>\n<h2>Text</h2>\n<p class="note">{_words(view.text_note)}</p>\n'
    if view.text is None:
        return f"{opening}</section>\n"
    blocks = "".join(
        f'<div class="mono">{content}</div>\n' if mono else f"<div>{content}</div>\n"
        for mono, content in _blocks(view.text, view.heading_offsets, view.marks)
    )
    opening += _legend(view.marks)
    return f'{opening}<article class="text"{_lang(language(view.text))}>\n{blocks}</article>\n</section>\n'


def _legend(marks: list[Mark]) -> str:
    entries = "".join(
        f'<li><span class="cut {entry.kind}">{entry.kind}</span> {words.counted(entry.places, "place")}: {entry.meaning}</li>\n'
        for entry in legend(marks)
    )
    return f'<ul class="legend">\n{entries}</ul>\n' if entries else ""


def _blocks(text: str, heading_offsets: frozenset[int], marks: list[Mark]) -> Iterator[tuple[bool, str]]:
    """(monospaced, escaped lines): code and tables keep their columns, headings stand out, everything else is running text."""
    gathered: list[str] = []
    was_mono, fence, offset, first = False, "", 0, 0
    for line in text.split("\n"):
        mono, fence = _is_mono(line, fence)
        if mono != was_mono and gathered:
            yield was_mono, "\n".join(gathered).strip("\n")
            gathered = []
        last = bisect_right(marks, offset + len(line), lo=first, key=lambda mark: mark.offset)
        content = "".join(map(_piece, pieces(line, offset, marks[first:last])))
        gathered.append(f"<b>{content}</b>" if offset in heading_offsets and not mono else content)
        was_mono, offset, first = mono, offset + len(line) + 1, last
    yield was_mono, "\n".join(gathered).strip("\n")


def _is_mono(line: str, fence: str) -> tuple[bool, str]:
    """Whether `line` belongs to a code block or a table, and the fence that is open after it."""
    mark = _FENCE.match(line)
    if fence:
        return True, "" if mark and mark[1].startswith(fence) and line.strip() == mark[1] else fence
    if mark:
        return True, mark[1]
    return _TABLE_ROW.match(line) is not None, ""


def _piece(piece: str | Mark) -> str:
    """A stretch of the page's words, or a mark of ours: its words come from this tool alone."""
    if isinstance(piece, Mark):
        return f'<span class="cut {piece.kind}">{_words(piece.text())}</span>'
    return _FILTERED.sub(lambda match: f"<mark>{match[0]}</mark>", _words(piece.replace("\t", "    ")))
