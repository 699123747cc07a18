"""Asking a proxy for a tunnel (CONNECT, RFC 9110 section 9.3.6) on a connected socket, without touching a byte of the tunnel.

The proxy's own words are never kept: an answer is a tunnel or a refusal.
"""

import re
import select
import socket
from typing import Final

from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.limits import MAX_PROXY_HEAD_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import Url

_START: Final = b"HTTP/1."
_END: Final = b"\r\n\r\n"
_SUCCESS: Final = re.compile(rb"HTTP/1\.[01] 2[0-9][0-9](?: [^\r\n]*)?")


def open_tunnel(connection: socket.socket, url: Url, authorization: bytes | None, deadline: Deadline) -> None:
    """Makes `connection`, a connected socket to a proxy, lead to the host of `url`; it is blocking again afterwards.

    Raises Refusal proxy_refused for every answer but 2xx, and the deadline's own reason.
    """
    connection.setblocking(False)
    try:
        _send(connection, _request(url, authorization), deadline)
        _read_answer(connection, deadline)
    except OSError:
        raise Refusal("proxy_refused") from None
    connection.setblocking(True)


def _request(url: Url, authorization: bytes | None) -> bytes:
    host = f"[{url.host}]" if ":" in url.host else url.host
    authority = f"{host}:{url.port}".encode("ascii")
    lines = [b"CONNECT " + authority + b" HTTP/1.1", b"Host: " + authority]
    if authorization is not None:
        lines.append(b"Proxy-Authorization: " + authorization)
    return b"\r\n".join(lines) + _END


def _send(connection: socket.socket, data: bytes, deadline: Deadline) -> None:
    view = memoryview(data)
    while view:
        _wait(connection, select.POLLOUT, deadline)
        view = view[connection.send(view) :]


def _read_answer(connection: socket.socket, deadline: Deadline) -> None:
    """Takes the head of the answer off the socket and nothing behind it: what follows the empty line came through the tunnel."""
    head = b""
    while not head.endswith(_END):
        _wait(connection, select.POLLIN, deadline)
        ahead = connection.recv(MAX_PROXY_HEAD_BYTES - len(head), socket.MSG_PEEK)
        end = (head + ahead).find(_END)
        taken = len(ahead) if end < 0 else end + len(_END) - len(head)
        head += connection.recv(taken)
        if not ahead or not _may_become_tunnel(head):
            raise Refusal("proxy_refused")


def _may_become_tunnel(head: bytes) -> bool:
    """Whether the head, as far as it has come, is that of a success. One that is not need not be waited for."""
    line, line_end, _ = head.partition(b"\r\n")
    if line_end and not _SUCCESS.fullmatch(line):
        return False
    if b"\n" in head.replace(b"\r\n", b"") or not head.startswith(_START[: len(head)]):
        return False
    return head.endswith(_END) or len(head) < MAX_PROXY_HEAD_BYTES


def _wait(connection: socket.socket, event: int, deadline: Deadline) -> None:
    poll = select.poll()
    poll.register(connection, event)
    while not poll.poll(deadline.remaining_ms()):
        pass
