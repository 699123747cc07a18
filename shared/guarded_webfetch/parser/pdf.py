"""PDF bytes into blocks: one page block before the paragraphs of each page, hidden text set apart."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from guarded_webfetch.core.limits import (
    MAX_HIDDEN_CHARS,
    MAX_PDF_PAGES,
    MAX_TEXT_CHARS,
    PDF_DEADLINE_S,
    PDF_RENDER_S,
    SNIFF_BYTES,
)
from guarded_webfetch.core.messages import Block, Hidden, Markup, Parsed, ParseOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.links import LinkTable
from guarded_webfetch.parser.pdf_actual_text import replace_lies
from guarded_webfetch.parser.pdf_annotations import Annotations, flatten, read_annotations
from guarded_webfetch.parser.pdf_characters import Apart, PageTextError, read_lines
from guarded_webfetch.parser.pdf_hidden import Findings, find_hidden, image_share
from guarded_webfetch.parser.pdf_information import information, largest_lines, one_line, outline, unseen
from guarded_webfetch.parser.pdf_lines import blocks_of, with_headings
from guarded_webfetch.parser.pdf_links import LinkMarker
from guarded_webfetch.parser.pdf_objects import PageObjects, scan_page
from guarded_webfetch.parser.pdf_render import Canvas
from guarded_webfetch.parser.pdf_text import fold, normalise
from guarded_webfetch.parser.pdf_vertical import widen
from guarded_webfetch.parser.pdfium import library

_MAGIC: Final = b"%PDF-"
_PASSWORD_ERRORS: Final = (4, 5)  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY
_STOP_EARLIER_S: Final = 1.0  # so that what was read arrives before the broker's own deadline
_STOP_EARLIER_SHARE: Final = 0.25  # of the time there is, when that is less
_ENOUGH_CHARS: Final = 2 * MAX_TEXT_CHARS  # the sanitizer cuts at the limit; beyond twice that nothing can be delivered
_SCANNED_SHARE: Final = 0.3  # of a page without text under images: a scan, not a blank page with a logo
_MAX_BLOCKS: Final = 50_000  # one word each, more than MAX_TEXT_CHARS lets through
_MAX_HIDDEN_PIECES: Final = 10_000
_XFA_ONLY: Final = 2  # FORMTYPE_XFA_FULL: the pages in the file are a stand-in for what a form program draws
_WARM_CODECS: Final = ("utf_16_le", "utf_8", "ascii", "latin_1", "idna")


def warm_pdf() -> None:
    """Loads the library and every codec reading needs; after it no file is opened and no module imported."""
    library()
    for codec in _WARM_CODECS:
        b"".decode(codec)
        "".encode(codec)


def parse_pdf(body: bytes, order: ParseOrder) -> Parsed:
    """The text of a PDF. Refusal: pdf_broken, pdf_encrypted, pdf_no_text, resource_limit.

    Pages beyond the page limit, pages that cannot be loaded and pages out of time leave markup.truncated set.
    """
    seconds = min(PDF_DEADLINE_S, order.get("seconds", PDF_DEADLINE_S))
    stop = time.monotonic() + seconds - min(_STOP_EARLIER_S, seconds * _STOP_EARLIER_SHARE)
    try:
        with _opened(body) as document:
            reader = _Reader(document, order["base_url"], has_layers=_may_have_layers(body), stop=stop)
            reader.read_pages()
            return reader.parsed(truncated=order["truncated"])
    except MemoryError:
        raise Refusal("resource_limit") from None


@contextmanager
def _opened(body: bytes) -> Iterator[int]:
    if _MAGIC not in body[: SNIFF_BYTES + len(_MAGIC) - 1]:
        raise Refusal("pdf_broken")
    document = library().FPDF_LoadMemDocument64(body, len(body), None)
    if not document:
        # Some damaged files fail with error code 0, so every other code means damaged.
        raise Refusal("pdf_encrypted" if library().FPDF_GetLastError() in _PASSWORD_ERRORS else "pdf_broken")
    try:
        yield document
    finally:
        library().FPDF_CloseDocument(document)


@contextmanager
def _loaded(document: int, index: int) -> Iterator[int]:
    page = library().FPDF_LoadPage(document, index) or 0
    try:
        yield page
    finally:
        if page:
            library().FPDF_ClosePage(page)


def _may_have_layers(body: bytes) -> bool:
    """Optional content is named in the catalog, which may lie in a compressed object stream."""
    return b"/OCProperties" in body or b"/ObjStm" in body


class _Reader:
    """Reads page after page until the document, a limit or the time ends."""

    def __init__(self, document: int, base_url: str, *, has_layers: bool, stop: float) -> None:
        self.document = document
        self.blocks: list[Block] = []
        self.hidden: list[Hidden] = []
        self.title = ""
        self._links = LinkTable(base_url)
        self._marker = LinkMarker(self._links)
        self._outline = outline(document)
        self._has_layers = has_layers
        self._stop = stop
        self._render_left_s = PDF_RENDER_S
        self._chars = self._hidden_chars = 0
        self._failed_pages = self._scanned_pages = 0
        self._cut = self._timeout = False
        self._scan_layer = self._check_incomplete = False

    def read_pages(self) -> None:
        count = library().FPDF_GetPageCount(self.document)
        self._cut = count > MAX_PDF_PAGES
        for index in range(min(count, MAX_PDF_PAGES)):
            if time.monotonic() >= self._stop:
                self._timeout = True
                return
            if self._chars > _ENOUGH_CHARS or len(self.blocks) > _MAX_BLOCKS:
                self._cut = True
                return
            self._page(index)

    def _page(self, index: int) -> None:
        self.blocks.append(Block(kind="page", text=str(index + 1), spans=[]))
        with _loaded(self.document, index) as page:
            if not page:
                self._failed_pages += 1
                return
            annotations = read_annotations(self.document, page)
            own_objects = library().FPDFPage_CountObjects(page)
            flattened = annotations.has_appearances and flatten(page)
            if not flattened:
                self._texts(index, page, annotations, None)
        self._cut |= not annotations.complete or flattened != annotations.has_appearances
        self._check_incomplete |= annotations.layered
        if flattened:
            with _loaded(self.document, index) as page:
                self._texts(index, page, annotations, own_objects)

    def _texts(self, index: int, page: int, annotations: Annotations, own_objects: int | None) -> None:
        objects = scan_page(page, own_objects)
        self._keep_hidden(replace_lies(self.document, index, page, objects))
        found = self._judged(page, objects)
        shown = [text for text in objects.texts if text.address not in found.techniques]
        widen(shown)
        apart = Apart(
            found.techniques,
            found.edges,
            {text.address: text.order for text in shown if text.downwards},
            frozenset(text.address for text in objects.texts if text.in_annotation),
            annotations.drawn,
        )
        self._marker.start_page(annotations.links)
        try:
            lines, hidden = read_lines(page, objects.texts, apart, self._marker)
        except PageTextError:
            self._failed_pages += 1
            return
        self._keep_hidden(hidden)
        blocks = list(blocks_of(with_headings(lines, self._outline[index])))
        self._keep_blocks(blocks)
        self.title = self.title or largest_lines(lines)
        pieces = annotations.unshown + [Hidden(technique="attribute", text=text) for text in objects.alternatives]
        if pieces:
            self._keep_hidden(unseen(pieces, fold("".join(block["text"] for block in blocks))))
        self._scanned_pages += not blocks and image_share(objects) >= _SCANNED_SHARE

    def _judged(self, page: int, objects: PageObjects) -> Findings:
        started = time.monotonic()
        deadline = min(self._stop, started + self._render_left_s)
        found = find_hidden(Canvas(self.document, page, deadline), objects, has_layers=self._has_layers)
        self._render_left_s -= time.monotonic() - started
        self._scan_layer |= found.scan_layer
        self._check_incomplete |= found.incomplete
        return found

    def _keep_blocks(self, blocks: list[Block]) -> None:
        for block in blocks:
            for _, start, end, number in block["spans"]:
                self._links.add_text(number, block["text"][start:end])
        self._chars += sum(len(block["text"]) for block in blocks)
        self.blocks += blocks[:_MAX_BLOCKS]
        self._cut |= len(blocks) > _MAX_BLOCKS

    def _keep_hidden(self, pieces: list[Hidden]) -> None:
        for piece in pieces:
            room = MAX_HIDDEN_CHARS - self._hidden_chars
            if room > 0 and len(self.hidden) < _MAX_HIDDEN_PIECES:
                self.hidden.append(Hidden(technique=piece["technique"], text=normalise(piece["text"])[:room]))
            self._hidden_chars += len(piece["text"])

    def parsed(self, *, truncated: bool) -> Parsed:
        if not self._chars:
            raise Refusal(self._why_empty())
        title = self._believed_title()
        return Parsed(
            charset=None,
            title=title or None,
            blocks=self.blocks,
            links=self._links.rows(),
            hidden=self.hidden,
            markup=self._markup(truncated=truncated),
            source=None,
            source_truncated=False,
            extractor="pdf",
            kept_permille=1000,
        )

    def _believed_title(self) -> str:
        """The title of the document information when a page says it, else the largest line of the first page with text."""
        facts = information(self.document)
        entries = [title for page in self._outline.values() for title, _ in page]
        if not facts and not entries:
            return self.title
        text = fold("".join(block["text"] for block in self.blocks))
        self._keep_hidden(
            unseen([Hidden(technique="metadata", text=said) for said in [*facts.values(), *entries]], text)
        )
        title = facts.get("Title", "")
        return one_line(title) if title and fold(title) in text else self.title

    def _why_empty(self) -> str:
        if self._timeout:
            return "resource_limit"
        pages = sum(block["kind"] == "page" for block in self.blocks)
        return "pdf_broken" if self._failed_pages == pages else "pdf_no_text"

    def _markup(self, *, truncated: bool) -> Markup:
        return Markup(
            meta_refresh=False,
            likely_spa=library().FPDF_GetFormType(self.document) == _XFA_ONLY,
            depth_limited=False,
            hidden_check_incomplete=self._check_incomplete,
            active_markup=[[kind, count] for kind, count in self._links.active.items()],
            pdf_partly_scanned=self._scanned_pages > 0,
            pdf_invisible_text_layer=self._scan_layer,
            truncated=truncated or self._cut or self._timeout or self._failed_pages > 0,
        )
