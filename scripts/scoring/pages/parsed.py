"""A row's document through the parser: what it delivers and what it sets aside, before the sanitizer replaces phrases."""

from typing import NamedTuple

from guarded_webfetch.core.messages import ContentKind
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.main import parse


class Parts(NamedTuple):
    """The title, the text of all blocks, and the text set aside as hidden."""

    title: str
    text: str
    aside: str


def parts_of(body: bytes, kind: ContentKind, content_type: str) -> Parts | str:
    """What the parser says; a reason code when there is no page."""
    try:
        said = parse(
            body,
            {
                "kind": kind,
                "content_type": content_type,
                "charset_header": "utf-8" if kind == "html" else None,
                "base_url": "https://example.com/",
                "truncated": False,
            },
        )
    except Refusal as refusal:
        return refusal.code
    lines = []
    for block in said["blocks"]:
        lines.append(block["text"])
        lines += [cell["text"] for row in block.get("rows", []) for cell in row]
    return Parts(said["title"] or "", "\n".join(lines), "\n".join(item["text"] for item in said["hidden"]))
