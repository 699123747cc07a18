"""Where characters stand on a PDF page, in page units, and how far along the page a line is."""

from ctypes import byref, c_double
from math import cos, pi, sin
from typing import Final

from guarded_webfetch.parser.pdf_geometry import Box
from guarded_webfetch.parser.pdfium import RectF, library

_SIDEWAYS: Final = 0.7  # of the sine: nearer to upright than to flat


class Positions:
    """Answers by the character's number on the page; text that is on no page gets a negative number from `add`."""

    def __init__(self, text_page: int) -> None:
        self._text_page = text_page
        self._x, self._y, self._rect = c_double(), c_double(), RectF()
        self._added: list[Box] = []
        self.in_columns: set[int] = set()  # characters of vertical text

    def add(self, box: Box) -> int:
        """A number for text that is written into `box` without being a character of the page."""
        self._added.append(box)
        return -len(self._added)

    def box(self, index: int) -> Box:
        """The character from ascent to descent."""
        if index < 0:
            return self._added[-index - 1]
        rect = self._rect
        library().FPDFText_GetLooseCharBox(self._text_page, index, byref(rect))
        return Box(rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top))

    def angle(self, index: int) -> float:
        """Of the writing direction, in radians against the clock; 0 where nothing is known.

        A column counts as a line written downwards: the next one stands further left, "below" it.
        """
        if index in self.in_columns:
            return -pi / 2
        return 0.0 if index < 0 else -max(0.0, float(library().FPDFText_GetCharAngle(self._text_page, index)))

    def origin(self, index: int) -> tuple[float, float]:
        """Where the pen stands before the character."""
        if index < 0:
            return self._added[-index - 1][:2]
        library().FPDFText_GetCharOrigin(self._text_page, index, byref(self._x), byref(self._y))
        return self._x.value, self._y.value

    def advance(self, index: int, angle: float) -> float:
        """How far up the page the baseline is, seen along `angle`: a line further down has less."""
        x, y = self.origin(index)
        return y * cos(angle) - x * sin(angle) if angle else y

    def height(self, index: int, angle: float) -> float:
        """From descent to ascent, also of a character that lies on its side."""
        box = self.box(index)
        return box.right - box.left if abs(sin(angle)) > _SIDEWAYS else box.top - box.bottom
