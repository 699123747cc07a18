"""Text, Markdown, JSON, XML, CSV and feeds: decoded and delivered as they stand, in one block."""

from typing import Final

from guarded_webfetch.core.messages import Markup, Parsed, ParseOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.clean import clean_text
from guarded_webfetch.parser.decode import decode

# Types that people write by hand; everything else that is text is data, where a URL stays as it stands.
_PROSE: Final = frozenset({"", "text/plain", "text/markdown", "text/x-markdown", "application/octet-stream"})


def parse_plain(body: bytes, order: ParseOrder) -> Parsed:
    """The text with LF line ends. Raises Refusal `extract_empty`, `charset_unknown` or `content_type`."""
    text, charset = decode(body, order["charset_header"], "text", truncated=order["truncated"])
    text = clean_text(text.replace("\r\n", "\n").replace("\r", "\n")).lstrip("\ufeff")
    if not text.strip():
        raise Refusal("extract_empty")
    markup: Markup = {
        "meta_refresh": False,
        "likely_spa": False,
        "depth_limited": False,
        "hidden_check_incomplete": False,
        "active_markup": [],
        "pdf_partly_scanned": False,
        "pdf_invisible_text_layer": False,
        "truncated": order["truncated"],
    }
    return {
        "charset": charset,
        "title": None,
        "blocks": [{"kind": "paragraph" if order["content_type"] in _PROSE else "code", "text": text, "spans": []}],
        "links": [],
        "hidden": [],
        "markup": markup,
        "source": None,
        "source_truncated": False,
        "extractor": "verbatim",
        "kept_permille": 1000,
    }
