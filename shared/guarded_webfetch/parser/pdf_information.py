"""What a PDF says about itself and no page shows: the document information and the outline (bookmarks).

Neither is part of what a reader sees, so neither is believed: a title must stand on a page, an entry of the outline must be
a line of the page it leads to. What does not is set aside as metadata.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from ctypes import create_string_buffer
from functools import partial
from typing import Final

from guarded_webfetch.core.limits import MAX_TITLE_CHARS
from guarded_webfetch.core.messages import Hidden
from guarded_webfetch.parser.pdf_lines import Line
from guarded_webfetch.parser.pdf_links import without_marks
from guarded_webfetch.parser.pdf_text import fold, normalise
from guarded_webfetch.parser.pdfium import library

Read = Callable[[object, int], int]  # (buffer or None, its size) -> bytes needed

MAX_BOOKMARKS: Final = 1_000
_KEYS: Final = (b"Title", b"Subject", b"Keywords", b"Author")
_MAX_TEXT_BYTES: Final = 16_384
_MAX_LEVEL: Final = 6
_LARGE: Final = 1.2  # times the usual line height of its page: a title
_MAX_TITLE_LINES: Final = 3

Outline = dict[int, list[tuple[str, int]]]  # page index (-1: none) -> title, level


def information(document: int) -> dict[str, str]:
    """The entries of the document information that are text for people, those that are set."""
    found = {}
    for key in _KEYS:
        text = _string(partial(library().FPDF_GetMetaText, document, key))
        if text:
            found[key.decode("ascii")] = text
    return found


def outline(document: int) -> Outline:
    """At most MAX_BOOKMARKS entries, parents before children; a file may link them in a circle."""
    found: Outline = defaultdict(list)
    seen: set[int] = set()
    left = [(library().FPDFBookmark_GetFirstChild(document, None), 1)]
    while left and len(seen) < MAX_BOOKMARKS:
        entry, level = left.pop()
        if not entry or entry in seen:
            continue
        seen.add(entry)
        text = _string(partial(library().FPDFBookmark_GetTitle, entry))
        if text:
            found[_page_of(document, entry)].append((text, min(level, _MAX_LEVEL)))
        left.append((library().FPDFBookmark_GetNextSibling(document, entry), level))
        left.append((library().FPDFBookmark_GetFirstChild(document, entry), level + 1))
    return found


def _page_of(document: int, entry: int) -> int:
    place = library().FPDFBookmark_GetDest(document, entry)
    if not place:
        action = library().FPDFBookmark_GetAction(entry)
        place = library().FPDFAction_GetDest(document, action) if action else None
    return int(library().FPDFDest_GetDestPageIndex(document, place)) if place else -1


def unseen(pieces: Sequence[Hidden], folded_text: str) -> list[Hidden]:
    """Those that say something the text does not."""
    return [piece for piece in pieces if (words := fold(piece["text"])) and words not in folded_text]


def largest_lines(lines: Sequence[Line]) -> str:
    """What stands in the largest letters of a page, when they are clearly larger than its others; else ""."""
    words = [line for line in lines if any(map(str.isalpha, line.text))]
    heights = sorted(line.height for line in words)
    if not words or heights[-1] < _LARGE * heights[len(heights) // 2]:
        return ""
    largest = heights[-1]
    first = next(at for at, line in enumerate(words) if line.height == largest)
    title = []
    for line in words[first : first + _MAX_TITLE_LINES]:
        if line.height < 0.95 * largest:
            break
        title.append(without_marks(line.text))
    return one_line("\n".join(title))


def one_line(text: str) -> str:
    """A title: one line, cut at its limit."""
    return " ".join(normalise(text).split())[:MAX_TITLE_CHARS].strip()


def _string(read: Read) -> str:
    size = read(None, 0)
    if not 2 < size <= _MAX_TEXT_BYTES:
        return ""
    buffer = create_string_buffer(size)
    read(buffer, size)
    return " ".join(normalise(buffer.raw.decode("utf_16_le", "replace").rstrip("\0")).split())
