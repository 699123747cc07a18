"""A quarantined child as the broker sees it: forked without exec, spoken to in frames, killed and reaped."""

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, Final

from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.contract import validator
from guarded_webfetch.core.limits import FRAME_CONTROL_BYTES
from guarded_webfetch.core.reasons import REASONS, Refusal
from guarded_webfetch.ipc import frames, strict_json
from guarded_webfetch.ipc.channel import Channel, Role
from guarded_webfetch.isolation import process
from guarded_webfetch.isolation.profiles import RoleName

_READ_BYTES: Final = 1 << 16
_REAP_GRACE_S: Final = 0.05  # a pipe closes a moment before its owner can be reaped
_REAP_POLL_S: Final = 0.002
# Signals that tell of a limit met in a library's C code, not of a broken promise (research: pdfium aborts when memory ends).
_LIMIT_SIGNALS: Final = frozenset({signal.SIGABRT, signal.SIGKILL, signal.SIGXCPU})


class Child:
    """One running child. Every wait takes a Deadline and raises Refusal when it passes; none blocks for ever."""

    def __init__(self, role: RoleName, pid: int, to_fd: int, from_fd: int, passing: socket.socket | None) -> None:
        self.role: Final = role
        self.isolation: dict[str, Any] = {}
        self._pid = pid
        self._to_fd = to_fd
        self._from_fd = from_fd
        self._passing = passing
        self._limits_are_content = False
        self.cpu_ms = 0.0  # user and system time, known once the child has been reaped

    @property
    def alive(self) -> bool:
        return self._pid > 0

    def blame_content(self) -> None:
        """From now on a death by a limit signal means that the content needed too much, not that a promise broke."""
        self._limits_are_content = True

    def send(self, kind: int, payload: bytes, deadline: Deadline) -> None:
        """One frame; waits while the pipe is full."""
        view = memoryview(frames.encode(kind, payload))
        poll = select.poll()
        poll.register(self._to_fd, select.POLLOUT)
        while view:
            if not poll.poll(deadline.remaining_ms()):
                continue
            try:
                view = view[os.write(self._to_fd, view) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._ended() from None

    def send_message(self, value: object, deadline: Deadline) -> None:
        self.send(frames.MESSAGE, strict_json.dumps(value), deadline)

    def pass_socket(self, connection: socket.socket) -> None:
        """Hands a connected socket over and closes the broker's copy."""
        if self._passing is None:
            raise ValueError("this role takes no socket")
        try:
            socket.send_fds(self._passing, [b"s"], [connection.fileno()])
        except OSError:
            raise self._ended() from None
        finally:
            connection.close()

    def await_ready(self, deadline: Deadline) -> None:
        """Waits until the child has imported and locked itself; keeps what its canaries saw."""
        ready = self.receive({frames.READY: FRAME_CONTROL_BYTES}, deadline)
        self.isolation = _mapping(ready.payload)

    def receive(self, accepted: dict[int, int], deadline: Deadline) -> frames.Frame:
        """The next frame of a kind in `accepted` (kind -> longest payload).

        Raises the Refusal a child asked for with a FAILED frame, child_frame_invalid for anything not accepted.
        """
        try:
            header = self._read(frames.HEADER.size, deadline)
            kind, length = frames.check_header(header, {**accepted, frames.FAILED: FRAME_CONTROL_BYTES})
        except frames.FrameError:
            raise Refusal("child_frame_invalid") from None
        frame = frames.Frame(kind, self._read(length, deadline))
        if kind == frames.FAILED:
            raise self._refused(frame.payload)
        return frame

    def receive_message(self, schema: str, limit_bytes: int, deadline: Deadline) -> dict[str, Any]:
        """The next message, if it is strict JSON and fits `schema` (a name in contract/); else child_frame_invalid."""
        return check_message(self.receive({frames.MESSAGE: limit_bytes}, deadline).payload, schema)

    def strike(self) -> None:
        """Kills the child without waiting for its end; `kill` is still due."""
        if self._pid > 0:
            os.kill(self._pid, signal.SIGKILL)

    def kill(self) -> None:
        """Ends and reaps the child and closes every descriptor to it. Safe to call twice."""
        if self._pid > 0:
            self._reap(0)
        for fd in (self._to_fd, self._from_fd):
            if fd >= 0:
                os.close(fd)
        self._to_fd = self._from_fd = -1
        if self._passing is not None:
            self._passing.close()

    def _read(self, size: int, deadline: Deadline) -> bytes:
        buffer = bytearray()
        poll = select.poll()
        poll.register(self._from_fd, select.POLLIN)
        while len(buffer) < size:
            if not poll.poll(deadline.remaining_ms()):
                continue
            part = os.read(self._from_fd, min(size - len(buffer), _READ_BYTES))
            if not part:
                raise self._ended()
            buffer += part
        return bytes(buffer)

    def _refused(self, payload: bytes) -> Refusal:
        code = _mapping(payload).get("reason")
        if not isinstance(code, str) or code not in FAILURES[self.role]:
            return Refusal("child_frame_invalid")
        return Refusal(code)

    def _ended(self) -> Refusal:
        """The child closed its pipe without being asked to: reap it and say why."""
        ended_by = abs(os.waitstatus_to_exitcode(self._reap(_REAP_GRACE_S)))  # abort() may show as an exit status
        if self._limits_are_content and ended_by in _LIMIT_SIGNALS:
            return Refusal("resource_limit")
        return Refusal("child_crashed")

    def _reap(self, grace_s: float) -> int:
        """The wait status. A child that has closed its pipes but lives on after `grace_s` is killed."""
        pid, self._pid = self._pid, 0
        end = time.monotonic() + grace_s
        while time.monotonic() < end and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(_REAP_POLL_S)
        os.kill(pid, signal.SIGKILL)  # without effect on the status of one that has ended
        _, status, usage = os.wait4(pid, 0)
        self.cpu_ms = (usage.ru_utime + usage.ru_stime) * 1000
        return status


def spawn(role: RoleName, main: Role, *, takes_socket: bool = False, namespaced: bool = False) -> Child:
    """Forks a child that runs `main`. It holds what the broker holds at this moment, so fork before any secret arrives.

    `namespaced` gives it namespaces of its own besides, level "max".
    """
    child_in, to_child = os.pipe()
    from_child, child_out = os.pipe()
    ours, theirs = socket.socketpair() if takes_socket else (None, None)
    parent = os.getpid()
    pid = process.fork(namespaced=namespaced)
    if pid == 0:
        channel = Channel(child_in, child_out, theirs.fileno() if theirs else -1)
        _run(lambda: main(channel, lambda: process.lock(role, namespaced=namespaced)), channel, parent)
    os.close(child_in)
    os.close(child_out)
    if theirs is not None:
        theirs.close()
    os.set_blocking(to_child, False)
    return Child(role, pid, to_child, from_child, ours)


def _run(work: Callable[[], None], channel: Channel, parent: int) -> None:
    """The child's whole life. It never returns and never prints: an unexpected error ends it with status 1."""
    status = 1
    try:
        keep = (channel.read_fd, channel.write_fd, channel.socket_fd)
        process.enter(tuple(fd for fd in keep if fd >= 0), parent)
        work()
        status = 0
    except EOFError:  # the broker closed the pipe: nothing more to do
        status = 0
    except (MemoryError, RecursionError):
        os.abort()
    finally:
        os._exit(status)


def check_message(payload: bytes, schema: str) -> dict[str, Any]:
    """The message in `payload`, if it is strict JSON and fits `schema`; else Refusal child_frame_invalid."""
    value = _mapping(payload)
    if not validator.load(schema)(value):
        raise Refusal("child_frame_invalid")
    return value


def _mapping(payload: bytes) -> dict[str, Any]:
    try:
        value = strict_json.loads(payload)
    except strict_json.JsonError:
        raise Refusal("child_frame_invalid") from None
    if not isinstance(value, dict):
        raise Refusal("child_frame_invalid")
    return value


def _codes(*codes: str) -> frozenset[str]:
    return frozenset(REASONS[code].code for code in codes)


FAILURES: Final[dict[RoleName, frozenset[str]]] = {
    "resolver": _codes("dns_no_answer", "dns_failed"),
    "fetcher": _codes(
        "trust_store_missing", "connect_failed", "tls_failed", "tls_certificate", "http_protocol", "headers_too_large",
        "content_encoding", "body_incomplete", "body_too_large",
    ),
    "parser": _codes(
        "charset_unknown", "extract_empty", "bot_challenge", "login_required", "content_type", "pdf_broken", "pdf_encrypted",
        "pdf_no_text", "resource_limit",
    ),
    "sanitizer": _codes("resource_limit"),
}  # fmt: skip
