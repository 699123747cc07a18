"""PDF bytes into blocks: one page block before the paragraphs of each page, hidden text set apart."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import create_string_buffer
from typing import Final

from guarded_webfetch.core.limits import (
    MAX_HIDDEN_CHARS,
    MAX_PDF_PAGES,
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    PDF_DEADLINE_S,
    PDF_RENDER_S,
    SNIFF_BYTES,
)
from guarded_webfetch.core.messages import Block, Hidden, Markup, Parsed, ParseOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.pdf_actual_text import replace_lies
from guarded_webfetch.parser.pdf_hidden import find_hidden, image_share
from guarded_webfetch.parser.pdf_objects import scan_page
from guarded_webfetch.parser.pdf_text import normalise, paragraphs, read_apart, read_lines
from guarded_webfetch.parser.pdfium import library

_MAGIC: Final = b"%PDF-"
_PASSWORD_ERRORS: Final = (4, 5)  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY
_STOP_EARLIER_S: Final = 1.0  # so that what was read arrives before the broker's own deadline
_ENOUGH_CHARS: Final = 2 * MAX_TEXT_CHARS  # the sanitizer cuts at the limit; beyond twice that nothing can be delivered
_SCANNED_SHARE: Final = 0.3  # of a page without text under images: a scan, not a blank page with a logo
_WARM_CODECS: Final = ("utf_16_le", "utf_8", "ascii", "latin_1")


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
    try:
        with _opened(body) as document:
            reader = _Reader(document, has_layers=_may_have_layers(body))
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


def _may_have_layers(body: bytes) -> bool:
    """Optional content is named in the catalog, which may lie in a compressed object stream."""
    return b"/OCProperties" in body or b"/ObjStm" in body


class _Reader:
    """Reads page after page until the document, a limit or the time ends."""

    def __init__(self, document: int, *, has_layers: bool) -> None:
        self.document = document
        self.blocks: list[Block] = []
        self.hidden: list[Hidden] = []
        self._has_layers = has_layers
        self._stop = time.monotonic() + PDF_DEADLINE_S - _STOP_EARLIER_S
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
            if self._chars > _ENOUGH_CHARS:
                self._cut = True
                return
            self._page(index)

    def _page(self, index: int) -> None:
        self.blocks.append(Block(kind="page", text=str(index + 1), spans=[]))
        page = library().FPDF_LoadPage(self.document, index)
        if not page:
            self._failed_pages += 1
            return
        try:
            self._texts(index, page)
        finally:
            library().FPDF_ClosePage(page)

    def _texts(self, index: int, page: int) -> None:
        objects = scan_page(page)
        self._keep_hidden(replace_lies(self.document, index, page, objects))
        started = time.monotonic()
        deadline = min(self._stop, started + self._render_left_s)
        found = find_hidden(self.document, page, objects, has_layers=self._has_layers, deadline=deadline)
        self._render_left_s -= time.monotonic() - started
        self._scan_layer |= found.scan_layer
        self._check_incomplete |= found.incomplete
        text_page = library().FPDFText_LoadPage(page)
        if not text_page:
            self._failed_pages += 1
            return
        try:
            lines, hidden = read_apart(text_page, found.techniques) if found.techniques else (read_lines(text_page), [])
            texts = paragraphs(lines)
        finally:
            library().FPDFText_ClosePage(text_page)
        self._keep_hidden(hidden)
        self._chars += sum(map(len, texts))
        self.blocks += [Block(kind="paragraph", text=text, spans=[]) for text in texts]
        self._scanned_pages += not texts and image_share(objects) >= _SCANNED_SHARE

    def _keep_hidden(self, pieces: list[Hidden]) -> None:
        for piece in pieces:
            room = MAX_HIDDEN_CHARS - self._hidden_chars
            if room > 0:
                self.hidden.append(Hidden(technique=piece["technique"], text=piece["text"][:room]))
            self._hidden_chars += len(piece["text"])

    def parsed(self, *, truncated: bool) -> Parsed:
        if not self._chars:
            raise Refusal(self._why_empty())
        return Parsed(
            charset=None,
            title=self._title(),
            blocks=self.blocks,
            links=[],
            hidden=self.hidden,
            markup=self._markup(truncated=truncated),
            source=None,
            source_truncated=False,
            extractor="pdf",
            kept_permille=1000,
        )

    def _why_empty(self) -> str:
        if self._timeout:
            return "resource_limit"
        pages = sum(block["kind"] == "page" for block in self.blocks)
        return "pdf_broken" if self._failed_pages == pages else "pdf_no_text"

    def _markup(self, *, truncated: bool) -> Markup:
        return Markup(
            meta_refresh=False,
            likely_spa=False,
            depth_limited=False,
            hidden_check_incomplete=self._check_incomplete,
            active_markup=[],
            pdf_partly_scanned=self._scanned_pages > 0,
            pdf_invisible_text_layer=self._scan_layer,
            truncated=truncated or self._cut or self._timeout or self._failed_pages > 0,
        )

    def _title(self) -> str | None:
        """The title of the document information, as it stands there; None when empty."""
        size = library().FPDF_GetMetaText(self.document, b"Title", None, 0)
        if not 2 < size <= 8 * MAX_TITLE_CHARS:
            return None
        buffer = create_string_buffer(size)
        library().FPDF_GetMetaText(self.document, b"Title", buffer, size)
        title = normalise(buffer.raw.decode("utf_16_le", "replace").rstrip("\0"))
        return " ".join(title.split())[:MAX_TITLE_CHARS] or None
