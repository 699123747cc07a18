"""Pixels as the judge: does a text change what the page looks like?

The page is drawn twice, with the suspicious text and without it. What does not change a pixel by 24 of 255 in any
channel is not there for a reader; the figure is that of the pixel oracle that labels the test pages.
"""

import ctypes
import time
from collections.abc import Iterable
from ctypes import byref, c_int
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_PDF_RENDER_PIXELS
from guarded_webfetch.parser.pdf_objects import Box, Colour, PageObjects, Text
from guarded_webfetch.parser.pdfium import NEED_TO_PAUSE, Pause, library

VISIBLE_DIFFERENCE: Final = 24
_BGRX: Final = 3  # FPDFBitmap_BGRx
_WHITE: Final = 0xFFFFFFFF
_TO_BE_CONTINUED: Final = 1  # FPDF_RENDER_TOBECONTINUED
_DONE: Final = 2  # FPDF_RENDER_DONE
_READABLE_PIXELS: Final = 16.0  # em height at which the strokes of a letter are at least a pixel wide
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
    pixels: bytes  # BGRx, rows of 4 * area.width bytes

    def rows(self, box: tuple[int, int, int, int]) -> Iterable[bytes]:
        left, top, right, bottom = box
        for row in range(top, bottom):
            start = row * self.area.width
            yield self.pixels[4 * (start + left) : 4 * (start + right)]


class Judgement(NamedTuple):
    visible: bool
    like_ground: bool  # not visible, and its colour is that of what lies behind it
    drawn: bool  # False: no font for it is at hand, so only the colours were compared


def judge(document: int, page: int, objects: PageObjects, suspects: list[Text], deadline: float) -> list[Judgement]:
    """Whether each suspect changes the page; RenderTimeoutError when `deadline` (monotonic seconds) passes first."""
    area = _area(page, objects, suspects)
    if area is None:
        return [Judgement(True, False, True) for _ in suspects]
    drawn = _draw(page, area, deadline)
    for text in suspects:
        library().FPDFPageObj_SetIsActive(text.address, 0)
    try:
        ground = _draw(page, area, deadline)
    finally:
        for text in suspects:
            library().FPDFPageObj_SetIsActive(text.address, 1)
    judgements = []
    for text in suspects:
        if time.monotonic() >= deadline:
            raise RenderTimeoutError
        judgements.append(_judge_one(document, page, text, drawn, ground))
    return judgements


def _judge_one(document: int, page: int, text: Text, drawn: Picture, ground: Picture) -> Judgement:
    box = _pixel_box(page, text.box, drawn.area)
    if _differs(drawn, ground, box):
        return Judgement(True, False, True)
    like_ground = text.colour is not None and _share_like(ground, box, text.colour) > 0.5
    if _has_glyphs(document, page, text):
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


def _has_glyphs(document: int, page: int, text: Text) -> bool:
    """False when pdfium draws nothing for this text even on its own: no font for it is at hand."""
    bitmap = library().FPDFTextObj_GetRenderedBitmap(document, page, text.address, 2.0)
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


def _draw(page: int, area: Area, deadline: float) -> Picture:
    """The area as pixels. pdfium pauses after every hundred objects, which is where the clock is looked at."""
    stride = 4 * area.width
    buffer = ctypes.create_string_buffer(stride * area.height)
    bitmap = library().FPDFBitmap_CreateEx(area.width, area.height, _BGRX, buffer, stride)
    if not bitmap:
        raise MemoryError
    pause = Pause(1, _always_pause, None)
    try:
        library().FPDFBitmap_FillRect(bitmap, 0, 0, area.width, area.height, _WHITE)
        status = library().FPDF_RenderPageBitmap_Start(
            bitmap, page, -area.left, -area.top, area.page_width, area.page_height, 0, 0, byref(pause)
        )
        while status == _TO_BE_CONTINUED and time.monotonic() < deadline:
            status = library().FPDF_RenderPage_Continue(page, byref(pause))
    finally:
        library().FPDF_RenderPage_Close(page)
        library().FPDFBitmap_Destroy(bitmap)
    if status != _DONE:
        raise RenderTimeoutError
    return Picture(area, buffer.raw)
