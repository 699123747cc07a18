"""The process of one source: fetches it like any other URL, and makes the file once the run has room for it.

Only this process ever holds the words of the page; the run learns a reason code, a status and a number of characters.
"""

import json
import os
import socket
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker import run as broker
from guarded_webfetch.broker import side_line
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.store import Store
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources.fenced import Language, fenced, in_language

_BESIDE: Final = ("", ".links", ".hidden", ".trace", ".held")


class Order(NamedTuple):
    """`folder`: where the file goes, as `file`. `keep_records`: leave the record where options.out says."""

    url: str
    folder: str | None
    file: str
    language: Language
    include_flagged: bool
    keep_records: bool


class Found(NamedTuple):
    """What the run is told. `chars`: of the body as it would be written; 0 for a page that is held back."""

    code: str
    status: int | None
    verdict: str | None
    truncated: bool
    chars: int
    crawl_delay_s: float = 0.0


class _Page(NamedTuple):
    title: str | None
    body: str | None  # None: held back


def start(order: Order, options: Options) -> tuple[int, socket.socket]:
    """Forks the process; its number and the run's end of the line to it."""
    return side_line.fork(lambda line: _work(order, options, line))


def _work(order: Order, options: Options, line: socket.socket) -> None:
    found, page = _fetch(order, options)
    _send(line, found._asdict())
    if page is None:
        return
    nonce = _receive(line).get("nonce")
    if isinstance(nonce, str):
        text = fenced(order.url, page.title, page.body, nonce, order.language)
        Store.open(order.folder).write(order.file, text.encode("utf-8"))
        _send(line, {"written": True})


def _fetch(order: Order, options: Options) -> tuple[Found, _Page | None]:
    try:
        written = broker.fetch(order.url, options)
    except Refusal as refusal:
        return Found(refusal.code, None, None, False, 0), None
    record = _load(written.path)
    page = _page(record, written.path, order) if written.code == "ok" else None
    if not order.keep_records:
        _discard(written.path)
    chars = len(page.body or "") if page else 0
    truncated = written.verdict == "incomplete"
    found = Found(written.code, record["http_status"], written.verdict, truncated, chars, written.crawl_delay_s)
    return found, page


def _page(record: dict[str, Any], path: str, order: Order) -> _Page:
    texts = record
    if record["verdict"] == "confirm":
        if not order.include_flagged:
            return _Page(None, None)
        texts = _load(f"{path.removesuffix('.json')}.held.json")
    return _Page(texts["title"], in_language(texts["raw_text"] or "", order.language))


def _load(path: str) -> dict[str, Any]:
    """What the broker of this very process has just written into a private folder."""
    with open(path, encoding="utf-8") as file:
        value: dict[str, Any] = json.load(file)
        return value


def _discard(path: str) -> None:
    for kind in _BESIDE:
        try:
            os.unlink(f"{path.removesuffix('.json')}{kind}.json")
        except FileNotFoundError:
            pass


def _send(line: socket.socket, message: dict[str, Any]) -> None:
    line.sendall(json.dumps(message).encode())


def _receive(line: socket.socket) -> dict[str, Any]:
    value = json.loads(line.recv(side_line.MAX_MESSAGE_BYTES) or b"{}")
    return value if isinstance(value, dict) else {}
