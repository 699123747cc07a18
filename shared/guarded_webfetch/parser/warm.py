"""Loads ahead of the lock what Python and the libraries would load on first use."""

from functools import cache

from guarded_webfetch.core.charset import LABELS
from guarded_webfetch.core.messages import ParseOrder
from guarded_webfetch.parser import charmaps, detect, plain  # noqa: F401 - loaded here so that it is loaded before the lock

_SAMPLE = """<!DOCTYPE html><html lang="en"><head><title>t</title><style>.a:not(.b){color:#fff}</style></head><body>
<nav><a href="/">n</a></nav><article><h1>t</h1><p class="a">a <b>b</b> <a href="http://\u4f8b.example/x">c</a></p><pre>x</pre>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><ol><li>i</li></ol></article></body></html>"""


@cache
def warm_codecs() -> None:
    """Every codec a label can lead to, and the error handlers that are registered on import."""
    for codec in {encoding.codec for encoding in LABELS.values()}:
        charmaps.decode(b"a", codec)
    b"a".decode("ascii", "replace")
    "\u4f8b".encode("idna")
    detect.detect("\u4f8b\u3042".encode("euc_jp"))


@cache
def warm_html() -> None:
    """One small page through the whole way: lxml imports some of its parts on first use."""
    from guarded_webfetch.parser.html_page import parse_html

    order: ParseOrder = {
        "kind": "html",
        "content_type": "text/html",
        "charset_header": None,
        "base_url": "http://example.com/",
        "truncated": False,
    }
    parse_html(_SAMPLE.encode("utf-8"), order)
