"""What lies on a PDF page beside its own content: links, filled-in fields, comments (ISO 32000-1 section 12.5).

What an annotation draws becomes part of the page (`flatten`), so that its text is read, judged and set apart like any
other. Comments and tooltips show nothing before somebody opens them: they are set aside unless the page says the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_float, create_string_buffer
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_PDF_ANNOTATIONS, MAX_URL_CHARS
from guarded_webfetch.core.messages import Hidden, Technique
from guarded_webfetch.parser.pdf_geometry import Box
from guarded_webfetch.parser.pdf_objects import FORM, TEXT
from guarded_webfetch.parser.pdfium import Quad, RectF, library

_NOTE, _LINK, _FREE_TEXT, _POPUP, _WIDGET = 1, 2, 3, 16, 20  # FPDF_ANNOT_*
_MARKUP: Final = frozenset(
    (_NOTE, 9, 10, 11, 12)
)  # a note's icon, highlight, underline, squiggly, strike-out: no words
_HIDDEN: Final = 2  # FPDF_ANNOT_FLAG_*
_NO_VIEW: Final = 32
_PASSWORD: Final = 8_192  # field flag: shown as dots
_URI_ACTION: Final = 3  # PDFACTION_URI
_MAX_TEXT_BYTES: Final = 65_536
_FLATTEN_FAILED: Final = 0


class LinkArea(NamedTuple):
    """A part of the page that leads to `url`; a link over two lines has one area a line and one `link` number."""

    link: int
    url: str
    box: Box


class Drawn(NamedTuple):
    """Text that every viewer writes into `box` though the file holds no drawing of it."""

    text: str
    box: Box


class Annotations(NamedTuple):
    links: list[LinkArea]
    drawn: list[Drawn]
    unshown: list[Hidden]  # set aside unless the page shows the same words
    has_appearances: bool  # something to flatten
    layered: bool  # something to flatten lies in a layer, which flattening does not ask about
    complete: bool  # False: more than MAX_PDF_ANNOTATIONS


def read_annotations(document: int, page: int) -> Annotations:
    """All annotations of a loaded page. What nobody sees is marked hidden in the document, so that `flatten` skips it."""
    count = library().FPDFPage_GetAnnotCount(page)
    reader = _Reader(document)
    for index in range(min(count, MAX_PDF_ANNOTATIONS)):
        with _opened(page, index) as annotation:
            if annotation:
                reader.read(annotation)
    complete = count <= MAX_PDF_ANNOTATIONS
    return Annotations(reader.links, reader.drawn, reader.unshown, reader.has_appearances, reader.layered, complete)


def flatten(page: int) -> bool:
    """Makes what annotations draw part of the page's content; the page must then be loaded again. False: not possible."""
    return bool(library().FPDFPage_Flatten(page, 0) != _FLATTEN_FAILED)


@contextmanager
def _opened(page: int, index: int) -> Iterator[int | None]:
    annotation = library().FPDFPage_GetAnnot(page, index)
    try:
        yield annotation
    finally:
        if annotation:
            library().FPDFPage_CloseAnnot(annotation)


class _Reader:
    """Sorts the annotations of one page."""

    def __init__(self, document: int) -> None:
        self.document = document
        self.links: list[LinkArea] = []
        self.drawn: list[Drawn] = []
        self.unshown: list[Hidden] = []
        self.has_appearances = self.layered = False
        self._seen = 0

    def read(self, annotation: int) -> None:
        self._seen += 1
        kind = library().FPDFAnnot_GetSubtype(annotation)
        shown = not library().FPDFAnnot_GetFlags(annotation) & (_HIDDEN | _NO_VIEW)
        if kind == _LINK:
            self._set_aside(annotation, "attribute", b"Contents")
            if shown:
                self.links += _areas(self.document, annotation, self._seen)
        elif kind == _WIDGET:
            self._set_aside(annotation, "attribute", b"TU")
            self._filled_in(annotation, "form_value", b"V", shown=shown and _is_written(annotation))
        else:
            self._filled_in(annotation, "metadata", b"Contents", shown=shown and kind == _FREE_TEXT)
        is_drawn = shown and kind not in _MARKUP and kind not in (_LINK, _POPUP)
        library().FPDFAnnot_SetFlags(annotation, 0 if is_drawn else _HIDDEN)
        if is_drawn and library().FPDFAnnot_HasKey(annotation, b"AP"):
            self.has_appearances = True
            self.layered |= bool(library().FPDFAnnot_HasKey(annotation, b"OC"))

    def _filled_in(self, annotation: int, technique: Technique, key: bytes, *, shown: bool) -> None:
        """A value or comment. Viewers write it themselves when the file draws nothing for it."""
        text = _string(annotation, key)
        if text and shown and not _draws_text(annotation):
            self.drawn.append(Drawn(text, _rect(annotation)))
        else:
            self._set_aside(annotation, technique, key)

    def _set_aside(self, annotation: int, technique: Technique, key: bytes) -> None:
        text = _string(annotation, key)
        if any(map(str.isalnum, text)):
            self.unshown.append(Hidden(technique=technique, text=text))


def _is_written(annotation: int) -> bool:
    """Whether viewers show the value of this field: text and choice fields that are no password."""
    flags = c_float()
    library().FPDFAnnot_GetNumberValue(annotation, b"Ff", byref(flags))
    return _string(annotation, b"FT") in ("Tx", "Ch") and not int(flags.value) & _PASSWORD


def _draws_text(annotation: int) -> bool:
    """Forms and empty answers are left by programs that fill in values and leave the drawing to the viewer."""
    count = library().FPDFAnnot_GetObjectCount(annotation)
    kinds = (
        library().FPDFPageObj_GetType(library().FPDFAnnot_GetObject(annotation, index))
        for index in range(max(0, count))
    )
    return any(kind in (TEXT, FORM) for kind in kinds)


def _areas(document: int, annotation: int, link_number: int) -> list[LinkArea]:
    link = library().FPDFAnnot_GetLink(annotation)
    action = library().FPDFLink_GetAction(link) if link else None
    if not action or library().FPDFAction_GetType(action) != _URI_ACTION:
        return []
    buffer = create_string_buffer(4 * MAX_URL_CHARS)
    size = library().FPDFAction_GetURIPath(document, action, buffer, len(buffer))
    if not 1 < size <= len(buffer):
        return []
    url = buffer.raw[: size - 1].decode("utf_8", "replace")
    return [LinkArea(link_number, url, box) for box in _quads(link) or [_rect(annotation)]]


def _quads(link: int) -> list[Box]:
    quad, boxes = Quad(), []
    for index in range(min(library().FPDFLink_CountQuadPoints(link), 64)):
        if library().FPDFLink_GetQuadPoints(link, index, byref(quad)):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append(Box(min(xs), min(ys), max(xs), max(ys)))
    return boxes


def _rect(annotation: int) -> Box:
    rect = RectF()
    library().FPDFAnnot_GetRect(annotation, byref(rect))
    xs, ys = (rect.left, rect.right), (rect.bottom, rect.top)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _string(annotation: int, key: bytes) -> str:
    size = library().FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if not 2 < size <= _MAX_TEXT_BYTES:
        return ""
    buffer = create_string_buffer(size)
    library().FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return buffer.raw.decode("utf_16_le", "replace").rstrip("\0")
