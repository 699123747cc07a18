"""A process forked before anything from outside is read, which gets its work over a line of JSON messages.

What it forks in turn can therefore inherit neither a page nor a response; and it ends with the process that wants its work.
"""

import contextlib
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from guarded_webfetch.core.limits import MAX_SIDE_MESSAGE_BYTES
from guarded_webfetch.summary import client_process

_READ_BYTES: Final = 1 << 16
_MAX_DESCRIPTORS: Final = 65_536
_GRACE_S: Final = 10.0  # to take down what it started


class SideFailed(Exception):
    """It ended, said too much, or took too long."""


class Line:
    """One end of the line, as messages ended by LF."""

    def __init__(self, from_fd: int, to_fd: int) -> None:
        self._from_fd: Final = from_fd
        self._to_fd: Final = to_fd
        self._rest = b""

    def send(self, message: dict[str, Any]) -> None:
        """Raises OSError when nobody listens any more."""
        view = memoryview(json.dumps(message).encode() + b"\n")
        while view:
            view = view[os.write(self._to_fd, view) :]

    def receive(self, limit_s: float | None = None) -> dict[str, Any] | None:
        """The next message, None at the end of the line. Raises SideFailed past `limit_s` or beyond the size of a message."""
        until = None if limit_s is None else time.monotonic() + limit_s
        poll = select.poll()
        poll.register(self._from_fd, select.POLLIN)
        while b"\n" not in self._rest:
            left_ms = None if until is None else max(0, int((until - time.monotonic()) * 1_000))
            if not poll.poll(left_ms) or len(self._rest) > MAX_SIDE_MESSAGE_BYTES:
                raise SideFailed
            part = os.read(self._from_fd, _READ_BYTES)
            if not part:
                return None
            self._rest += part
        found, _, self._rest = self._rest.partition(b"\n")
        message: dict[str, Any] = json.loads(found)
        return message

    def wanted(self) -> bool:
        """Whether the other end still listens."""
        poll = select.poll()
        poll.register(self._to_fd, 0)
        return not poll.poll(0)

    def close(self) -> None:
        os.close(self._from_fd)
        os.close(self._to_fd)


class SideProcess:
    """Runs `serve(line)` in a fork; a context manager that leaves no process behind."""

    def __init__(self, serve: Callable[[Line], None], keep: tuple[int, ...] = ()) -> None:
        """`keep`: descriptors it needs besides its line."""
        orders, order = os.pipe()
        answers, answer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _live((orders, answer), keep, serve)
        os.close(orders)
        os.close(answer)
        self._line: Final = Line(answers, order)

    def ask(self, order: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Its answer to one order; SideFailed when there is none within `limit_s`."""
        try:
            self._line.send(order)
            answer = self._line.receive(limit_s)
        except OSError:
            raise SideFailed from None
        if answer is None:
            raise SideFailed
        return answer

    def __enter__(self) -> "SideProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()  # tells it to end
        until = time.monotonic() + _GRACE_S
        while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                return
            time.sleep(0.01)


def _live(ends: tuple[int, int], keep: tuple[int, ...], serve: Callable[[Line], None]) -> None:
    """The whole life of the process: it never returns and prints nothing."""
    try:
        _close_others({*ends, *keep})  # with the other end of another's line open, that one would never see its end
        client_process.become_subreaper()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it sees the end of its line, and has something to take down
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        serve(Line(*ends))
    finally:
        client_process.end_all(frozenset())
        os._exit(0)


def _close_others(keep: set[int]) -> None:
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = max(start, fd + 1)
    os.closerange(start, _MAX_DESCRIPTORS)
