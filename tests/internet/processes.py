"""Finding and ending what was started: nothing of a sealed internet may outlive it."""

import ctypes
import os
import signal
import time
from pathlib import Path
from typing import Final

PR_SET_PDEATHSIG: Final = 1  # prctl(2)
PR_SET_CHILD_SUBREAPER: Final = 36


def become_subreaper() -> None:
    """Orphaned grandchildren become children of this process instead of init's, so that none is lost."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """SIGKILL when the thread that started this process ends. For the child, between fork and exec."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def ignore_terminal_signals() -> None:
    """Ctrl-C is for the command. A handler, not SIG_IGN: a command must not inherit a signal as ignored."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, lambda *_: None)


def descendants(root: int) -> list[int]:
    """All living processes below `root`, without itself and without zombies."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            parent, state = _parent_and_state(entry)
            if state not in ("Z", "X", ""):
                children.setdefault(parent, []).append(int(entry))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def command_line(pid: int) -> str:
    """Arguments joined by spaces; "" when the process is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def kill_descendants(root: int, *, limit_s: float = 5.0) -> None:
    """SIGKILL to everything below `root` until nothing is left, also what is forked meanwhile."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        left = descendants(root)
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.005)


def reap_all() -> list[tuple[int, int]]:
    """(pid, status as subprocess counts it) of every child that has ended."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status)))


def _parent_and_state(pid: str) -> tuple[int, str]:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2].split()
    except OSError:
        return 0, ""
    return int(after_name[1]), after_name[0].decode()


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
