"""The items a draft may name: a JSON file a publisher wrote, or a folder of records this tool made."""

import os
import stat
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.record_reader import RECORD_NAME, read_record
from guarded_webfetch.core.limits import MAX_STORE_BYTES, MAX_STORE_ITEMS, MAX_TITLE_CHARS, MAX_URL_CHARS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.rebuild import StoreItem
from guarded_webfetch.ipc import strict_json

MAX_EXCERPT_CHARS: Final = 300

_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_TEXT_FIELDS: Final = ("title", "url", "date", "excerpt")
_NEVER_IN_A_URL: Final = frozenset("\"'<>`\\^{}| ")


class Store(NamedTuple):
    """`left_out`: names of records that are no items, each with why ("not_ok", "confirm", "unknown", "unusable")."""

    items: Sequence[StoreItem]
    left_out: Sequence[tuple[str, str]] = ()


def read_store(path: str) -> Store:
    """The items at `path`. Raises Refusal store_invalid for what is neither, path_invalid for what cannot be read."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return _records(path)
        if not stat.S_ISREG(mode):
            raise Refusal("path_invalid")
        with open(os.open(path, _READ), "rb") as file:
            data = file.read(MAX_STORE_BYTES + 1)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        raise Refusal("path_invalid") from None
    return Store(_items(data))


def _items(data: bytes) -> list[StoreItem]:
    """A list of {"title", "url", "date"?, "excerpt"?}, or such a list under "items"."""
    if len(data) > MAX_STORE_BYTES:
        raise Refusal("store_invalid")
    try:
        found = strict_json.loads(data)
    except strict_json.JsonError:
        raise Refusal("store_invalid") from None
    rows = found.get("items") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not 0 < len(rows) <= MAX_STORE_ITEMS:
        raise Refusal("store_invalid")
    return [_item(number, row) for number, row in enumerate(rows, 1)]


def _item(number: int, row: Any) -> StoreItem:
    if not isinstance(row, dict) or any(not isinstance(row.get(name, ""), str) for name in _TEXT_FIELDS):
        raise Refusal("store_invalid")
    title = row.get("title", "").strip()
    if not title:
        raise Refusal("store_invalid")
    return StoreItem(
        number,
        title[:MAX_TITLE_CHARS],
        web_url(row.get("url", "")),
        row.get("date", "")[:10],
        row.get("excerpt", "")[:MAX_EXCERPT_CHARS],
    )


def web_url(text: str) -> str | None:
    """`text` when it is an absolute http(s) URL that needs no escaping in an attribute or between angle brackets."""
    if not text.isascii() or not text.isprintable() or len(text) > MAX_URL_CHARS or _NEVER_IN_A_URL & set(text):
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    usable = parts.scheme in ("http", "https") and host and (port is None or port > 0) and "@" not in parts.netloc
    return text if usable else None


def _records(folder: str) -> Store:
    """The records of a folder in the order of their names, which is the same in every run."""
    names = sorted(name for name in os.listdir(folder) if RECORD_NAME.fullmatch(name))
    if not 0 < len(names) <= MAX_STORE_ITEMS:
        raise Refusal("store_invalid")
    items: list[StoreItem] = []
    left_out: list[tuple[str, str]] = []
    for number, name in enumerate(names, 1):
        found = _record_item(number, os.path.join(folder, name))
        if isinstance(found, str):
            left_out.append((name, found))
        else:
            items.append(found)
    return Store(items, left_out)


def _record_item(number: int, path: str) -> StoreItem | str:
    """The item, or why the record is none. A record left out keeps its number, so that no other item moves."""
    try:
        files = read_record(path)
    except Refusal:
        return "unusable"
    record = files.record
    if not ledger.knows(files.record_sha256, files.links_sha256):
        return "unknown"
    if record["outcome"] != "ok":
        return "not_ok"
    if record["verdict"] == "confirm":
        return "confirm"
    return StoreItem(
        number,
        record["title"] or f"Page {number}",
        web_url(record["fetched_url"] or record["requested_url"] or ""),
        record["fetched_at"][:10],
        (record["summary"] or "")[:MAX_EXCERPT_CHARS],
    )
