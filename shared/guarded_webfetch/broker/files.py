"""Writes a result: the files beside the record first, the ledger line, the record last, each whole or not at all."""

import hashlib
import json
import os
from typing import Any, Final, Literal, NamedTuple

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.assemble import Result
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.store import Store
from guarded_webfetch.contract import validator
from guarded_webfetch.core import limits
from guarded_webfetch.core.reasons import Refusal

_TRACE_SCHEMA: Final = "guarded-webfetch/trace@1"


def trace(timings_ms: dict[str, float], isolation: dict[str, Any], options: Options, content: Any) -> dict[str, Any]:
    """What `show` needs beyond the record: limits, timings, isolation in full, every removal, the whole outline."""
    parsed, sanitized = content or (None, None)
    return {
        "schema": _TRACE_SCHEMA,
        "limits": {
            "timeout_s": options.timeout_s,
            "max_redirects": limits.MAX_REDIRECTS,
            "max_body_bytes": limits.MAX_BODY_BYTES,
            "max_pdf_bytes": limits.MAX_PDF_BYTES,
            "max_pdf_pages": limits.MAX_PDF_PAGES,
            "max_text_chars": limits.MAX_TEXT_CHARS,
        },
        "timings_ms": timings_ms,
        "isolation": isolation,
        "extractor": parsed["extractor"] if parsed else None,
        "kept_permille": parsed["kept_permille"] if parsed else None,
        "removals": sanitized["removals"] if sanitized else [],
        "outline": sanitized["outline"] if sanitized else [],
    }


def write(
    store: Store, prefix: Literal["result", "failure"], result: Result, trace: dict[str, Any], options: Options
) -> str:
    """Writes everything and returns the path to print. Raises Refusal record_schema_invalid or store_unavailable.

    The trace of a `confirm` result keeps its outline back: headings are words of the page, and they wait with the text.
    """
    record = result.record.to_json()
    if not validator.load("record")(record):
        raise Refusal("record_schema_invalid")
    stem = f"{prefix}-{os.urandom(8).hex()}"
    if result.held is not None:
        result.held["outline"] = trace["outline"]
        trace = {**trace, "outline": []}
    beside = {"links": result.links, "hidden": result.hidden, "held": result.held, "trace": trace}
    encoded = {name: _encode(value) for name, value in beside.items() if value is not None}
    for name, data in encoded.items():
        store.write(f"{stem}.{name}.json", data)
    data = _encode(record)
    links_sha256 = hashlib.sha256(encoded.get("links", b"")).hexdigest()
    ledger.append(_ledger_line(record, data, links_sha256, options))
    store.write(f"{stem}.json", data)
    return store.path(f"{stem}.json")


class Revision(NamedTuple):
    """A finished record, changed, with the files beside it that change too; its link table stays as it is."""

    record: dict[str, Any]
    beside: dict[str, Any]
    links_sha256: str


def replace(store: Store, stem: str, revision: Revision, options: Options) -> None:
    """Writes a record again. Raises Refusal record_schema_invalid or store_unavailable; then the old one still stands."""
    if not validator.load("record")(revision.record):
        raise Refusal("record_schema_invalid")
    for name, value in revision.beside.items():
        store.write(f"{stem}.{name}.json", _encode(value))
    data = _encode(revision.record)
    ledger.append(_ledger_line(revision.record, data, revision.links_sha256, options))
    store.write(f"{stem}.json", data)


def _ledger_line(record: dict[str, Any], data: bytes, links_sha256: str, options: Options) -> dict[str, Any]:
    return {
        "record_sha256": hashlib.sha256(data).hexdigest(),
        "links_sha256": links_sha256,
        "fetched_at": record["fetched_at"],
        "url": record["requested_url"],
        "outcome": record["outcome"],
        "verdict": record["verdict"],
        "isolation": record["isolation"]["level"],
        "options": options.changed(),
    }


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
