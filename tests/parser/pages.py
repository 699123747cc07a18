"""Parsing bytes in tests: one call, the order filled in."""

import os
from pathlib import Path

import pytest

from guarded_webfetch.core.messages import ContentKind, Parsed
from guarded_webfetch.parser.main import parse

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("GUARDED_WEBFETCH_DATA", ROOT.parent / "shared" / "data"))


def parsed(
    body: bytes | str,
    kind: ContentKind = "html",
    *,
    charset_header: str | None = None,
    base_url: str = "https://example.com/docs/page",
    content_type: str = "text/html",
    truncated: bool = False,
) -> Parsed:
    data = body.encode("utf-8") if isinstance(body, str) else body
    return parse(
        data,
        {
            "kind": kind,
            "content_type": content_type,
            "charset_header": charset_header,
            "base_url": base_url,
            "truncated": truncated,
        },
    )


def text_of(page: Parsed) -> str:
    """Everything the blocks say, a row of a table on one line."""
    lines = []
    for block in page["blocks"]:
        lines.append(block["text"])
        lines.extend(" | ".join(cell["text"] for cell in row) for row in block.get("rows", []))
    return "\n".join(lines)


def data_set(name: str) -> Path:
    """A folder or file of the data sets; skips the test where they are absent."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"data set {name} is not here (GUARDED_WEBFETCH_DATA)")
    return path
