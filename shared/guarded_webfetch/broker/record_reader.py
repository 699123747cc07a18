"""Reads a record and the files beside it as what they are: input that anybody may have written.

Whether a record was really made here is the ledger's question; this module only promises that what it returns has the shape of
the contract, agrees with itself, and came from ordinary files of this user that no link stood in for.
"""

import hashlib
import math
import os
import re
import stat
from typing import Any, Final, NamedTuple

from guarded_webfetch.contract import validator
from guarded_webfetch.core import verdict
from guarded_webfetch.core.limits import MAX_RECORD_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc import strict_json

RECORD_NAME: Final = re.compile(r"(result|failure)-[0-9a-f]{16}\.json")
PAGE_FIELDS: Final = (
    "title",
    "summary",
    "outline",
    "raw_text",
    "raw_html",
)  # page-derived free text, null under `confirm`

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO of that name must not wait for a writer.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ENTRY_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,40}")  # names of limits, stages and roles in a trace


class RecordFiles(NamedTuple):
    """A record and what lies beside it. A file that is not there is None (an empty list of links).

    The hashes are those of the bytes that were read, as the ledger keeps them; `links_sha256` is that of no bytes without a table.
    """

    record: dict[str, Any]
    links: list[dict[str, Any]]
    hidden: dict[str, Any] | None
    trace: dict[str, Any] | None
    held: dict[str, Any] | None
    stem: str  # the path without `.json`
    record_sha256: str
    links_sha256: str


def read_record(path: str) -> RecordFiles:
    """The record at `path`. Raises Refusal record_unusable for anything that is not exactly what this tool writes."""
    folder, name = os.path.split(path)
    if RECORD_NAME.fullmatch(name) is None:
        raise Refusal("record_unusable")
    try:
        folder_fd = os.open(folder or ".", _FOLDER)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        raise Refusal("record_unusable") from None
    try:
        return _read_all(folder_fd, name, path.removesuffix(".json"))
    except (OSError, strict_json.JsonError):
        raise Refusal("record_unusable") from None
    finally:
        os.close(folder_fd)


def _read_all(folder_fd: int, name: str, stem: str) -> RecordFiles:
    data = _read_file(folder_fd, name)
    if data is None:
        raise Refusal("record_unusable")
    record = _checked(data, "record")
    _check_agrees(record, name)
    base = name.removesuffix(".json")
    links = _read_file(folder_fd, f"{base}.links.json")
    trace = _read_beside(folder_fd, base, "trace")
    if trace is not None:
        _check_trace(trace)
    return RecordFiles(
        record=record,
        links=[] if links is None else _checked(links, "links"),
        hidden=_read_beside(folder_fd, base, "hidden"),
        trace=trace,
        held=_read_beside(folder_fd, base, "held"),
        stem=stem,
        record_sha256=hashlib.sha256(data).hexdigest(),
        links_sha256=hashlib.sha256(links or b"").hexdigest(),
    )


def _read_beside(folder_fd: int, base: str, kind: str) -> dict[str, Any] | None:
    data = _read_file(folder_fd, f"{base}.{kind}.json")
    return None if data is None else _checked(data, kind)


def _read_file(folder_fd: int, name: str) -> bytes | None:
    """The bytes of an ordinary file of this user, None when there is none of that name."""
    try:
        fd = os.open(name, _FILE, dir_fd=folder_fd)
    except FileNotFoundError:
        return None
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_size > MAX_RECORD_BYTES:
            raise Refusal("record_unusable")
        data = file.read(MAX_RECORD_BYTES + 1)  # it may have grown since
    if len(data) > MAX_RECORD_BYTES:
        raise Refusal("record_unusable")
    return data


def _checked(data: bytes, schema: str) -> Any:
    value = strict_json.loads(data)
    if not validator.load(schema)(value):
        raise Refusal("record_unusable")
    return value


def _check_agrees(record: dict[str, Any], name: str) -> None:
    """What the schema cannot say: a record agrees with its name and with itself."""
    expected: tuple[str | None, list[str]] = (None, [])
    kind = "failure-"
    if record["outcome"] == "ok":
        kind, expected = "result-", verdict.decide(record["flags"], record["network"])
    agrees = name.startswith(kind) and (record["verdict"], record["verdict_reasons"]) == expected
    if not agrees or not _holds_back(record):
        raise Refusal("record_unusable")


def _holds_back(record: dict[str, Any]) -> bool:
    """Whether page text stands exactly where it may: all of it only in a success that is not `confirm`."""
    if record["verdict"] in (None, "confirm"):
        return all(record[field] is None for field in PAGE_FIELDS)
    return isinstance(record["raw_text"], str)


def _check_trace(trace: dict[str, Any]) -> None:
    """The three open mappings of a trace, whose names the schema does not list."""
    for field in ("limits", "timings_ms"):
        for name, value in trace[field].items():
            if _ENTRY_NAME.fullmatch(name) is None or not _is_number(value):
                raise Refusal("record_unusable")
    for role, report in trace["isolation"].items():
        if _ENTRY_NAME.fullmatch(role) is None or not _is_report(report):
            raise Refusal("record_unusable")


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]  # 1e999 is valid JSON


def _is_report(report: object) -> bool:
    """{"level", "layers", ...}: what a later version adds is allowed, and shown by nobody."""
    if not isinstance(report, dict) or report.get("level") not in ("max", "strict", "process"):
        return False
    layers = report.get("layers")
    return isinstance(layers, list) and all(isinstance(layer, str) and _ENTRY_NAME.fullmatch(layer) for layer in layers)
