"""Connecting to judged addresses only: staggered, at most four, the peer compared, the socket made ready to hand over.

Source of the order and the stagger: RFC 8305 (Happy Eyeballs v2) sections 4 and 5.
"""

import errno
import os
import select
import socket
import time
from collections.abc import Sequence
from typing import Final

from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.limits import CONNECT_STAGGER_S, MAX_CONNECT_ATTEMPTS
from guarded_webfetch.core.reasons import Refusal

# What connect answers where an outer sandbox forbids the network (seccomp answers EPERM, a Landlock rule EACCES).
_FORBIDDEN: Final = frozenset({errno.EPERM, errno.EACCES})


def connect(addresses: Sequence[bytes], port: int, deadline: Deadline) -> socket.socket:
    """A blocking, connected TCP socket to the first of `addresses` (packed, already judged public) that answers.

    Raises Refusal connect_failed when none does, network_blocked when the system forbids trying.
    """
    waiting = interleave(addresses)[:MAX_CONNECT_ATTEMPTS]
    open_sockets: dict[int, tuple[socket.socket, bytes]] = {}
    poll = select.poll()
    next_start = 0.0
    try:
        while waiting or open_sockets:
            now = time.monotonic()
            if waiting and (now >= next_start or not open_sockets):
                packed = waiting.pop(0)
                started = _start(packed, port)
                if started is not None:
                    open_sockets[started.fileno()] = (started, packed)
                    poll.register(started.fileno(), select.POLLOUT)
                next_start = now + CONNECT_STAGGER_S
                continue
            wait_ms = deadline.remaining_ms()
            if waiting:
                wait_ms = min(wait_ms, int((next_start - now) * 1000) + 1)
            for fd, _ in poll.poll(wait_ms):
                poll.unregister(fd)
                connection, packed = open_sockets.pop(fd)
                if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    return _finish(connection, packed)
                connection.close()
    finally:
        for connection, _ in open_sockets.values():
            connection.close()
    raise Refusal("connect_failed")


def interleave(addresses: Sequence[bytes]) -> list[bytes]:
    """The same addresses, the two families taking turns, the resolver's first family first (RFC 8305 section 4)."""
    first_size = len(addresses[0]) if addresses else 0
    first = [address for address in addresses if len(address) == first_size]
    other = [address for address in addresses if len(address) != first_size]
    mixed: list[bytes] = []
    for position in range(max(len(first), len(other))):
        mixed += first[position : position + 1] + other[position : position + 1]
    return mixed


def _start(packed: bytes, port: int) -> socket.socket | None:
    """A socket whose connect is under way, or None when this address is out of reach at once."""
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    try:
        connection = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        if error.errno in _FORBIDDEN:
            raise Refusal("network_blocked") from None
        return None
    connection.setblocking(False)
    code = connection.connect_ex((socket.inet_ntop(family, packed), port))
    if code in (0, errno.EINPROGRESS):
        return connection
    connection.close()
    if code in _FORBIDDEN:
        raise Refusal("network_blocked")
    return None


def _finish(connection: socket.socket, packed: bytes) -> socket.socket:
    """Compares the peer with the address that was judged and sets every option here, since a locked child cannot."""
    try:
        family = connection.family
        if socket.inet_pton(family, connection.getpeername()[0].partition("%")[0]) != packed:
            raise Refusal("connect_failed")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        os.set_blocking(connection.fileno(), True)
    except (OSError, Refusal):
        connection.close()
        raise Refusal("connect_failed") from None
    return connection
