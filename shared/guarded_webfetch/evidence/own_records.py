"""Evidence of level 3: records of our own fetches, believed with their line in the ledger or a hash the job passes."""

from collections.abc import Set
from pathlib import Path
from typing import Final

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.record_reader import RECORD_NAME, RecordFiles, read_record
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.evidence import OWN_FETCH, Evidence, Status

MIN_TEXT_CHARS: Final = 500  # extracted characters; a page that is only a frame for scripts has fewer

# What a fetch that failed says about its page; every other reason code is `error`.
_FAILURES: Final[dict[str, Status]] = {
    "login_required": "not_allowed",
    "http_forbidden": "not_allowed",
    "bot_challenge": "not_allowed",
    "robots_disallowed": "not_allowed",
    "host_not_allowed": "not_allowed",
    "body_too_large": "too_large",
    "content_type": "unsupported",
    "connect_failed": "unavailable",
    "dns_failed": "unavailable",
    "fetch_deadline": "unavailable",
    "busy": "unavailable",
}


def record_paths(path: str) -> list[str]:
    """The record at `path`, or those of the folder `path`, by name. Raises Refusal path_invalid when it cannot be read."""
    try:
        folder = Path(path)
        if not folder.is_dir():
            return [path]
        return sorted(str(entry) for entry in folder.iterdir() if RECORD_NAME.fullmatch(entry.name))
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None


def record_evidence(path: str, known_sha256: Set[str]) -> Evidence | None:
    """What the record at `path` proves; None for what is no record at all."""
    try:
        files = read_record(path)
    except Refusal:
        return None
    record = files.record
    url = record["requested_url"] or ""
    return Evidence(record["fetched_url"] or url, OWN_FETCH, _status(files, known_sha256), url)


def believed(files: RecordFiles, known_sha256: Set[str]) -> bool:
    """Whether the record was written here, or is one the job vouches for."""
    return files.record_sha256 in known_sha256 or ledger.knows(files.record_sha256, files.links_sha256)


def _status(files: RecordFiles, known_sha256: Set[str]) -> Status:
    record = files.record
    if not believed(files, known_sha256):
        return "record_unknown"
    if record["outcome"] != "ok":
        return _FAILURES.get(record["outcome"], "error")
    if record["verdict"] == "confirm":
        return "flagged"
    return "success" if record["text_chars"] >= MIN_TEXT_CHARS else "error"
