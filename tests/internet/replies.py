"""How a site answers: plain data, so that a test can send new answers to a running sealed internet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal

PIECE_BYTES = 65_536


@dataclass(frozen=True)
class Repeat:
    """`head`, then `piece` over and over (`times`; None: for ever), then `tail`. Never held in memory as a whole."""

    piece: bytes
    times: int | None = None
    head: bytes = b""
    tail: bytes = b""

    @property
    def size(self) -> int | None:
        return None if self.times is None else len(self.head) + self.times * len(self.piece) + len(self.tail)

    def pieces(self) -> Iterator[bytes]:
        if self.head:
            yield self.head
        done = 0
        while self.times is None or done < self.times:
            yield self.piece
            done += 1
        if self.tail:
            yield self.tail


Body = bytes | Repeat | Callable[[], bytes]
Headers = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True)
class Request:
    method: str
    target: str  # as sent
    headers: tuple[tuple[str, str], ...]  # in wire order, names as sent
    tls: bool

    def header(self, name: str) -> str:
        """All values of one header joined by ", "; "" when absent."""
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())

    @property
    def host(self) -> str:
        """Host header in lower case without port and trailing dot."""
        host = self.header("Host").lower()
        return (
            host.partition("]")[0].lstrip("[") if host.startswith("[") else host.rpartition(":")[0].rstrip(".") or host
        )

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Reply:
    """One answer. The fields beyond `body` are ways to misbehave, or to be unusual in a legitimate way."""

    status: int = 200
    headers: Headers = ()
    body: Body = b""
    framing: Literal["length", "chunked", "close"] = "length"
    length: int | None = None  # declared Content-Length when it is not the real one
    delay_s: float = 0.0  # before the first byte of the answer
    pause_s: float = 0.0  # between pieces of the body
    piece_bytes: int = PIECE_BYTES  # how much of a bytes body goes out between two pauses
    cut_at: int | None = None  # close after this many body bytes
    silent: bool = False  # read the request, never answer
    reset: bool = False  # RST instead of the end
    close_notify: bool = True  # False: end a TLS connection without it
    raw: Body | None = None  # the whole answer, instead of everything above but pauses
    trailer: bytes = b""  # after the last chunk of a chunked body

    def head(self, size: int | None) -> bytes:
        """Status line and headers for a body of `size` bytes (None: unknown)."""
        lines = [b"HTTP/1.1 %d %s" % (self.status, _phrase(self.status))]
        for name, value in self.headers:
            lines.append(
                name.encode("latin-1") + b": " + (value if isinstance(value, bytes) else value.encode("latin-1"))
            )
        if self.framing == "chunked":
            lines.append(b"Transfer-Encoding: chunked")
        elif self.framing == "length":
            declared = size if self.length is None else self.length
            if declared is not None:
                lines.append(b"Content-Length: %d" % declared)
        return b"\r\n".join(lines) + b"\r\n\r\n"


Handler = Callable[[Request], Reply]
Route = Reply | Handler


class Turns:
    """A handler that gives each reply once, in order; the last one stays."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)

    def __call__(self, request: Request) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


@dataclass(frozen=True)
class Site:
    """A host with its routes. A path not listed is a 404; the route "*" answers every other path."""

    host: str
    about: str
    routes: dict[str, Route] = field(default_factory=dict)
    addresses: tuple[str, ...] | None = ()  # () the usual address; None: names.py says what the name resolves to
    certificate: str = "good"  # which of authority.py's certificates it presents


def pieces(body: Body, piece_bytes: int) -> Iterator[bytes]:
    """The body in the pieces it goes out in; an empty piece is a pause."""
    if isinstance(body, Repeat):
        yield from body.pieces()
        return
    whole = body if isinstance(body, bytes) else body()
    for start in range(0, len(whole), piece_bytes):
        yield whole[start : start + piece_bytes]


def size_of(body: Body) -> int | None:
    """Bytes of the body; None when it never ends."""
    if isinstance(body, Repeat):
        return body.size
    return len(body if isinstance(body, bytes) else body())


def _phrase(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b"Unknown"
