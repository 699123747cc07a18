"""The fetcher as a real forked process: pipes, a passed socket, a loopback server that says what a test wants."""

import os
import select
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from guarded_webfetch.core.limits import FRAME_CHUNK_BYTES, FRAME_CONTROL_BYTES, FRAME_HEAD_BYTES
from guarded_webfetch.fetcher.main import main
from guarded_webfetch.ipc import frames, strict_json
from guarded_webfetch.ipc.channel import Channel

PATIENCE_S = 20.0  # far above anything here; a test that reaches it has found a hang

Serve = Callable[[socket.socket], None]
Fetch = Callable[..., "Answer"]


@dataclass
class Answer:
    """All a fetcher said. Exactly one of `end` and `failure` is set unless the child died."""

    isolation: dict[str, Any] | None = None
    status: int | None = None
    headers: list[list[str]] = field(default_factory=list)
    body: bytes = b""
    end: dict[str, Any] | None = None
    failure: str | None = None
    exit_code: int = -1
    peak_kb: int = 0
    sent_to_server: bytes = b""


class Fetcher:
    """The broker's side of one forked fetcher."""

    def __init__(self, lock: Callable[[], dict[str, Any]]) -> None:
        child_read, self._write = os.pipe()
        self._read, child_write = os.pipe()
        self._passing, child_passing = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self._run(Channel(child_read, child_write, child_passing.detach()), lock)
        os.close(child_read)
        os.close(child_write)
        child_passing.close()

    def _run(self, channel: Channel, lock: Callable[[], dict[str, Any]]) -> None:
        code = 1
        try:
            os.close(self._read)
            os.close(self._write)
            self._passing.close()
            main(channel, lock)
            code = 0
        finally:
            os._exit(code)

    def send(self, value: object) -> None:
        os.write(self._write, frames.encode(frames.MESSAGE, strict_json.dumps(value)))

    def pass_socket(self, connection: socket.socket) -> None:
        socket.send_fds(self._passing, [b"s"], [connection.fileno()])
        connection.close()

    def frame(self) -> frames.Frame | None:
        """The next frame, None at the end of the pipe."""
        header = self._exactly(frames.HEADER.size)
        if header is None:
            return None
        accepted = {
            frames.READY: FRAME_CONTROL_BYTES,
            frames.FAILED: FRAME_CONTROL_BYTES,
            frames.MESSAGE: FRAME_HEAD_BYTES,
            frames.BYTES: FRAME_CHUNK_BYTES,
        }
        kind, length = frames.check_header(header, accepted)
        return frames.Frame(kind, self._exactly(length) or b"")

    def _exactly(self, size: int) -> bytes | None:
        data = b""
        while len(data) < size:
            ready, _, _ = select.select([self._read], [], [], PATIENCE_S)
            assert ready, "the fetcher hangs"
            part = os.read(self._read, size - len(data))
            if not part:
                assert not data, "the fetcher ended inside a frame"
                return None
            data += part
        return data

    def collect(self, answer: Answer, *, go: bool = True) -> Answer:
        """Reads to the end of the pipe, giving the go after the head."""
        while (frame := self.frame()) is not None:
            if frame.kind == frames.BYTES:
                assert frame.payload, "an empty chunk"
                answer.body += frame.payload
                continue
            message = strict_json.loads(frame.payload)
            if frame.kind == frames.FAILED:
                answer.failure = message["reason"]
            elif "status" in message:
                answer.status = message["status"]
            elif "headers" in message:
                answer.headers = message["headers"]
                if not go:
                    break
                self.send({"go": True})
            else:
                answer.end = message
        return answer

    def close(self, answer: Answer | None = None) -> None:
        os.close(self._write)
        os.close(self._read)
        self._passing.close()
        deadline = time.monotonic() + PATIENCE_S
        while (reaped := os.wait4(self.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.002)
        if answer is not None:
            answer.exit_code = os.waitstatus_to_exitcode(reaped[1])
            answer.peak_kb = reaped[2].ru_maxrss


class Server:
    """Accepts one connection on loopback, reads the request (after TLS when it has a context), then does as told."""

    def __init__(self, serve: Serve, context: ssl.SSLContext | None, *, early: bool) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._serve, self._context, self._early = serve, context, early
        self.request = b""
        self.connections = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def connect(self) -> socket.socket:
        connection = socket.create_connection(self._listener.getsockname())
        connection.setblocking(True)
        return connection

    def _run(self) -> None:
        plain, _ = self._listener.accept()
        plain.settimeout(PATIENCE_S)
        self.connections += 1
        try:
            with plain, self._secured(plain) as connection:
                while not self._early and b"\r\n\r\n" not in self.request:
                    part = connection.recv(65536)
                    if not part:
                        return
                    self.request += part
                self._serve(connection)
        except (OSError, ssl.SSLError):
            pass  # the fetcher is free to hang up

    def _secured(self, plain: socket.socket) -> socket.socket:
        return self._context.wrap_socket(plain, server_side=True) if self._context else plain

    def join(self) -> None:
        self._listener.close()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the server hangs"


def respond(data: bytes) -> Serve:
    """A server that sends `data` and closes."""
    return lambda connection: connection.sendall(data)


def close_politely(data: bytes) -> Serve:
    """A TLS server that sends `data`, then close_notify."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(data)
        assert isinstance(connection, ssl.SSLSocket)
        connection.unwrap()

    return serve


def page(body: bytes, *headers: str, status: str = "HTTP/1.1 200 OK", length: bool = True) -> bytes:
    """A whole answer; Content-Length is added unless `length` is False."""
    lines = [status, *headers, *([f"Content-Length: {len(body)}"] if length else [])]
    return "".join(line + "\r\n" for line in lines).encode("latin-1") + b"\r\n" + body


def chunked(wire: bytes, *headers: str) -> bytes:
    """An answer whose body is `wire`, chunk framing included."""
    return page(wire, "Transfer-Encoding: chunked", *headers, length=False)


def no_lock() -> dict[str, Any]:
    return {"level": "none"}


def an_order(**changes: Any) -> dict[str, Any]:
    order: dict[str, Any] = {
        "host": "site.example",
        "host_header": "site.example",
        "port": 80,
        "target": "/",
        "headers": [["Accept", "*/*"], ["Accept-Encoding", "identity, gzip"]],
        "max_bytes": 3_000_000,
    }
    return order | changes


def fetch(
    serve: Serve,
    *,
    context: ssl.SSLContext | None = None,
    ca_bundle: str | None = None,
    lock: Callable[[], dict[str, Any]] = no_lock,
    go: bool = True,
    early: bool = False,
    **order: Any,
) -> Answer:
    """A whole run of one fetcher against one server; `order` changes fields of the order."""
    fetcher = Fetcher(lock)
    server = Server(serve, context, early=early)
    answer = Answer()
    try:
        fetcher.send({"scheme": "https" if context else "http", "ca_bundle": ca_bundle})
        ready = fetcher.frame()
        assert ready is not None and ready.kind == frames.READY
        answer.isolation = strict_json.loads(ready.payload)
        fetcher.pass_socket(server.connect())
        fetcher.send(an_order(**order))
        fetcher.collect(answer, go=go)
    finally:
        fetcher.close(answer)
        server.join()
    answer.sent_to_server = server.request
    return answer
