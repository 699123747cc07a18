"""The text of one PDF page: pdfium's characters as lines and paragraphs, what is hidden set apart."""

import re
from collections.abc import Callable
from ctypes import byref, c_double, create_string_buffer
from itertools import pairwise
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Hidden, Technique
from guarded_webfetch.parser.pdfium import RectF, library

MAX_PAGE_CHARS: Final = 500_000  # several times what MAX_TEXT_CHARS lets through
_NEW_PARAGRAPH: Final = 1.4  # line distances, against the usual one of the page
_FAR_APART: Final = 2.5  # line heights: never one paragraph, even when every line of a page stands that far apart
_HYPHEN_CODE: Final = 0x2  # how pdfium reports the hyphen of a word broken at a line end, in FPDFText_GetUnicode
_HYPHEN: Final = "\ufffe"  # and in FPDFText_GetText, the line end already removed

# A letter form that only joins plain letters is what the page shows as those letters (Unicode block FB00).
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "ſt", 0xFB06: "st"}
# Symbol and Wingdings fonts put their marks at U+F000 plus the byte; these are the list marks of office programs.
_SYMBOL_MARKS: Final = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF076: "❖", 0xF06F: "○", 0xF0E0: "→"}
_MAPPED: Final = _LIGATURES | _SYMBOL_MARKS
_MAPPED_OR_UNUSABLE: Final = re.compile(
    "[\ufb00-\ufb06\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff"
    "\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)
_BROKEN_WORD: Final = re.compile("(?:\ufffe\n?|\u00ad[ \t]*\n)(.?)", re.DOTALL)
_UNKNOWN: Final = "\ufffd"


class Line(NamedTuple):
    """One line; the baselines of its first and last character differ when a broken word was joined."""

    text: str
    first_y: float
    last_y: float
    height: float  # of its first character, ascent to descent


def normalise(text: str) -> str:
    """LF line ends, broken words joined, ligature forms as letters, no control character, no private use."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    text = _BROKEN_WORD.sub(_join, text)
    return _MAPPED_OR_UNUSABLE.sub(_readable, text)


def _join(match: re.Match[str]) -> str:
    """A hyphen mark before a small letter only breaks the line; before a capital or a digit it belongs to the word."""
    following = match[1]
    keeps_hyphen = match[0].startswith(_HYPHEN) and not following.islower()
    return ("-" if keeps_hyphen else "") + following


def _readable(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in _MAPPED:
        return _MAPPED[code]
    is_private = 0xE000 <= code <= 0xF8FF or code >= 0xF0000
    return _UNKNOWN if is_private or 0xD800 <= code <= 0xDFFF else ""


def read_lines(text_page: int) -> list[Line]:
    """All of a page, which is how a page without hidden text is read."""
    count = min(library().FPDFText_CountChars(text_page), MAX_PAGE_CHARS)
    if count <= 0:
        return []
    buffer = create_string_buffer(2 * count + 2)
    written = library().FPDFText_GetText(text_page, 0, count, buffer)
    text = buffer.raw[: 2 * max(0, written)].decode("utf_16_le", "replace").rstrip("\0")
    # pdfium leaves some characters (code 0) out of the text, so the two numberings drift apart.
    get_index = library().FPDFText_GetCharIndexFromTextIndex
    return _lines(text, text_page, lambda at: get_index(text_page, at))


def read_apart(text_page: int, hidden: dict[int, Technique]) -> tuple[list[Line], list[Hidden]]:
    """Visible lines and hidden pieces, character by character. `hidden` maps text objects to their technique."""
    visible: list[tuple[str, int]] = []
    gap: list[tuple[str, int]] = []
    pieces: list[Hidden] = []
    for run in _runs(text_page, hidden):
        text = "".join(character for character, _ in run.characters)
        # A lone white bar or dot hides nothing from anybody; templates put them there.
        if run.technique is not None and any(map(str.isalnum, text)):
            pieces.append(Hidden(technique=run.technique, text=_surrogates_paired(normalise(text)).strip()))
            gap = gap or _gap(run)
        elif text:
            visible += _fitted(gap, visible, run.characters)
            gap = []
    text = "".join(character for character, _ in visible)
    return _lines(text, text_page, lambda at: visible[at][1]), pieces


def _fitted(
    gap: list[tuple[str, int]], before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> list[tuple[str, int]]:
    """`after` with the gap in front of it where it is needed, and without its first space where `before` ends with one."""
    ends_with_space = bool(before) and before[-1][0].isspace()
    if ends_with_space:
        return after[1:] if gap and after[0][0] == " " else after
    return after if after[0][0].isspace() else gap + after


class _Run(NamedTuple):
    """Neighbouring characters that are hidden in the same way, each with its number on the page."""

    technique: Technique | None
    characters: list[tuple[str, int]]


def _runs(text_page: int, hidden: dict[int, Technique]) -> list[_Run]:
    """Characters that pdfium itself put in (spaces, line ends) have no text object and belong to what stands before."""
    runs: list[_Run] = [_Run(None, [])]
    count = min(library().FPDFText_CountChars(text_page), MAX_PAGE_CHARS)
    get_code, get_object = library().FPDFText_GetUnicode, library().FPDFText_GetTextObject
    for index in range(count):
        code = get_code(text_page, index)
        if code == 0 or code > 0x10FFFF:
            continue
        owner = get_object(text_page, index)
        technique = hidden.get(owner) if owner else runs[-1].technique
        if technique != runs[-1].technique:
            runs.append(_Run(technique, []))
        runs[-1].characters.append((_HYPHEN if code == _HYPHEN_CODE else chr(code), index))
    return runs


def _gap(run: _Run) -> list[tuple[str, int]]:
    """What stays in place of a hidden run, so that the words around it stay apart: a line end or space out of it."""
    line_ends = [pair for pair in run.characters if pair[0] == "\n"]
    spaces = [pair for pair in run.characters if pair[0].isspace()]
    return line_ends[:1] or spaces[:1]


def _surrogates_paired(text: str) -> str:
    return text.encode("utf_16_le", "surrogatepass").decode("utf_16_le", "replace")


def _lines(text: str, text_page: int, index_of: Callable[[int], int]) -> list[Line]:
    x, y, box = c_double(), c_double(), RectF()
    lines, start = [], 0
    for raw in text.split("\n"):
        stripped = raw.strip()
        if stripped:
            first = start + len(raw) - len(raw.lstrip())
            baselines = []
            for at in (first, first + len(stripped) - 1):
                library().FPDFText_GetCharOrigin(text_page, index_of(at), byref(x), byref(y))
                baselines.append(y.value)
            library().FPDFText_GetLooseCharBox(text_page, index_of(first), byref(box))
            lines.append(Line(stripped, baselines[0], baselines[1], abs(box.top - box.bottom)))
        start += len(raw) + 1
    return lines


def paragraphs(lines: list[Line]) -> list[str]:
    """Lines put together while their distance is the usual one; a step back up the page starts a new column."""
    if not lines:
        return []
    steps = [one.last_y - other.first_y for one, other in pairwise(lines)]
    downward = [step for step in steps if step > 0.5]
    usual = sorted(downward)[len(downward) // 2] if downward else 0.0
    parts = [[lines[0].text]]
    for step, line in zip(steps, lines[1:], strict=True):
        far = _NEW_PARAGRAPH * usual < step or 0 < _FAR_APART * line.height < step
        if far or step < -0.5 * usual:
            parts.append([])
        parts[-1].append(line.text)
    return [text for part in parts if (text := _tidy(normalise("\n".join(part))))]


def _tidy(text: str) -> str:
    """No empty lines, no blanks around a line (what is left where hidden text was taken out)."""
    return "\n".join(line for line in (line.strip() for line in text.split("\n")) if line)
