"""The process layer: death with the parent, no inherited descriptors, no terminal, resource limits, no new privileges.

`enter` runs first thing after the fork, `lock` after the child has imported what it needs. The kernel layers (Landlock, seccomp,
canaries) belong at the end of `lock` and nowhere else: everything a child does after `lock` happens inside them.
"""

import ctypes
import os
import resource
import signal
from typing import Any, Final

from guarded_webfetch.isolation.profiles import PROFILES, RoleName

# prctl(2) options, from linux/prctl.h
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38


class IsolationError(Exception):
    """A step of the lock failed; the child must not receive data."""


def enter(keep: tuple[int, ...], parent: int) -> None:
    """Ties this fresh fork to `parent` and drops every descriptor but `keep` (0-2 become /dev/null).

    Without the closing, a child would keep its own pipe's other end open and never see its end.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent died before the signal was armed
        os._exit(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, _open_max())
    os.setsid()


def lock(role: RoleName) -> dict[str, Any]:
    """Locks this process for ever and says what is in force, as {"level": ..., "layers": [...]}."""
    profile = PROFILES[role]
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, profile.memory_bytes)
    _limit(resource.RLIMIT_CPU, profile.cpu_s)
    if role != "resolver":  # a look-up opens files and sockets
        _limit(resource.RLIMIT_FSIZE, 0)
        _limit(resource.RLIMIT_NPROC, 0)
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    return {"level": "process", "layers": ["rlimits", "descriptors", "environment", "no_new_privs"]}


def protect_broker(memory_bytes: int) -> None:
    """The broker's own limits: no core file, a memory cap, memory unreadable by processes of the same user."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, memory_bytes)
    _prctl(_PR_SET_DUMPABLE, 0)


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard not in (resource.RLIM_INFINITY, -1):
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _open_max() -> int:
    """One above the highest open descriptor."""
    try:
        return max(map(int, os.listdir("/proc/self/fd")), default=2) + 1
    except OSError:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return soft


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise IsolationError(f"prctl {option}")
