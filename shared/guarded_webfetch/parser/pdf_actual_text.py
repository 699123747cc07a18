"""ActualText: a mark that replaces the letters a page shows by others (ISO 32000 section 14.9.4).

Made for ligatures and hyphens, it can hold any text, and pdfium believes it. A replacement is believed when it says what the
letters say, or when the letters say nothing (fonts without a mapping to Unicode). A short one that says something else is as well,
unless a page has so many that together they make words.
"""

from typing import Final

from guarded_webfetch.core.messages import Hidden
from guarded_webfetch.parser.pdf_objects import Mark, PageObjects, scan_page
from guarded_webfetch.parser.pdf_text import fold, normalise
from guarded_webfetch.parser.pdfium import library

MAX_BELIEVED_CHARS: Final = 4
_MAX_SHORT_CHARS: Final = 12  # of short replacements on one page that say something else than the letters
_MAX_CHARS_PER_LETTER: Final = 4


def replace_lies(document: int, page_index: int, page: int, objects: PageObjects) -> list[Hidden]:
    """Takes the marks that lie off the loaded page, before its text is read, and returns what they said."""
    claims = _claims(objects)
    if not claims:
        return []
    shown = _shown_letters(document, page_index)
    doubtful = [mark for mark, letters in zip(claims, shown, strict=True) if not _believable(mark.actual_text, letters)]
    short = [mark.actual_text for mark in doubtful if len(mark.actual_text.strip()) <= MAX_BELIEVED_CHARS]
    long = [mark.actual_text for mark in doubtful if len(mark.actual_text.strip()) > MAX_BELIEVED_CHARS]
    if sum(map(len, short)) <= _MAX_SHORT_CHARS:
        doubtful = [mark for mark in doubtful if len(mark.actual_text.strip()) > MAX_BELIEVED_CHARS]
        short = []
    _remove(objects, set(doubtful))
    texts = [*long, "".join(short)] if short else long
    return [Hidden(technique="pdf_actual_text", text=normalise(text)) for text in texts]


def _claims(objects: PageObjects) -> list[Mark]:
    """The replacements that hold words, in the order in which they first occur; one may stand inside another."""
    return list(dict.fromkeys(mark for text in objects.texts for mark in text.marks if _holds_words(mark.actual_text)))


def _holds_words(claim: str) -> bool:
    return len(claim.strip()) > MAX_BELIEVED_CHARS or any(c.isascii() and c.isalnum() for c in claim)


def _remove(objects: PageObjects, marks: set[Mark]) -> None:
    for text in objects.texts:
        for mark in text.marks:
            if mark in marks:
                library().FPDFPageObj_RemoveMark(text.address, mark.address)


def _shown_letters(document: int, page_index: int) -> list[str]:
    """The page loaded once more without any such mark: what the letters of each say, in the same order."""
    page = library().FPDF_LoadPage(document, page_index)
    try:
        objects = scan_page(page)
        numbers = {mark: number for number, mark in enumerate(_claims(objects))}
        owners = {text.address: [numbers[mark] for mark in text.marks if mark in numbers] for text in objects.texts}
        _remove(objects, set(numbers))
        return _letters(page, owners, len(numbers))
    finally:
        library().FPDF_ClosePage(page)


def _letters(page: int, owners: dict[int, list[int]], count: int) -> list[str]:
    letters: list[list[str]] = [[] for _ in range(count)]
    text_page = library().FPDFText_LoadPage(page)
    try:
        for index in range(library().FPDFText_CountChars(text_page)):
            for number in owners.get(library().FPDFText_GetTextObject(text_page, index), ()):
                letters[number].append(chr(library().FPDFText_GetUnicode(text_page, index)))
    finally:
        library().FPDFText_ClosePage(text_page)
    return ["".join(parts) for parts in letters]


def _believable(claim: str, shown: str) -> bool:
    said, letters = fold(claim), fold(shown)
    if said == letters:
        return True
    return not letters and len(claim) <= _MAX_CHARS_PER_LETTER * max(1, len(shown))
