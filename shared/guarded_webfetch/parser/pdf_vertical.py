"""Text that runs from top to bottom: Japanese columns, and lines turned with the clock.

pdfium reads text by horizontal lines. It puts what stands at one height in order from left to right, which turns such text
around, and it leaves text without a width out: that is what a column has whose font is not in the file.
"""

from collections.abc import Sequence
from typing import Final

from guarded_webfetch.parser.pdf_fields import Character
from guarded_webfetch.parser.pdf_objects import NO_WIDTH_PT, Text
from guarded_webfetch.parser.pdf_positions import Positions
from guarded_webfetch.parser.pdfium import library

_FILL_AND_STROKE: Final = 2
_SAME_LINE: Final = 0.5  # heights of a letter
_SPACE: Final = 0.15


def widen(texts: Sequence[Text]) -> None:
    """Gives columns without a width the width of a stroke. Afterwards the page must not be drawn any more."""
    for text in texts:
        if text.column and text.box.right - text.box.left < NO_WIDTH_PT:
            library().FPDFTextObj_SetTextRenderMode(text.address, _FILL_AND_STROKE)
            library().FPDFPageObj_SetStrokeWidth(text.address, 1.0)
            library().FPDFPageObj_Transform(text.address, 1, 0, 0, 1, 0, 0)


def in_lines(pieces: Sequence[list[Character]], positions: Positions) -> list[Character]:
    """The characters of such texts, given in drawing order, as lines."""
    lines: list[Character] = []
    for piece in pieces:
        words = _stripped(piece)
        if not words:
            continue
        if positions.angle(words[0][1]) == 0.0:
            positions.in_columns.update(index for _, index in words)
        if lines:
            lines.append((_between(lines[-1][1], words[0][1], positions), lines[-1][1]))
        lines += words
    return [character for character in lines if character[0]]


def _stripped(piece: list[Character]) -> list[Character]:
    """Without the white space that pdfium put around it."""
    kept = [at for at, (character, _) in enumerate(piece) if not character.isspace()]
    return [pair for pair in piece[kept[0] : kept[-1] + 1] if pair[0] not in "\r\n"] if kept else []


def _between(before: int, after: int, positions: Positions) -> str:
    """What parts two pieces of text: a line end, a space or nothing."""
    angle = positions.angle(after)
    height = positions.height(after, angle)
    gap = positions.box(before).bottom - positions.box(after).top
    aside = abs(positions.advance(before, angle) - positions.advance(after, angle))
    if aside > _SAME_LINE * height or gap < -_SAME_LINE * height:
        return "\n"
    return " " if after not in positions.in_columns and gap > _SPACE * height else ""
