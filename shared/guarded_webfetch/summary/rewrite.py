"""What a record becomes with a model's summary: flags may be added and none removed, and the verdict follows from them. Pure."""

import re
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker.record_reader import PAGE_FIELDS
from guarded_webfetch.core import verdict
from guarded_webfetch.core.limits import MAX_SUMMARY_CHARS
from guarded_webfetch.core.messages import Pattern, Sanitized
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, WIDE_PORTS, parse_url

# What the sanitizer writes for a bare URL. A number would lead into the page's link table, where it means something else.
_LINK_MARK: Final = re.compile(r"(?<!\\)\[L[0-9]+\]")
_LINK_TEXT: Final = "[link]"
_MAX_PATTERNS: Final = 1_000


class Rewritten(NamedTuple):
    """A record, and what is held beside it under `confirm` (without its outline)."""

    record: dict[str, Any]
    held: dict[str, Any] | None


def with_summary(record: dict[str, Any], said: Sanitized, source: str) -> Rewritten:
    """`record` with the sanitized summary of `source`."""
    summary = _cut(_LINK_MARK.sub(_LINK_TEXT, said["raw_text"]).strip())
    flags = _added(record["flags"], said)
    changed = record | {"flags": flags, "summary": summary, "summary_source": source}
    changed["verdict"], changed["verdict_reasons"] = verdict.decide(flags, record["network"])
    if changed["verdict"] != "confirm":
        return Rewritten(changed, None)
    held = {name: changed[name] for name in (*PAGE_FIELDS, "fetched_url", "redirects")}
    return Rewritten(_held_back(changed), held)


def with_failure(record: dict[str, Any]) -> dict[str, Any]:
    """`record` as it is, and that its summary was to be a model's."""
    return record | {"flags": record["flags"] | {"summary_failed": True}}


def _cut(text: str) -> str:
    """At the end of a sentence where one is near."""
    if len(text) <= MAX_SUMMARY_CHARS:
        return text
    text = text[:MAX_SUMMARY_CHARS]
    end = max(text.rfind(mark) for mark in (". ", "。", "! ", "? ", "\n"))
    return text[: end + 1].rstrip() if end > MAX_SUMMARY_CHARS // 2 else text


def _added(flags: dict[str, Any], said: Sanitized) -> dict[str, Any]:
    added = flags | {"summary_missing": False}
    for name, patterns in (
        ("suspicious_patterns", said["suspicious_patterns"]),
        ("noted_patterns", said["noted_patterns"]),
    ):
        if patterns:
            added[name] = [*flags.get(name, ()), *map(_in_summary, patterns)][:_MAX_PATTERNS]
    if said["invisible_chars"]:
        added |= {"had_invisible_chars": True}
        added["invisible_chars"] = [*flags.get("invisible_chars", ()), *said["invisible_chars"]][:100]
    if said["forged_marks"]:
        added["forged_marks"] = flags.get("forged_marks", 0) + said["forged_marks"]
    if said["scan_incomplete"]:
        added["scan_incomplete"] = True
    return added


def _in_summary(pattern: Pattern) -> dict[str, Any]:
    offset = pattern["where"].rpartition(":")[2]
    return {**pattern, "where": f"summary:{offset}"}


def _held_back(record: dict[str, Any]) -> dict[str, Any]:
    """The record without a word of the page, its URLs reduced to the origin the caller asked for."""
    url = record["requested_url"]
    asked = parse_url(url, ports=DEFAULT_PORTS | WIDE_PORTS).origin if url else None

    def named(url: str | None) -> str | None:
        return asked if url and asked and (url == asked or url.startswith(f"{asked}/")) else None

    hops = [hop | {"url": named(hop["url"])} for hop in record["redirects"]]
    nothing: dict[str, Any] = dict.fromkeys(PAGE_FIELDS)
    return record | nothing | {"summary_source": None, "fetched_url": named(record["fetched_url"]), "redirects": hops}
