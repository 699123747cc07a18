"""What a body is: from its Content-Type, and from its first bytes where those know better.

Sources: RFC 9110 section 8.3, WHATWG MIME Sniffing sections 4.4 (parsing), 5.1 (unknown types), 7.1 (HTML signatures).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import SNIFF_BYTES
from guarded_webfetch.core.messages import ContentKind
from guarded_webfetch.core.reasons import Refusal

# Each essence that may stand in a record, and the other names of the same thing.
_FAMILIES: Final = {
    "text/html": "",
    "application/xhtml+xml": "application/vnd.wap.xhtml+xml",
    "text/plain": "",
    "text/markdown": "text/x-markdown text/x-web-markdown application/markdown",
    "application/json": "text/json application/x-json application/x-ndjson application/ndjson application/jsonl "
    "application/json-seq application/json5",
    "application/xml": "",
    "text/xml": "",
    "application/rss+xml": "application/x-rss+xml text/rss+xml application/rss",
    "application/atom+xml": "text/atom+xml application/atom",
    "text/csv": "application/csv text/x-csv text/comma-separated-values text/tab-separated-values",
    "application/pdf": "application/x-pdf text/pdf text/x-pdf application/acrobat application/vnd.pdf",
}
KNOWN_ESSENCES: Final = frozenset(_FAMILIES)
_ALIASES: Final = {alias: known for known, names in _FAMILIES.items() for alias in (known, *names.split())}

# Types that say nothing: as if there were none.
_UNKNOWN: Final = frozenset({
    "", "*/*", "application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "application/binary",
    "application/unknown", "application/x-unknown", "unknown/unknown", "content/unknown", "application/download",
    "application/x-download", "application/force-download",
})  # fmt: skip

_TOKEN_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-*")
_MAX_ESSENCE_CHARS: Final = 100
_MAX_CHARSET_CHARS: Final = 60
_MARKUP_WINDOW_BYTES: Final = 512

_UTF16_32_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_WIDE_CHARSETS: Final = ("utf-16", "utf16", "utf-32", "utf32", "ucs-2", "ucs-4", "iso-10646-ucs", "unicode")

# Archives, images, programs, fonts and media. A text that begins with one of these is none.
_BINARY_MAGIC: Final = (
    b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"\x89PNG", b"GIF87a", b"GIF89a", b"\xff\xd8\xff",
    b"RIFF", b"II*\x00", b"MM\x00*", b"\x00\x00\x01\x00", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\x00asm", b"wOFF", b"wOF2",
    b"OTTO\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"OggS", b"ID3\x02", b"ID3\x03", b"ID3\x04", b"fLaC",
    b"\x1a\x45\xdf\xa3", b"SQLite format 3\x00", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2",
)  # fmt: skip

_HTML_TAGS: Final = frozenset(
    b"!doctype html head body title meta link script iframe style div table h1 h2 h3 p a b br font center main article "
    b"section header nav form img span ul ol pre base noscript".split()
)


class ContentType(NamedTuple):
    """`essence`: type/subtype in lower case, "" when missing or malformed. `charset`: the label as sent, unquoted."""

    essence: str
    charset: str | None


def parse_content_type(values: Sequence[str]) -> ContentType:
    """What the Content-Type fields of one answer say. Raises Refusal content_type when they differ from each other."""
    parsed = {content_type for value in values for content_type in _parse(value)}
    if len(parsed) > 1:
        raise Refusal("content_type")
    return parsed.pop() if parsed else ContentType("", None)


def choose_kind(essence: str, first_bytes: bytes, charset: str | None = None) -> tuple[ContentKind, bool]:
    """(kind, verbatim): how a body is read, from its type, its first bytes (SNIFF_BYTES or more) and its charset label.

    Verbatim text is delivered as it stands. Raises Refusal content_type for what is not read, pdf_broken for a PDF
    without its signature.
    """
    head = first_bytes[:SNIFF_BYTES]
    known = record_essence(essence)
    if _is_pdf(known, head):
        return "pdf", False
    if head.startswith(_BINARY_MAGIC) and not head.startswith(_UTF16_32_BOMS):
        raise Refusal("content_type")
    if known == "application/pdf":
        if looks_like_html(head):
            return "html", False
        raise Refusal("pdf_broken")
    if known is None:
        if essence not in _UNKNOWN or not _is_text(head, charset):
            raise Refusal("content_type")
        return ("html", False) if looks_like_html(head) else ("text", True)
    if b"\x00" in head[:_MARKUP_WINDOW_BYTES] and not _is_wide(head, charset) and not _tolerates_nul(known, head):
        raise Refusal("content_type")
    return ("html", False) if known in ("text/html", "application/xhtml+xml") else ("text", True)


def record_essence(essence: str) -> str | None:
    """The member of KNOWN_ESSENCES that stands for an essence; None when it is of no type that is read."""
    known = _ALIASES.get(essence)
    if known or not essence.startswith(("application/", "text/")):
        return known
    if essence.endswith("+json"):
        return "application/json"
    return "application/xml" if essence.endswith("+xml") else None


def looks_like_html(head: bytes) -> bool:
    """True when the first markup is an HTML tag; an XML declaration and comments before it are passed over."""
    text = head.replace(b"\x00", b"").removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    text = text.lstrip().lower()
    while text.startswith((b"<?xml", b"<!--")):
        _, closed, text = text.partition(b"?>" if text.startswith(b"<?") else b"-->")
        if not closed:
            return False
        text = text.lstrip()
    if text.startswith(b"<!doctype"):
        return text[len(b"<!doctype") :].lstrip().startswith(b"html")
    name = text[1:20].replace(b">", b" ").replace(b"/", b" ").split(maxsplit=1)
    return text.startswith(b"<") and bool(name) and not text[1:2].isspace() and name[0] in _HTML_TAGS


def _is_pdf(known: str | None, head: bytes) -> bool:
    """ISO 32000 annex H: the signature may stand anywhere in the first 1,024 bytes.

    A page or a text that mentions it is no PDF: where a text type is declared and something stands before it, the bytes
    must not read as markup or text.
    """
    at = head.find(b"%PDF-")
    if at < 0:
        return False
    is_first = not head[:at].strip(b"\xef\xbb\xbf \t\r\n\x0c\x00")
    if is_first or known in (None, "application/pdf"):
        return is_first or not looks_like_html(head)
    return not looks_like_html(head) and not _is_utf8(head)


def _is_utf8(head: bytes) -> bool:
    """Whether the bytes read as UTF-8; the last character may be cut."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return b"\x00" not in head


def _is_wide(head: bytes, charset: str | None) -> bool:
    return head.startswith(_UTF16_32_BOMS) or (charset or "").lower().startswith(_WIDE_CHARSETS)


def _is_text(head: bytes, charset: str | None) -> bool:
    """WHATWG MIME Sniffing section 3 "binary data byte"; ESC stays, since ISO-2022 uses it."""
    return _is_wide(head, charset) or head.translate(None, _BINARY_BYTES) == head


_BINARY_BYTES: Final = bytes((*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))


def _tolerates_nul(known: str, head: bytes) -> bool:
    """A page that starts as HTML may carry a stray NUL, which the parser drops; text may not."""
    return known in ("text/html", "application/xhtml+xml") and looks_like_html(head.partition(b"\x00")[0])


def _parse(value: str) -> list[ContentType]:
    """One field value: usually one type, several when a proxy joined fields with commas."""
    essence_text, *parameters = value.split(";")
    charset = next(filter(None, map(_charset, parameters)), None)
    return [ContentType(_essence(part), charset) for part in essence_text.split(",")]


def _essence(text: str) -> str:
    essence = text.strip().lower()
    main, slash, sub = essence.partition("/")
    is_valid = main and slash and sub and _TOKEN_CHARS.issuperset(main + sub) and len(essence) <= _MAX_ESSENCE_CHARS
    return essence if is_valid else ""


def _charset(parameter: str) -> str | None:
    name, _, value = parameter.partition("=")
    label = value.strip().strip("\"'").strip()
    if name.strip().lower() != "charset" or not label or len(label) > _MAX_CHARSET_CHARS:
        return None
    return label if label.isascii() and label.isprintable() else None
