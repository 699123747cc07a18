"""One run of a client: text on stdin, capped output, a deadline, and nothing of it left behind."""

import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Final

from guarded_webfetch.core.limits import MAX_MODEL_OUTPUT_BYTES
from guarded_webfetch.isolation import kernel
from guarded_webfetch.summary.clients import Command, Folder

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_POLL_MS: Final = 200
_CHUNK_BYTES: Final = 1 << 16


class ClientFailed(Exception):
    """The client did not deliver: exit status, deadline, too much output, or the run around it has ended."""


def become_subreaper() -> None:
    """Whatever a client leaves running becomes a child of this process, so that `end_all` finds it."""
    try:
        kernel.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    except OSError:
        pass


def run(command: Command, folder: Folder, text: bytes, deadline_s: float, watched: Callable[[], bool]) -> bytes:
    """What the client printed. `watched` is asked now and then and ends the wait by answering False; raises ClientFailed."""
    process = start(command, folder)
    end = time.monotonic() + deadline_s
    try:
        said = _exchange(process, text, end, watched)
        if process.wait(max(0.1, end - time.monotonic())) != 0:
            raise ClientFailed
        return said
    except (OSError, subprocess.TimeoutExpired):
        raise ClientFailed from None
    finally:
        stop(process)


def start(command: Command, folder: Folder) -> "subprocess.Popen[bytes]":
    """Starts the client in the private folder, in a session of its own; ClientFailed when it cannot be."""
    try:
        return subprocess.Popen(
            command.argv,
            cwd=folder.work, env=command.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=_tie,  # noqa: PLW1509 - there are no threads
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        raise ClientFailed from None


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Kills the client and all it started, and reaps it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:  # what was still to be written to it
                pass
    process.wait()


def end_all(keep: frozenset[int]) -> None:
    """Kills and reaps every child of this process but `keep`: what a client left in a session of its own."""
    for _ in range(100):
        others = [pid for pid in children() if pid not in keep]
        if not others:
            return
        for pid in others:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def children() -> list[int]:
    """The ids of this process's children."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _tie() -> None:
    """In the client before it starts: it dies with us, and its crash writes no core file with page text."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        kernel.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except OSError:
        pass


def _exchange(process: "subprocess.Popen[bytes]", text: bytes, end: float, watched: Callable[[], bool]) -> bytes:
    """Writes `text`, then reads to the end of the output, never blocking on either."""
    assert process.stdin is not None and process.stdout is not None
    to_fd, from_fd = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(to_fd, False)
    rest, said = memoryview(text), bytearray()
    poll = select.poll()
    poll.register(from_fd, select.POLLIN)
    poll.register(to_fd, select.POLLOUT)
    while time.monotonic() < end and watched():
        for fd, _ in poll.poll(_POLL_MS):
            if fd == to_fd:
                rest = rest[_write(to_fd, rest) :]
                if not rest:
                    poll.unregister(to_fd)
                    process.stdin.close()
                continue
            part = os.read(from_fd, _CHUNK_BYTES)
            said += part
            if not part:
                return bytes(said)
            if len(said) > MAX_MODEL_OUTPUT_BYTES:
                raise ClientFailed
    raise ClientFailed


def _write(fd: int, rest: memoryview) -> int:
    """Bytes written; all of them when the client reads no further."""
    try:
        return os.write(fd, rest)
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(rest)
