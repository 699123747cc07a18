"""The network of httpcore here: one connected, blocking socket. Plain read, write and close, no more.

TLS runs over memory buffers, so that no TLS layer asks the socket for options or a timeout: a locked fetcher may not.
"""

import os
import ssl
from collections.abc import Callable
from typing import Any, TypeVar

import httpcore

from guarded_webfetch.core.limits import FRAME_CHUNK_BYTES
from guarded_webfetch.fetcher.wire_meter import Stage, WireMeter

_T = TypeVar("_T")


class SocketStream(httpcore.NetworkStream):
    """Plain HTTP. httpcore.ReadError and WriteError stand for every OSError, as httpcore's own backends do it."""

    def __init__(self, fd: int, meter: WireMeter) -> None:
        self._fd = fd
        self._meter = meter

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self.receive(self._meter.allowance(max_bytes))
        self._meter.ended = not data
        self._meter.count(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.send(buffer)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return TlsStream(self, self._meter, ssl_context, server_hostname)

    def get_extra_info(self, info: str) -> Any:
        return None

    def receive(self, max_bytes: int) -> bytes:
        """Uncounted bytes off the socket, b"" at its end."""
        try:
            return os.read(self._fd, max_bytes)
        except OSError as error:
            raise httpcore.ReadError from error

    def send(self, data: bytes) -> None:
        """All of `data` onto the socket."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            raise httpcore.WriteError from error


class TlsStream(httpcore.NetworkStream):
    """TLS on a SocketStream; the handshake is over once this exists. ssl.SSLError passes through."""

    def __init__(
        self, carrier: SocketStream, meter: WireMeter, context: ssl.SSLContext, server_hostname: str | None
    ) -> None:
        self._carrier = carrier
        self._meter = meter
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        name = server_hostname.encode("ascii") if server_hostname else None  # a str would go through the idna codec
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        meter.stage = Stage.HANDSHAKE
        try:
            self._drive(self._tls.do_handshake)
        except BaseException:
            carrier.close()
            raise
        meter.stage = Stage.HEAD

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        allowance = self._meter.allowance(max_bytes)
        try:
            data = self._drive(lambda: self._tls.read(allowance))
            self._meter.end_proved = not data
        except ssl.SSLEOFError:  # ended without close_notify: h11 knows whether the body is complete
            data = b""
        self._meter.ended = not data
        self._meter.count(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._drive(lambda: self._tls.write(buffer))

    def close(self) -> None:
        self._carrier.close()

    def get_extra_info(self, info: str) -> Any:
        return self._tls if info == "ssl_object" else None

    def _drive(self, operation: Callable[[], _T]) -> _T:
        """Repeats `operation` with what arrives until it needs nothing more; a memory buffer takes any length."""
        while True:
            try:
                result = operation()
            except ssl.SSLWantReadError:
                self._flush()
                self._feed()
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._carrier.send(self._outgoing.read())

    def _feed(self) -> None:
        if data := self._carrier.receive(FRAME_CHUNK_BYTES):
            self._incoming.write(data)
        else:
            self._incoming.write_eof()
