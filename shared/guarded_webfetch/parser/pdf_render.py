"""Pixels as the judge: does a text change what the page looks like?

The page is drawn twice, with the suspicious text and without it. What does not change a pixel by 24 of 255 in any
channel is not there for a reader; the figure is that of the pixel oracle that labels the test pages.
"""

import ctypes
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_int
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_PDF_RENDER_PIXELS
from guarded_webfetch.parser.pdf_geometry import Box
from guarded_webfetch.parser.pdf_objects import Colour, PageObjects, Text
from guarded_webfetch.parser.pdfium import NEED_TO_PAUSE, Pause, library

VISIBLE_DIFFERENCE: Final = 24
_BGRX: Final = 3  # FPDFBitmap_BGRx
_WHITE: Final = 0xFFFFFFFF
_TO_BE_CONTINUED: Final = 1  # FPDF_RENDER_TOBECONTINUED
_DONE: Final = 2  # FPDF_RENDER_DONE
_READABLE_PIXELS: Final = 16.0  # em height at which the strokes of a letter are at least a pixel wide
_MAX_FONTS: Final = 100  # of one page
_SHARED: Final = 0.2  # of its box lies under another text
_MAX_ENTANGLED_AMONG: Final = 500  # compared with each other
_MAX_ALONE: Final = 8  # drawn once more without only this one
_SAMPLES: Final = 2  # texts of a font
_SCALES: Final = (0.25, 4.0)

_always_pause = NEED_TO_PAUSE(lambda _: 1)  # made at import: a locked process may map no executable page


class RenderTimeoutError(Exception):
    """Drawing took longer than its share."""


class Area(NamedTuple):
    """The part of the page that is drawn, and how large."""

    page_width: int  # pixels of the whole page
    page_height: int
    left: int
    top: int
    width: int
    height: int


class Picture(NamedTuple):
    area: Area
    stride: int  # bytes of a row
    pixels: memoryview  # BGRx; gone when the picture's `with` ends

    def rows(self, box: tuple[int, int, int, int]) -> Iterator[bytes]:
        left, top, right, bottom = box
        for row in range(top, bottom):
            start = row * self.stride
            yield bytes(self.pixels[start + 4 * left : start + 4 * right])


class Canvas(NamedTuple):
    """A loaded page, and until when (monotonic seconds) it may be drawn."""

    document: int
    page: int
    deadline: float


class Fonts(NamedTuple):
    """Fonts of a page, by address."""

    drawing: frozenset[int]
    blank: frozenset[int]  # in the file, and its letters leave no trace


class Judgement(NamedTuple):
    visible: bool
    like_ground: bool  # not visible, and its colour is that of what lies behind it
    drawn: bool  # False: no font for it is at hand, so only the colours were compared


def judge_fonts(canvas: Canvas, texts: list[Text]) -> Fonts:
    """Draws a little of every font that the file brings along: one of empty letters hides text from people only."""
    samples: dict[int, list[Text]] = defaultdict(list)
    for text in texts:
        if not text.blended and text.font:
            samples[text.font].append(text)
    needs_all = any(text.blended for text in texts)
    drawing, blank = set(), set()
    for font, found in list(samples.items())[:_MAX_FONTS]:
        embedded = library().FPDFFont_GetIsEmbedded(font) == 1
        if not (embedded or needs_all) or time.monotonic() >= canvas.deadline:
            continue
        if any(_has_glyphs(canvas, text) for text in sorted(found, key=_width)[-_SAMPLES:]):
            drawing.add(font)
        elif embedded:
            blank.add(font)
    return Fonts(frozenset(drawing), frozenset(blank))


def _width(text: Text) -> float:
    return text.box.right - text.box.left


def judge(canvas: Canvas, objects: PageObjects, suspects: list[Text], fonts: Fonts) -> list[Judgement]:
    """Whether each suspect changes the page; RenderTimeoutError when its time passes first."""
    area = _area(canvas.page, objects, suspects)
    if area is None:
        return [Judgement(True, False, True) for _ in suspects]
    with _draw(canvas, area) as drawn:
        with _draw_without(canvas, area, suspects) as ground:
            judgements = []
            for text in suspects:
                if time.monotonic() >= canvas.deadline:
                    raise RenderTimeoutError
                judgements.append(_judge_one(canvas, text, drawn, ground, fonts))
        gone: list[Text] = []  # what turned out to show nothing; of two texts in one place one stays
        for at in _entangled(suspects, judgements):
            with _draw_without(canvas, area, [*gone, suspects[at]]) as ground:
                judgements[at] = _judge_one(canvas, suspects[at], drawn, ground, fonts)
            gone += [] if judgements[at].visible else [suspects[at]]
        return judgements


def _entangled(suspects: list[Text], judgements: list[Judgement]) -> list[int]:
    """Those that may seem visible only because others, taken away with them, lie in the same place."""
    visible = [at for at, judgement in enumerate(judgements) if judgement.visible]
    if len(visible) > _MAX_ENTANGLED_AMONG:
        return []
    boxes = [suspects[at].box for at in visible]
    found = [
        at
        for at, box in zip(visible, boxes, strict=True)
        if any(box is not other and box.common(other).area() > _SHARED * box.area() > 0 for other in boxes)
    ]
    return found[:_MAX_ALONE]


@contextmanager
def _draw_without(canvas: Canvas, area: Area, texts: list[Text]) -> Iterator[Picture]:
    with ExitStack() as picture:
        _set_active(texts, 0)
        try:
            ground = picture.enter_context(_draw(canvas, area))
        finally:
            _set_active(texts, 1)
        yield ground


def _set_active(texts: list[Text], active: int) -> None:
    for text in texts:
        library().FPDFPageObj_SetIsActive(text.address, active)


def _judge_one(canvas: Canvas, text: Text, drawn: Picture, ground: Picture, fonts: Fonts) -> Judgement:
    box = _pixel_box(canvas.page, text.box, drawn.area)
    if _differs(drawn, ground, box):
        return Judgement(True, False, True)
    like_ground = text.colour is not None and _share_like(ground, box, text.colour) > 0.5
    # A soft mask also empties the text drawn on its own, so there the font has to speak for it.
    if _has_glyphs(canvas, text) or (text.blended and text.font in fonts.drawing):
        return Judgement(False, like_ground, True)
    return Judgement(not like_ground, like_ground, False)


def _differs(one: Picture, other: Picture, box: tuple[int, int, int, int]) -> bool:
    return any(
        first != second and any(abs(x - y) >= VISIBLE_DIFFERENCE for x, y in zip(first, second, strict=True) if x != y)
        for first, second in zip(one.rows(box), other.rows(box), strict=True)
    )


def _share_like(picture: Picture, box: tuple[int, int, int, int], colour: Colour) -> float:
    """The share of pixels in (at most 40 rows of) the box that nobody tells from `colour`."""
    red, green, blue = colour
    like = total = 0
    rows = list(picture.rows(box))
    for row in rows[:: 1 + len(rows) // 40]:
        pixels = list(zip(row[0::4], row[1::4], row[2::4], strict=True))
        total += len(pixels)
        like += sum(
            abs(b - blue) < VISIBLE_DIFFERENCE
            and abs(g - green) < VISIBLE_DIFFERENCE
            and abs(r - red) < VISIBLE_DIFFERENCE
            for b, g, r in pixels
        )
    return like / total if total else 0.0


def _has_glyphs(canvas: Canvas, text: Text) -> bool:
    """False when pdfium draws nothing for this text even on its own: no font for it is at hand."""
    bitmap = library().FPDFTextObj_GetRenderedBitmap(
        canvas.document, canvas.page, text.address, min(2.0, _READABLE_PIXELS / max(text.size, 1.0))
    )
    if not bitmap:
        return False
    try:
        size = library().FPDFBitmap_GetStride(bitmap) * library().FPDFBitmap_GetHeight(bitmap)
        data = ctypes.string_at(library().FPDFBitmap_GetBuffer(bitmap), size)
    finally:
        library().FPDFBitmap_Destroy(bitmap)
    return any(data)


def _area(page: int, objects: PageObjects, suspects: list[Text]) -> Area | None:
    """The smallest part of the page that shows all suspects, letters large enough to judge; None without a size."""
    wanted = [text.box.common(objects.box) for text in suspects if not text.box.apart(objects.box)]
    if not wanted:
        return None
    size = min(max(text.size, 1.0) for text in suspects)
    scale = min(max(_READABLE_PIXELS / size, 1.0), _SCALES[1])
    box = Box(
        min(b.left for b in wanted),
        min(b.bottom for b in wanted),
        max(b.right for b in wanted),
        max(b.top for b in wanted),
    )
    pixels = (box.right - box.left + 4) * (box.top - box.bottom + 4) * scale * scale
    if pixels > MAX_PDF_RENDER_PIXELS:
        scale *= (MAX_PDF_RENDER_PIXELS / pixels) ** 0.5
    if scale < _SCALES[0]:
        return None
    width = library().FPDF_GetPageWidthF(page) * scale
    height = library().FPDF_GetPageHeightF(page) * scale
    if not (1 <= width < 2**30 and 1 <= height < 2**30):
        return None
    whole = Area(round(width), round(height), 0, 0, round(width), round(height))
    left, top, right, bottom = _pixel_box(page, box, whole)
    if right <= left or bottom <= top:
        return None
    return whole._replace(left=left, top=top, width=right - left, height=bottom - top)


def _pixel_box(page: int, box: Box, area: Area) -> tuple[int, int, int, int]:
    """left, top, right, bottom in pixels of the area, one pixel of margin, cut at its edges."""
    x, y = c_int(), c_int()
    xs, ys = [], []
    for corner in ((box.left, box.bottom), (box.right, box.top)):
        library().FPDF_PageToDevice(
            page, -area.left, -area.top, area.page_width, area.page_height, 0, *corner, byref(x), byref(y)
        )
        xs.append(x.value)
        ys.append(y.value)
    return (
        min(max(min(xs) - 1, 0), area.width),
        min(max(min(ys) - 1, 0), area.height),
        max(min(max(xs) + 2, area.width), 0),
        max(min(max(ys) + 2, area.height), 0),
    )


@contextmanager
def _draw(canvas: Canvas, area: Area) -> Iterator[Picture]:
    """The area as pixels, in pdfium's own memory: a copy of 32 MB would cost more than drawing a plain page."""
    bitmap = library().FPDFBitmap_CreateEx(area.width, area.height, _BGRX, None, 0)
    if not bitmap:
        raise MemoryError
    try:
        library().FPDFBitmap_FillRect(bitmap, 0, 0, area.width, area.height, _WHITE)
        _render(bitmap, canvas, area)
        stride = library().FPDFBitmap_GetStride(bitmap)
        pixels = (ctypes.c_char * (stride * area.height)).from_address(library().FPDFBitmap_GetBuffer(bitmap))
        yield Picture(area, stride, memoryview(pixels))
    finally:
        library().FPDFBitmap_Destroy(bitmap)


def _render(bitmap: int, canvas: Canvas, area: Area) -> None:
    """pdfium pauses after every hundred objects, which is where the clock is looked at."""
    pause = Pause(1, _always_pause, None)
    try:
        status = library().FPDF_RenderPageBitmap_Start(
            bitmap, canvas.page, -area.left, -area.top, area.page_width, area.page_height, 0, 0, byref(pause)
        )
        while status == _TO_BE_CONTINUED and time.monotonic() < canvas.deadline:
            status = library().FPDF_RenderPage_Continue(canvas.page, byref(pause))
    finally:
        library().FPDF_RenderPage_Close(canvas.page)
    if status != _DONE:
        raise RenderTimeoutError
