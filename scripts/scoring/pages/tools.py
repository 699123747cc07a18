"""Tools that read a page, each loaded only when it is asked for. `load(name)` raises ImportError when it is not installed."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

Result = dict[str, Any]  # {"parsed": ...} from the product, {"text": ...} from a peer, or {"reason": code}
Tool = Callable[[bytes, str], Result]  # body, address of the page

OURS: Final = "guarded-webfetch"
PEERS: Final = ("trafilatura", "readability-lxml")


def load(name: str) -> Tool:
    """Imports the tool and returns its function."""
    return {OURS: _ours, "trafilatura": _trafilatura, "readability-lxml": _readability}[name]()


def _ours() -> Tool:
    from guarded_webfetch.core.reasons import Refusal
    from guarded_webfetch.parser.main import load, parse

    load("html")

    def read(body: bytes, url: str) -> Result:
        try:
            parsed = parse(
                body,
                {
                    "kind": "html",
                    "content_type": "text/html",
                    "charset_header": None,
                    "base_url": url or "https://example.com/",
                    "truncated": False,
                },
            )
        except Refusal as refusal:
            return {"reason": refusal.code}
        return {"parsed": {**parsed, "source": None}}

    return read


def _trafilatura() -> Tool:
    trafilatura = import_module("trafilatura")

    def read(body: bytes, url: str) -> Result:
        options = {"output_format": "markdown", "include_links": True, "include_formatting": True}
        return {"text": trafilatura.extract(body, url=url or None, **options) or ""}

    return read


def _readability() -> Tool:
    from lxml import html
    from readability import Document

    def read(body: bytes, _: str) -> Result:
        found = Document(body).summary(html_partial=True)
        return {"text": " ".join(map(str, html.fromstring(found).itertext())) if found.strip() else ""}

    return read
