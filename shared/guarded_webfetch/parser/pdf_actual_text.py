"""ActualText: a mark that replaces the letters a page shows by others (ISO 32000 section 14.9.4).

Made for ligatures and hyphens, it can hold any text, and pdfium believes it. Short replacements are believed; a longer
one only when it says what the letters say, or when the letters say nothing (fonts without a mapping to Unicode).
"""

import unicodedata
from collections import defaultdict
from typing import Final

from guarded_webfetch.core.messages import Hidden
from guarded_webfetch.parser.pdf_objects import Mark, PageObjects, scan_page
from guarded_webfetch.parser.pdf_text import normalise
from guarded_webfetch.parser.pdfium import library

MAX_BELIEVED_CHARS: Final = 4
_MAX_CHARS_PER_LETTER: Final = 4


def replace_lies(document: int, page_index: int, page: int, objects: PageObjects) -> list[Hidden]:
    """Takes the marks that lie off the loaded page, before its text is read, and returns what they said."""
    claims = _claims(objects)
    if not claims:
        return []
    shown = _shown_letters(document, page_index)
    lies = {mark for order, mark in claims.items() if not _believable(mark.actual_text, shown[order])}
    for text in objects.texts:
        for mark in text.marks:
            if mark in lies:
                library().FPDFPageObj_RemoveMark(text.address, mark.address)
    return [
        Hidden(technique="pdf_actual_text", text=normalise(mark.actual_text))
        for mark in claims.values()
        if mark in lies
    ]


def _claims(objects: PageObjects) -> dict[int, Mark]:
    """The long replacements of a page, each under the drawing order of the first text that carries it."""
    found: dict[int, Mark] = {}
    seen: set[Mark] = set()
    for text in objects.texts:
        for mark in text.marks:
            if len(mark.actual_text.strip()) > MAX_BELIEVED_CHARS and mark not in seen:
                seen.add(mark)
                found.setdefault(text.order, mark)
    return found


def _shown_letters(document: int, page_index: int) -> dict[int, str]:
    """The page loaded once more without any such mark: what its letters say, under the same order numbers."""
    page = library().FPDF_LoadPage(document, page_index)
    try:
        objects = scan_page(page)
        first_of = {mark: order for order, mark in reversed(_claims(objects).items())}
        owner = {text.address: first_of[mark] for text in objects.texts for mark in text.marks if mark in first_of}
        for text in objects.texts:
            for mark in text.marks:
                if mark in first_of:
                    library().FPDFPageObj_RemoveMark(text.address, mark.address)
        return _letters(page, owner)
    finally:
        library().FPDF_ClosePage(page)


def _letters(page: int, owner: dict[int, int]) -> dict[int, str]:
    letters: dict[int, list[str]] = defaultdict(list)
    text_page = library().FPDFText_LoadPage(page)
    try:
        for index in range(library().FPDFText_CountChars(text_page)):
            order = owner.get(library().FPDFText_GetTextObject(text_page, index))
            if order is not None:
                letters[order].append(chr(library().FPDFText_GetUnicode(text_page, index)))
    finally:
        library().FPDFText_ClosePage(text_page)
    return defaultdict(str, {order: "".join(parts) for order, parts in letters.items()})


def _believable(claim: str, shown: str) -> bool:
    said, letters = _fold(claim), _fold(shown)
    if said == letters:
        return True
    return not letters and len(claim) <= _MAX_CHARS_PER_LETTER * max(1, len(shown))


def _fold(text: str) -> str:
    """Only letters and digits, forms folded: for comparing, never delivered."""
    folded = unicodedata.normalize("NFKC", normalise(text)).casefold()
    return "".join(character for character in folded if character.isalnum())
