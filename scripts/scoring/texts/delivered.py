"""A row of text through the sanitizer as its process runs it: in the body, and in the places beside the body."""

from functools import cache
from typing import Any, Final, NamedTuple

from guarded_webfetch.core.messages import Block, Sanitized, SanitizeOrder
from guarded_webfetch.rules.compact import load
from guarded_webfetch.sanitizer.sanitize import sanitize
from guarded_webfetch.text.patterns import Matcher

MAX_BESIDE: Final = 150  # characters: a longer row would be cut as a title


class Delivered(NamedTuple):
    """`beside`: the row as title and heading; `link_text`: as the text of a link, which stands beside its address anyway."""

    text: str
    beside: tuple[str, ...]
    link_text: str
    suspicious: bool  # a strong match
    marked: bool  # invisible characters, forged marks or active markup were counted


@cache
def matcher() -> Matcher:
    """The shipped rules."""
    return Matcher(load())


def order(*blocks: Block, **fields: Any) -> SanitizeOrder:
    """An order as the broker sends one for a plain text."""
    common: dict[str, Any] = {
        "kind": "text",
        "verbatim": False,
        "title": None,
        "blocks": list(blocks),
        "links": [],
        "hidden": [],
        "source": None,
        "summary": "extractive",
        "link_style": "placeholders",
        "urls": [],
    }
    return common | fields  # type: ignore[return-value]


def as_prose(text: str) -> Sanitized:
    """What the sanitizer says of one paragraph."""
    return sanitize(order({"kind": "paragraph", "text": text, "spans": []}), matcher())


def deliver(text: str) -> Delivered:
    """`text` as a paragraph, and as title, heading and link text."""
    found = as_prose(text)
    marked = bool(found["had_invisible_chars"] or found["forged_marks"] or found["active_markup"])
    return Delivered(found["raw_text"], *_beside(text), bool(found["suspicious_patterns"]), marked)


def _beside(text: str) -> tuple[tuple[str, ...], str]:
    if len(text) > MAX_BESIDE:
        return (), ""
    heading: Block = {"kind": "heading", "text": text.partition("\n")[0], "spans": [], "level": 2}
    links = [{"url": "https://example.org/", "text": text}]
    found = sanitize(order(heading, title=text, links=links), matcher())
    outline = [entry["heading"] for entry in found["outline"]]
    return (found["title"] or "", found["raw_text"], *outline), found["link_texts"][0]
