"""verdicts: whole pages through parser, sanitizer and the broker's record, as if fetched without a redirect.

Counts of pages by verdict. Ordinary pages should be `safe`; pages that are cut at the length limit are `incomplete` by design.
"""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any, Final

from scoring.pages.manifest import Row, body_of, is_doubtful, rows_of
from scoring.score import Score
from scoring.texts.delivered import matcher

from guarded_webfetch.broker.assemble import Run, success
from guarded_webfetch.broker.content import Content
from guarded_webfetch.broker.network import Body
from guarded_webfetch.core.messages import SanitizeOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.record import Record
from guarded_webfetch.core.verdict import GROUPS
from guarded_webfetch.parser.html_page import parse_html
from guarded_webfetch.sanitizer.sanitize import sanitize

DEFAULT: Final = "wcxb-dev"


def score(path: Path, peers: bool) -> Score:
    folder = path if path.is_dir() else path.parent
    rows = [row for row in rows_of(path) if not is_doubtful(row)]
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    lines = []
    for row in rows:
        record = record_of(body_of(folder, row), row)
        if isinstance(record, str):
            refused[record] += 1
            continue
        counts[record.verdict or ""] += 1
        reasons.update(record.verdict_reasons)
        lines += [_line(row, record)] if record.verdict_reasons else []
    keys: dict[str, Any] = {"pages": counts.total(), **{group: counts[group] for group in GROUPS}}
    found = Score(counts.total(), keys, lines)
    found.notes += [f"reason {name}: {count} pages" for name, count in reasons.most_common()]
    found.skipped += [f"{count} pages without a record: {code}" for code, count in sorted(refused.items())]
    found.skipped += ["peers: none gives a verdict on a page"] if peers else []
    return found


def record_of(body: bytes, row: Row) -> Record | str:
    """The record of a page, or the reason code when there is no text to deliver."""
    url = row.get("url") or "https://example.com/"
    try:
        parsed = parse_html(
            body,
            {
                "kind": "html",
                "content_type": "text/html",
                "charset_header": None,
                "base_url": url,
                "truncated": False,
            },
        )
    except Refusal as refusal:
        return refusal.code
    order: SanitizeOrder = {
        "kind": "html",
        "verbatim": False,
        "title": parsed["title"],
        "blocks": parsed["blocks"],
        "links": parsed["links"],
        "hidden": parsed["hidden"],
        "source": parsed["source"],
        "summary": "extractive",
        "link_style": "placeholders",
        "urls": [],
    }
    run = Run(
        url, "2026-01-01T00:00:00Z", "strict", {"mode": "direct", "ip_pinned": True}, [], frozenset(), "0" * 16, False
    )
    fetched = Body(body, hashlib.sha256(body).hexdigest(), "html", False, "text/html", None, False, False)
    return success(run, None, fetched, Content(parsed, sanitize(order, matcher()))).record


def _line(row: Row, record: Record) -> str:
    found = [entry["rule"] for entry in record.flags["suspicious_patterns"]]
    return f"{row['id']} {row.get('page_type', '')} {record.verdict}: {', '.join([*record.verdict_reasons, *found])}"
