"""The sites that behave: pages, documents and data a tool should read, and redirects. `misbehaving` has the others."""

import gzip
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Final

from tests.internet import misbehaving, names, pdf
from tests.internet.addresses import BARE, SECOND
from tests.internet.replies import Reply, Request, Route, Site

PAGES: Final = Path(__file__).with_name("pages")
HTML: Final = "text/html; charset=utf-8"


def content(content_type: str, body: bytes) -> Reply:
    return Reply(headers=(("Content-Type", content_type),), body=body)


def page(name: str, status: int = 200) -> Reply:
    """A file of pages/ as UTF-8 HTML."""
    return Reply(status, (("Content-Type", HTML),), (PAGES / name).read_bytes())


def redirect(location: str | bytes, status: int = 302) -> Reply:
    body = b"<html><body><p>This document has moved.</p></body></html>"
    return Reply(status, (("Location", location), ("Content-Type", HTML)), body)


def japanese(charset: str, declared: str, header: str | None) -> Reply:
    """The municipal page, really in `charset`, its meta saying `declared`, its header `header` (None: no charset)."""
    text = (PAGES / "gomi.html").read_text("utf-8").replace("@CHARSET@", declared)
    body = euc(text) if charset == "euc_jp" else text.encode(charset)
    return content("text/html" if header is None else f"text/html; charset={header}", body)


def euc(text: str) -> bytes:
    """EUC-JP with the NEC row 13 that web pages use (circled digits), which Python's own codecs refuse.

    Pairs of cp932 become pairs of EUC by arithmetic; characters that EUC-JP lacks are written with their plain forms.
    """
    out = bytearray()
    data = iter(text.replace("髙", "高").replace("﨑", "崎").encode("cp932"))
    for lead in data:
        if lead < 0x80:
            out.append(lead)
            continue
        trail = next(data)
        row = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 2 + (trail >= 0x9F)
        cell = trail - (0x9F if trail >= 0x9F else 0x40 if trail < 0x7F else 0x41)
        out += bytes((row + 0xA1, cell + 0xA1))
    return bytes(out)


def small_html(title: str, *paragraphs: str) -> bytes:
    inner = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    return f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{title}</title></head>\n<body><article>\n<h1>{title}</h1>\n{inner}</article></body></html>\n".encode()  # noqa: E501 one template


REPORT_PAGES: Final = (
    ("Side ponds: a feasibility note", "", "A lock of this size uses about 136 cubic metres of water", "each time it is worked.", "Reopening one pond would save 48 cubic metres."),  # noqa: E501
    ("Costs", "", "Excavation and puddle clay: 41,000", "Paddle gear, second-hand: 6,500", "Contingency: 9,000"),
    ("Conclusion", "", "The figure is sobering but not absurd.", "A pond has no moving parts other than a paddle."),
)  # fmt: skip

LEVELS: Final = {
    "station": "Marren Bridge",
    "unit": "m",
    "levels": [{"hour": hour, "summit": round(1.9 + hour % 5 / 50, 2), "pumping": hour < 6} for hour in range(24)],
    "note": "Read from the painted staff; see https://news.canal-journal.com/articles/lock-gates",
}
CSV: Final = "lock,rise_m,built\r\n" + "".join(f"Lock {n},{2 + n / 20:.2f},{1793 + n // 3}\r\n" for n in range(1, 13))
NOTES: Final = (
    "Notes from the towpath\n\nGround paddles first.\n\n    level = 1.97\n    pumping = False\n\n"
    "See https://news.canal-journal.com/ for the rest.\n"
)
MARKDOWN: Final = (
    "# Volunteers\n\n* grease the racks\n* rake the screens\n\n| month | days |\n| --- | --- |\n| May | 2 |\n"
)
FEED: Final = (
    '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>The Canal Journal</title>'
    "<link>https://news.canal-journal.com/</link><description>News of the flight</description>"
    "<item><title>New gates</title><link>https://news.canal-journal.com/articles/lock-gates</link></item>"
    "</channel></rss>\n"
)


def long_article() -> bytes:
    """More text than is delivered: about 120,000 characters in 400 numbered paragraphs."""
    text = (
        "The keeper wrote the level of the summit pound in the book, then walked down the flight to look at each gate "
    )
    text += "in turn, noting which of them had wept during the night and which of the racks wanted grease before the "
    text += "first boat of the morning came up from the basin with its lamp still lit."
    return small_html("The keeper's book", *(f"Entry {n}. {text}" for n in range(1, 401)))


@cache
def padded(total_bytes: int) -> bytes:
    return pdf.padded_pdf(REPORT_PAGES, total_bytes)


def cookie_gate(request: Request) -> Reply:
    """Sends a cookie and the visitor back to the same page; shows it when the cookie comes along."""
    if "gate=open" in request.header("Cookie"):
        return content(HTML, small_html("Behind the gate", "The cookie came back, so this page is shown."))
    reply = redirect(request.path)
    return Reply(reply.status, (("Set-Cookie", "gate=open; Path=/; HttpOnly"), *reply.headers), reply.body)


def echo(request: Request) -> Reply:
    """The request as JSON, for tests that ask what was sent."""
    seen = {"method": request.method, "target": request.target, "headers": request.headers}
    return content("application/json", json.dumps(seen).encode())


NEWS: Final[dict[str, Route]] = {
    "/": content(HTML, small_html("The Canal Journal", '<a href="/articles/lock-gates">New gates for the lock</a>')),
    "/articles/lock-gates": page("lock-gates.html"),
    "/articles/long": lambda _: content(HTML, long_article()),
    "/injected": page("injected.html"),
    "/gzip": Reply(headers=(("Content-Type", HTML), ("Content-Encoding", "gzip")), body=gzip.compress(
        (PAGES / "lock-gates.html").read_bytes(), mtime=0)),
    "/deflate": Reply(headers=(("Content-Type", HTML), ("Content-Encoding", "deflate")), body=zlib.compress(
        (PAGES / "lock-gates.html").read_bytes())),
    "/chunked": Reply(headers=(("Content-Type", HTML),), body=(PAGES / "lock-gates.html").read_bytes(),
                      framing="chunked", piece_bytes=4_000, trailer=b"X-Checked: yes\r\n"),
    "/close-delimited": Reply(headers=(("Content-Type", HTML),), body=(PAGES / "example.html").read_bytes(),
                              framing="close"),
    "/no-close-notify": Reply(headers=(("Content-Type", HTML),), body=(PAGES / "example.html").read_bytes(),
                              framing="close", close_notify=False),
    "/slow-start": Reply(headers=(("Content-Type", HTML),), body=(PAGES / "example.html").read_bytes(), delay_s=2.0),
    "/early-hints": Reply(raw=b"HTTP/1.1 103 Early Hints\r\nLink: </app.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n"
                          b"Content-Type: text/html\r\nContent-Length: 484\r\n\r\n" + (PAGES / "example.html").read_bytes()),
    "/no-type": Reply(body=(PAGES / "example.html").read_bytes()),
    "/echo": echo,
}  # fmt: skip

FILES: Final[dict[str, Route]] = {
    "/report.pdf": content("application/pdf", pdf.text_pdf(REPORT_PAGES)),
    "/report-as-html": content("text/html", pdf.text_pdf(REPORT_PAGES)),
    "/owner-locked.pdf": content("application/pdf", pdf.text_pdf(REPORT_PAGES, password="")),
    "/encrypted.pdf": content("application/pdf", pdf.text_pdf(REPORT_PAGES, password="river")),
    "/scanned.pdf": content("application/pdf", pdf.scanned_pdf()),
    "/broken.pdf": content("application/pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\n"),
    "/exactly-15mb.pdf": Reply(headers=(("Content-Type", "application/pdf"),), body=lambda: padded(15_000_000)),
    "/over-15mb.pdf": Reply(headers=(("Content-Type", "application/pdf"),), body=lambda: padded(15_000_001)),
    "/levels.json": content("application/json", json.dumps(LEVELS, indent=1).encode()),
    "/locks.csv": content("text/csv; charset=utf-8", CSV.encode()),
    "/notes.txt": content("text/plain; charset=utf-8", NOTES.encode()),
    "/volunteers.md": content("text/markdown; charset=utf-8", MARKDOWN.encode()),
    "/feed.xml": content("application/rss+xml", FEED.encode()),
    "/gates.png": content("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU"),
    "/gates-as-html": content("text/html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8),
    "/archive.bin": content("application/octet-stream", bytes(range(256)) * 16),
}

CITY: Final[dict[str, Route]] = {
    "/kurashi/gomi.html": japanese("cp932", "Shift_JIS", "Shift_JIS"),
    "/kurashi/gomi-meta-only.html": japanese("cp932", "Shift_JIS", None),
    "/kurashi/gomi-header-utf8.html": japanese("cp932", "Shift_JIS", "UTF-8"),
    "/kurashi/gomi-header-latin1.html": japanese("cp932", "Shift_JIS", "ISO-8859-1"),
    "/kurashi/gomi-meta-utf8.html": japanese("cp932", "utf-8", "Shift_JIS"),
    "/kurashi/gomi-undeclared.html": japanese("cp932", "", None),
    "/kurashi/gomi-euc.html": japanese("euc_jp", "EUC-JP", "EUC-JP"),
    "/kurashi/gomi-utf8.html": japanese("utf-8", "utf-8", "UTF-8"),
}

SITES: Final = (
    Site("example.com", "a short page, http and https", {"/": page("example.html")}),
    Site("www.example.com", "the same page", {"/": page("example.html")}),
    Site("news.canal-journal.com", "articles, transfer variants, an injected page", NEWS),
    Site("files.canal-journal.com", "PDF, JSON, CSV, text, and types that are not read", FILES),
    Site("www.city.tsukishiro.lg.jp", "a municipal page in Shift_JIS, with lying variants", CITY),
    Site("www.canal-journal.com", "end of the chain http, https, www", {"/": page("example.html")}),
    Site("cookies.canal-journal.com", "shows its page only with the cookie it set", {"/": cookie_gate}),
    Site("app.canal-journal.com", "an empty shell that a script would fill", {"*": page("shell.html")}),
    Site("by-proxy.canal-journal.com", "a name that only the proxies know", {"/": page("example.html")}, None),
    Site("news.harbour-times.net", "another origin", {"/": page("example.html"), "/echo": echo}, (SECOND,)),
    Site("address-certificate.canal-journal.com", "a certificate that names only its address",
         {"/": page("example.html")}, (BARE,), "address"),
    Site(BARE, "the address itself, https with a valid certificate for it", {"/": page("example.html")}, None, "address"),
    *(Site(name, about, {"/": page("example.html")}, None) for name, about in names.SERVED.items()),
    *misbehaving.SITES,
)  # fmt: skip
