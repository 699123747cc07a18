"""Orders as a broker would send them."""

from functools import cache

from guarded_webfetch.rules.loader import load
from guarded_webfetch.sanitizer.sanitize import sanitize
from guarded_webfetch.text.patterns import Matcher


@cache
def matcher():
    return Matcher(load())


def paragraph(text, *spans, **fields):
    return {"kind": "paragraph", "text": text, "spans": list(spans), **fields}


def block(kind, text="", *spans, **fields):
    return {"kind": kind, "text": text, "spans": list(spans), **fields}


def order(*blocks, **fields):
    return {
        "kind": "html",
        "verbatim": False,
        "title": None,
        "blocks": list(blocks),
        "links": [],
        "hidden": [],
        "source": None,
        "summary": "extractive",
        "link_style": "placeholders",
        "urls": [],
        **fields,
    }


def run(*blocks, **fields):
    return sanitize(order(*blocks, **fields), matcher())


def text_of(*blocks, **fields):
    return run(*blocks, **fields)["raw_text"]
