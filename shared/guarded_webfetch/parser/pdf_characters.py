"""The characters of one PDF page as lines; what is hidden set apart, what annotations write put in its place."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import create_string_buffer
from itertools import groupby
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Hidden, Technique
from guarded_webfetch.parser.pdf_annotations import Drawn
from guarded_webfetch.parser.pdf_fields import Character, with_fields
from guarded_webfetch.parser.pdf_geometry import Box
from guarded_webfetch.parser.pdf_hidden import Edge
from guarded_webfetch.parser.pdf_lines import Line, lines_of
from guarded_webfetch.parser.pdf_links import LinkMarker
from guarded_webfetch.parser.pdf_objects import Text
from guarded_webfetch.parser.pdf_positions import Positions
from guarded_webfetch.parser.pdf_text import HYPHEN, normalise
from guarded_webfetch.parser.pdf_vertical import in_lines
from guarded_webfetch.parser.pdfium import library

MAX_PAGE_CHARS: Final = 500_000  # several times what MAX_TEXT_CHARS lets through
_CELL_PT: Final = 2.0  # a shadow lies closer to its letter than two of these
_HYPHEN_CODE: Final = 0x2  # HYPHEN as FPDFText_GetUnicode reports it


Place = tuple[str, int, int]  # a letter, and the cell of the page it begins in


class PageTextError(Exception):
    """pdfium cannot read the text of this page."""


class Apart(NamedTuple):
    """Which text objects are no ordinary part of the page, by address."""

    hidden: dict[int, Technique]
    edges: dict[int, Edge]
    downwards: dict[int, int]  # texts that run from top to bottom, and their place in the drawing order
    in_annotations: frozenset[int]
    drawn: list[Drawn]  # written by the viewer, in no object


class _Run(NamedTuple):
    """Neighbouring characters that are hidden in the same way; those of annotations and of text that runs downwards are
    parted by text object."""

    technique: Technique | None
    owner: int  # address of the text object then, else 0
    characters: list[Character]


def read_lines(page: int, texts: Sequence[Text], apart: Apart, marker: LinkMarker) -> tuple[list[Line], list[Hidden]]:
    """The visible lines of a loaded page and its hidden pieces. Raises PageTextError.

    Hidden texts are read on their own: of two texts with the same letters at nearly the same place pdfium keeps the first,
    which may be a shadow nobody sees.
    """
    hidden = [text for text in texts if text.address in apart.hidden]
    found = _hidden_runs(page, texts, apart) if hidden else []
    with _text_page(page, without=hidden) as text_page:
        positions = Positions(text_page)
        if not any(apart):
            return _plain_lines(text_page, positions, marker), []
        runs = _in_order(_runs(text_page, apart, positions), apart, positions)
        letters = {letter for _, places in found for letter, _, _ in places}
        shown = _places(
            (c for run in runs if run.technique is None for c in run.characters if c[0] in letters), positions
        )
        lines = _apart_lines(runs, apart, positions, marker)
    kept = [run for run, places in found if not _is_copy(places, shown)]
    together = groupby(kept, lambda run: run.technique)
    return lines, _pieces(
        [*runs, *(_Run(how, 0, [c for run in some for c in run.characters]) for how, some in together)]
    )


def _hidden_runs(page: int, texts: Sequence[Text], apart: Apart) -> list[tuple[_Run, set[Place]]]:
    """What each hidden text of a page says, with the places of its letters."""
    with _text_page(page, without=[text for text in texts if text.address not in apart.hidden]) as text_page:
        positions = Positions(text_page)
        runs = _runs(text_page, apart._replace(in_annotations=frozenset(apart.hidden)), positions)
        return [(run, _places((c for c in run.characters if c[0].isalnum()), positions)) for run in runs]


@contextmanager
def _text_page(page: int, *, without: Sequence[Text]) -> Iterator[int]:
    """The characters of a page as if some of its texts were not there."""
    for text in without:
        library().FPDFPageObj_SetIsActive(text.address, 0)
    text_page = library().FPDFText_LoadPage(page)
    for text in without:
        library().FPDFPageObj_SetIsActive(text.address, 1)
    if not text_page:
        raise PageTextError
    try:
        yield text_page
    finally:
        library().FPDFText_ClosePage(text_page)


def _plain_lines(text_page: int, positions: Positions, marker: LinkMarker) -> list[Line]:
    count = min(library().FPDFText_CountChars(text_page), MAX_PAGE_CHARS)
    if count <= 0:
        return []
    buffer = create_string_buffer(2 * count + 2)
    written = library().FPDFText_GetText(text_page, 0, count, buffer)
    text = buffer.raw[: 2 * max(0, written)].decode("utf_16_le", "replace").rstrip("\0")
    # pdfium leaves some characters (code 0) out of the text, so the two numberings drift apart.
    get_index = library().FPDFText_GetCharIndexFromTextIndex
    return lines_of(text, lambda at: get_index(text_page, at), positions, marker)


def _apart_lines(runs: list[_Run], apart: Apart, positions: Positions, marker: LinkMarker) -> list[Line]:
    """Lines of what is visible, with what annotations write."""
    visible: list[Character] = []
    gap: list[Character] = []
    fields: list[list[Character]] = []
    for run in runs:
        if run.owner in apart.in_annotations:
            fields += [run.characters] if run.technique is None else []
        elif run.technique is not None:
            gap = gap or _gap(run)
        elif run.characters:
            visible += _fitted(gap, visible, run.characters)
            gap = []
    for drawn in apart.drawn:
        index = positions.add(drawn.box)
        fields.append([(character, index) for character in normalise(drawn.text)])
    visible = with_fields(visible, fields, positions)
    text = "".join(character for character, _ in visible)
    return lines_of(text, lambda at: visible[at][1], positions, marker)


def _pieces(runs: Sequence[_Run]) -> list[Hidden]:
    """The hidden ones that hold a letter: a lone white bar or dot hides nothing from anybody; templates put them there."""
    pieces = []
    for run in runs:
        text = "".join(character for character, _ in run.characters)
        if run.technique is not None and any(map(str.isalnum, text)):
            pieces.append(Hidden(technique=run.technique, text=_surrogates_paired(normalise(text)).strip()))
    return pieces


def _places(characters: Iterable[Character], positions: Positions) -> set[Place]:
    places = set()
    for character, index in characters:
        x, y = positions.origin(index)
        places.add((character, int(x // _CELL_PT), int(y // _CELL_PT)))
    return places


def _is_copy(places: set[Place], shown: set[Place]) -> bool:
    """Whether a hidden text only says again what is shown in its place: shadows of letters are made like this."""
    return bool(places) and all(
        any((letter, column + right, row + up) in shown for right in (-1, 0, 1) for up in (-1, 0, 1))
        for letter, column, row in places
    )


def _fitted(gap: list[Character], before: list[Character], after: list[Character]) -> list[Character]:
    """`after` with the gap in front of it where it is needed, and without its first space where `before` ends with one."""
    ends_with_space = bool(before) and before[-1][0].isspace()
    if ends_with_space:
        return after[1:] if gap and after[0][0] == " " else after
    return after if after[0][0].isspace() else gap + after


def _runs(text_page: int, apart: Apart, positions: Positions) -> list[_Run]:
    """Characters that pdfium itself put in (spaces, line ends) have no text object and belong to what stands before."""
    runs: list[_Run] = [_Run(None, 0, [])]
    count = min(library().FPDFText_CountChars(text_page), MAX_PAGE_CHARS)
    get_code, get_object = library().FPDFText_GetUnicode, library().FPDFText_GetTextObject
    for index in range(count):
        code = get_code(text_page, index)
        if code == 0 or code > 0x10FFFF:
            continue
        owner = get_object(text_page, index)
        if owner:
            technique = apart.hidden.get(owner) or (
                owner in apart.edges and _beyond(apart.edges[owner], index, positions)
            )
            key = technique or None, owner if owner in apart.in_annotations or owner in apart.downwards else 0
            if key != runs[-1][:2]:
                runs.append(_Run(*key, []))
        runs[-1].characters.append((HYPHEN if code == _HYPHEN_CODE else chr(code), index))
    return runs


def _beyond(edge: Edge, index: int, positions: Positions) -> Technique | None:
    """How a character is hidden that starts more than its own height outside of what is shown."""
    x, y = positions.origin(index)
    box = positions.box(index)
    margin = box.top - box.bottom
    return edge.technique if Box(x - margin, y - margin, x + margin, y + margin).apart(edge.box) else None


def _in_order(runs: list[_Run], apart: Apart, positions: Positions) -> list[_Run]:
    """Text that runs downwards in its drawing order, all of it where the first piece stands."""
    found = [run for run in runs if run.owner in apart.downwards]
    if not found:
        return runs
    first = runs.index(found[0])
    found.sort(key=lambda run: apart.downwards[run.owner])
    pieces = [run.characters for run in found if run.technique is None]
    lines = in_lines(pieces, positions)
    line_end = [("\n", lines[0][1])] if lines else []
    hidden = [run for run in found if run.technique is not None]
    rest = [run for run in runs[first:] if run.owner not in apart.downwards]
    return [*runs[:first], _Run(None, 0, line_end + lines + line_end), *hidden, *rest]


def _gap(run: _Run) -> list[Character]:
    """What stays in place of a hidden run, so that the words around it stay apart: a line end or space out of it."""
    line_ends = [pair for pair in run.characters if pair[0] == "\n"]
    spaces = [pair for pair in run.characters if pair[0].isspace()]
    return line_ends[:1] or spaces[:1]


def _surrogates_paired(text: str) -> str:
    return text.encode("utf_16_le", "surrogatepass").decode("utf_16_le", "replace")
