"""What pdfium's characters say, cleaned: line ends, broken words, ligature forms, symbol fonts."""

import re
import unicodedata
from typing import Final

from guarded_webfetch.parser.pdf_links import END, START, without_marks

HYPHEN: Final = (
    "\ufffe"  # the hyphen of a word broken at a line end, in FPDFText_GetText; the line end is already removed
)

# A letter form that only joins plain letters is what the page shows as those letters (Unicode block FB00).
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "ſt", 0xFB06: "st"}
# Symbol and Wingdings fonts put their marks at U+F000 plus the byte; these are the list marks of office programs.
_SYMBOL_MARKS: Final = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF076: "❖", 0xF06F: "○", 0xF0E0: "→"}
_MAPPED: Final = _LIGATURES | _SYMBOL_MARKS
_MAPPED_OR_UNUSABLE: Final = re.compile(
    "[\ufb00-\ufb06\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\ufdd2-\ufdef\ufffe\uffff\ud800-\udfff"
    "\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)
_BROKEN_WORD: Final = re.compile(f"(?:\ufffe({END}?)\n?|\u00ad({END}?)[ \t]*\n)({START}?)(.?)", re.DOTALL)
_UNKNOWN: Final = "\ufffd"
_NO_WORD: Final = re.compile(r"[\W_]+")


def normalise(text: str) -> str:
    """LF line ends, broken words joined, ligature forms as letters, no control character, no private use."""
    return normalise_marked(without_marks(text))


def normalise_marked(text: str) -> str:
    """The same for text with link marks, which stay where they are."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    text = _BROKEN_WORD.sub(_join, text)
    return _MAPPED_OR_UNUSABLE.sub(_readable, text)


def _join(match: re.Match[str]) -> str:
    """A hyphen mark before a small letter only breaks the line; before a capital or a digit it belongs to the word."""
    end, start, following = match[1] or match[2] or "", match[3], match[4]
    keeps_hyphen = match[0].startswith(HYPHEN) and not following.islower()
    return ("-" if keeps_hyphen else "") + end + start + following


def _readable(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in _MAPPED:
        return _MAPPED[code]
    is_private = 0xE000 <= code <= 0xF8FF or code >= 0xF0000
    return _UNKNOWN if is_private or 0xD800 <= code <= 0xDFFF else ""


def fold(text: str) -> str:
    """Only letters and digits, forms folded: for comparing, never delivered."""
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", normalise(text)).casefold())
