"""One connection to a site: TLS, HTTP/1.1 requests, and replies that behave or misbehave as `replies.Reply` says."""

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from typing import Final

from tests.internet import addresses
from tests.internet.log import LogWriter
from tests.internet.replies import Reply, Request, pieces, size_of

IDLE_S: Final = 120.0  # nobody waits longer for a silent server
MAX_REQUEST_BYTES: Final = 200_000
TRAP_MARKER: Final = "INTERNAL-PAGE-NOBODY-MAY-READ"
TRAP_REPLY: Final = Reply(
    headers=(("Content-Type", "text/html; charset=utf-8"),),
    body=f"<html><body><article><h1>Internal</h1><p>{TRAP_MARKER} keys and tables for the operator.</p>"
    "</article></body></html>".encode(),
)
NOT_FOUND: Final = Reply(404, (("Content-Type", "text/plain; charset=utf-8"),), b"There is no such page here.\n")

Find = Callable[[Request], Reply]


class Conversation:
    """Serves one accepted connection to its end. `find` picks the reply of a site; a trap always shows its marker."""

    def __init__(self, connection: socket.socket, log: LogWriter, tls: ssl.SSLContext | None, find: Find) -> None:
        self._connection = connection
        self._log = log
        self._tls = tls
        self._find = find
        address, port = connection.getsockname()[:2]
        self._where = {"address": address, "port": port}

    def run(self) -> None:
        connection = self._connection
        connection.settimeout(IDLE_S)
        try:
            if self._misbehave_below_http(connection):
                return
            if self._tls is not None:
                connection = self._connection = self._handshake(connection, self._tls)
            while self._one_exchange(connection):
                pass
        except (OSError, ValueError):
            pass  # the client went away, or spoke no TLS or HTTP: nothing to answer
        finally:
            connection.close()

    def _misbehave_below_http(self, connection: socket.socket) -> bool:
        """Addresses that never get as far as TLS or HTTP."""
        address = self._where["address"]
        if address == addresses.TLS_SILENT:
            wait_for_close(connection)
        elif address == addresses.TLS_GARBAGE:
            connection.sendall(b"\x00\xffneither TLS nor HTTP\r\n" * 8)
        elif address == addresses.RESETTING:
            reset(connection)
        return address in (addresses.TLS_SILENT, addresses.TLS_GARBAGE, addresses.RESETTING, addresses.CLOSING)

    def _handshake(self, connection: socket.socket, context: ssl.SSLContext) -> ssl.SSLSocket:
        secure = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        secure.sealed_name = None  # type: ignore[attr-defined]
        ok = False
        try:
            secure.do_handshake()
            ok = True
        finally:
            name = secure.sealed_name  # type: ignore[attr-defined]
            self._log.add("tls", **self._where, name=name, ok=ok)
        return secure

    def _one_exchange(self, connection: socket.socket) -> bool:
        """Reads a request, answers it; True when another may follow on the same connection."""
        request = read_request(connection, tls=self._tls is not None)
        if request is None:
            return False
        self._log.add(
            "http", **self._where, tls=request.tls, method=request.method, target=request.target,
            host=request.host, headers=[list(pair) for pair in request.headers],
        )  # fmt: skip
        reply = TRAP_REPLY if addresses.is_trap(str(self._where["address"])) else self._find(request)
        if not send(connection, reply) or "close" in request.header("Connection").lower():
            finish(connection, reply)
            return False
        return True


def read_request(connection: socket.socket, *, tls: bool) -> Request | None:
    """The next request head (GET has no body); None at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65_536)
        data += more
        if not more or len(data) > MAX_REQUEST_BYTES:
            return None
    lines = data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    method, target, _version = lines[0].split(" ", 2)
    fields = (line.partition(":") for line in lines[1:])
    return Request(method, target, tuple((name, value.strip()) for name, _, value in fields), tls)


def send(connection: socket.socket, reply: Reply) -> bool:
    """Sends one reply; True when it was whole and its end can be told, so that the connection stays of use."""
    if reply.silent:
        wait_for_close(connection)
        return False
    time.sleep(reply.delay_s)
    if reply.raw is not None:
        for piece in pieces(reply.raw, reply.piece_bytes):
            connection.sendall(piece)
            time.sleep(reply.pause_s)
        return False
    connection.sendall(reply.head(None if reply.framing != "length" else size_of(reply.body)))
    whole = send_body(connection, reply)
    if whole and reply.framing == "chunked":
        connection.sendall(b"0\r\n" + reply.trailer + b"\r\n")
    return whole and reply.framing != "close" and reply.length is None and not reply.reset


def send_body(connection: socket.socket, reply: Reply) -> bool:
    """Sends the body as its framing wants; False when it was cut on purpose."""
    left = reply.cut_at
    for piece in pieces(reply.body, reply.piece_bytes):
        part = piece if left is None else piece[:left]
        if part:
            connection.sendall(b"%x\r\n%s\r\n" % (len(part), part) if reply.framing == "chunked" else part)
        if left is not None:
            left -= len(part)
            if left <= 0:
                return False
        time.sleep(reply.pause_s)
    return True


def finish(connection: socket.socket, reply: Reply) -> None:
    if reply.reset:
        reset(connection)
    elif isinstance(connection, ssl.SSLSocket) and reply.close_notify:
        connection.settimeout(1.0)
        connection.unwrap()
    else:
        connection.shutdown(socket.SHUT_WR)
        wait_for_close(connection, 2.0)  # a close with unread input would send RST and take the last bytes away


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def wait_for_close(connection: socket.socket, limit_s: float = IDLE_S) -> None:
    """Reads and drops until the client is gone or the limit is over."""
    connection.settimeout(limit_s)
    while connection.recv(65_536):
        pass


def start(conversation: Conversation) -> None:
    threading.Thread(target=conversation.run, daemon=True).start()
