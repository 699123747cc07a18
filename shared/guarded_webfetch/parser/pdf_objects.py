"""What a PDF page draws, in drawing order: text, filled shapes and images, with boxes in page units."""

from collections.abc import Callable
from ctypes import byref, c_char_p, c_float, c_int, c_uint, c_ulong, create_string_buffer
from math import hypot
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_PDF_PAGE_OBJECTS
from guarded_webfetch.parser.pdf_geometry import Affine, Box, multiply, place
from guarded_webfetch.parser.pdfium import Matrix, RectF, library

TEXT: Final = 1  # FPDF_PAGEOBJ_*
PATH: Final = 2
IMAGE: Final = 3
SHADING: Final = 4
FORM: Final = 5
NO_FILL: Final = 0  # FPDF_FILLMODE_NONE
STROKE_ONLY_MODES: Final = (1, 5)
_MAX_FORM_DEPTH: Final = 16
_THICK_LINE_PT: Final = 3.0
NO_WIDTH_PT: Final = 0.01  # of a column whose font is not in the file; any other text has the widths of its letters
_COLUMN: Final = 1.8  # letters; one horizontal letter is at most one and a half high
_MAX_CLIP_POINTS: Final = 64
_MAX_MARKS: Final = 32  # around one object, the innermost; tagged files nest a handful
_MARK_NAME_BYTES: Final = 64
_MARK_TEXT_BYTES: Final = 65_536

Colour = tuple[int, int, int]


class Mark(NamedTuple):
    """A marked-content mark; `address` tells two marks of the same name apart."""

    address: int
    name: str
    actual_text: str
    alternative: str  # Alt and E: read aloud in place of what is shown, never shown


class Text(NamedTuple):
    """One text object: everything that one Tj or TJ operator shows."""

    address: int
    order: int
    box: Box
    size: float  # points: font size times the text matrix, the smaller of height and width
    mode: int  # text rendering mode, ISO 32000 table 106
    colour: Colour | None  # null when the colour is a pattern
    alpha: int  # 0-255
    marks: list[Mark]
    clip: Box | None
    in_form: bool
    column: bool  # Japanese from top to bottom: the box is higher than any horizontal text, though not turned
    downwards: bool  # a column, or turned by a quarter with the clock
    blended: bool  # soft mask, blend mode or alpha: its colour alone tells nothing
    font: int  # address
    in_annotation: bool  # drawn by an annotation that was made part of the page


class Shape(NamedTuple):
    """A filled path, a broad line, an image or a shading: something text can stand on or be covered by."""

    order: int
    box: Box
    kind: int
    colour: Colour | None  # null when it is not one colour
    alpha: int


class PageObjects(NamedTuple):
    box: Box  # what of the page is shown: the crop box within the media box
    texts: list[Text]
    shapes: list[Shape]
    alternatives: list[str]  # what marks say in place of text and images
    complete: bool  # False: more objects than are looked at


def scan_page(page: int, own_objects: int | None = None) -> PageObjects:
    """All objects of a loaded page, forms opened up, at most MAX_PDF_PAGE_OBJECTS.

    `own_objects` is how many the page had before annotations were made part of it; None when none were.
    """
    scan = _Scan(own_objects)
    count = library().FPDFPage_CountObjects(page)
    scan.level(page, count, library().FPDFPage_GetObject, None, 0)
    return PageObjects(page_box(page), scan.texts, scan.shapes, scan.alternatives(), scan.complete)


def page_box(page: int) -> Box:
    rect = RectF()
    library().FPDF_GetPageBoundingBox(page, byref(rect))
    return Box(rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top))


class _Scan:
    """One pass over a page. The out-parameters are allocated once: this loop is the main cost of an ordinary page."""

    def __init__(self, own_objects: int | None) -> None:
        self.library = library()
        self._own_objects = own_objects
        self._in_annotation = False
        self.texts: list[Text] = []
        self.shapes: list[Shape] = []
        self.complete = True
        self._seen = 0
        self._marks: dict[int, Mark] = {}
        self._matrix, self._fill_mode, self._stroked = Matrix(), c_int(), c_int()
        self._floats, self._colours = [c_float() for _ in range(4)], [c_uint() for _ in range(4)]
        self._float_refs, self._colour_refs = [byref(f) for f in self._floats], [byref(c) for c in self._colours]

    def alternatives(self) -> list[str]:
        return [mark.alternative for mark in self._marks.values() if mark.alternative]

    def level(self, owner: int, count: int, get: Callable[[int, int], int], outer: Affine | None, depth: int) -> None:
        kind_of = self.library.FPDFPageObj_GetType
        for index in range(count):
            if depth == 0 and self._own_objects is not None:
                self._in_annotation = index >= self._own_objects
            self._seen += 1
            if self._seen > MAX_PDF_PAGE_OBJECTS:
                self.complete = False
                return
            address = get(owner, index)
            kind = kind_of(address)
            if kind == TEXT:
                self._text(address, outer)
            elif kind == FORM:
                self._form(address, outer, depth)
            elif kind in (PATH, IMAGE, SHADING):
                self._shape(address, kind, outer)

    def _form(self, address: int, outer: Affine | None, depth: int) -> None:
        if depth >= _MAX_FORM_DEPTH:
            self.complete = False
            return
        count = self.library.FPDFFormObj_CountObjects(address)
        inner = multiply(self._matrix_of(address), outer)
        self.level(address, count, self.library.FPDFFormObj_GetObject, inner, depth + 1)

    def _text(self, address: int, outer: Affine | None) -> None:
        mode = self.library.FPDFTextObj_GetTextRenderMode(address)
        a, b, c, d, _, _ = multiply(self._matrix_of(address), outer)
        self.library.FPDFTextObj_GetFontSize(address, self._float_refs[0])
        font_size = abs(self._floats[0].value)
        height, width = font_size * hypot(c, d), font_size * hypot(a, b)
        box = self._box(address, outer)
        box_width, box_height = box.right - box.left, box.top - box.bottom
        is_high = box_height > (_COLUMN * height if box_width >= NO_WIDTH_PT else 0.0) and box_width < _COLUMN * width
        is_column = is_high and abs(b) < 0.1 * abs(a)
        colour, alpha = self._colour(address, stroke=mode in STROKE_ONLY_MODES)
        self.texts.append(
            Text(
                address,
                self._seen,
                box,
                min(height, width),
                mode,
                colour,
                alpha,
                self._marks_of(address),
                self._clip(address, outer),
                outer is not None,
                is_column,
                is_column or -b > abs(a),
                bool(self.library.FPDFPageObj_HasTransparency(address)),
                self.library.FPDFTextObj_GetFont(address) or 0,
                self._in_annotation,
            )
        )

    def _shape(self, address: int, kind: int, outer: Affine | None) -> None:
        colour, alpha = None, 255
        if kind == IMAGE:
            self._marks_of(address)
        if kind == PATH:
            self.library.FPDFPath_GetDrawMode(address, byref(self._fill_mode), byref(self._stroked))
            is_stroke = self._fill_mode.value == NO_FILL
            if is_stroke and not self._is_thick(address):
                return
            colour, alpha = self._colour(address, stroke=is_stroke)
        self.shapes.append(Shape(self._seen, self._box(address, outer), kind, colour, alpha))

    def _is_thick(self, address: int) -> bool:
        """Whether a line is as broad as a bar; frames and underlines are not."""
        self.library.FPDFPageObj_GetStrokeWidth(address, self._float_refs[0])
        return bool(self._stroked.value) and self._floats[0].value > _THICK_LINE_PT

    def _matrix_of(self, address: int) -> Affine:
        matrix = self._matrix
        if not self.library.FPDFPageObj_GetMatrix(address, byref(matrix)):
            return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)

    def _box(self, address: int, outer: Affine | None) -> Box:
        if not self.library.FPDFPageObj_GetBounds(address, *self._float_refs):
            return Box(0, 0, 0, 0)
        return place(Box(*(f.value for f in self._floats)), outer)

    def _colour(self, address: int, *, stroke: bool) -> tuple[Colour | None, int]:
        get = self.library.FPDFPageObj_GetStrokeColor if stroke else self.library.FPDFPageObj_GetFillColor
        if not get(address, *self._colour_refs):
            return None, 255
        red, green, blue, alpha = (c.value for c in self._colours)
        return (red, green, blue), alpha

    def _clip(self, address: int, outer: Affine | None) -> Box | None:
        """The box of the clip path, None without one. Paths with many points count as no clip: a box would not tell."""
        clip = self.library.FPDFPageObj_GetClipPath(address)
        paths = self.library.FPDFClipPath_CountPaths(clip) if clip else 0
        box = None
        for path in range(max(0, min(paths, 8))):
            part = self._clip_path(clip, path)
            if part is not None:
                box = part if box is None else box.common(part)
        return None if box is None else place(box, outer) if box.left <= box.right and box.bottom <= box.top else box

    def _clip_path(self, clip: int, path: int) -> Box | None:
        count = self.library.FPDFClipPath_CountPathSegments(clip, path)
        if not 0 < count <= _MAX_CLIP_POINTS:
            return None
        xs, ys = [], []
        for index in range(count):
            segment = self.library.FPDFClipPath_GetPathSegment(clip, path, index)
            self.library.FPDFPathSegment_GetPoint(segment, self._float_refs[0], self._float_refs[1])
            xs.append(self._floats[0].value)
            ys.append(self._floats[1].value)
        return Box(min(xs), min(ys), max(xs), max(ys))

    def _marks_of(self, address: int) -> list[Mark]:
        count = self.library.FPDFPageObj_CountMarks(address)
        if count > _MAX_MARKS:
            self.complete = False
        inner = range(max(0, count - _MAX_MARKS), max(0, count))
        return [self._mark(self.library.FPDFPageObj_GetMark(address, index)) for index in inner]

    def _mark(self, address: int) -> Mark:
        if address not in self._marks:
            name, texts = self._mark_name(address), ("", "")
            if not self._only_numbered(address):
                texts = (
                    self._parameter(address, b"ActualText"),
                    self._parameter(address, b"Alt") or self._parameter(address, b"E"),
                )
            self._marks[address] = Mark(address, name, *texts)
        return self._marks[address]

    def _only_numbered(self, mark: int) -> bool:
        """Most marks only tie their content to the structure tree."""
        count = self.library.FPDFPageObjMark_CountParams(mark)
        get_number = self.library.FPDFPageObjMark_GetParamIntValue
        return count <= 0 or (count == 1 and bool(get_number(mark, b"MCID", byref(self._fill_mode))))

    def _mark_name(self, mark: int) -> str:
        buffer, length = create_string_buffer(_MARK_NAME_BYTES), c_ulong()
        if not self.library.FPDFPageObjMark_GetName(mark, buffer, _MARK_NAME_BYTES, byref(length)):
            return ""
        return _utf16(buffer.raw[: length.value])

    def _parameter(self, mark: int, name: bytes) -> str:
        length, key = c_ulong(), c_char_p(name)
        get = self.library.FPDFPageObjMark_GetParamStringValue
        if not get(mark, key, None, 0, byref(length)) or not 0 < length.value <= _MARK_TEXT_BYTES:
            return ""
        buffer = create_string_buffer(length.value)
        get(mark, key, buffer, length.value, byref(length))
        return _utf16(buffer.raw)


def _utf16(data: bytes) -> str:
    return data.decode("utf_16_le", "replace").rstrip("\0")
