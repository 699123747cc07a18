"""What a locked child sees of its lock: it tries what must fail, and only what it saw is reported.

A sandbox call that returns success and does nothing is the commonest fault of sandboxes, so no return code counts here.
Every try is harmless where it succeeds.
"""

import errno
import os
import resource
import stat
from collections.abc import Callable
from typing import Final

from guarded_webfetch.isolation import capabilities, kernel
from guarded_webfetch.isolation.profiles import PROFILES, ZERO_LIMITS, RoleName

_PR_GET_DUMPABLE, _PR_GET_NO_NEW_PRIVS = 3, 39
_STANDARD: Final = (0, 1, 2)
_AF_INET, _SOCK_STREAM = 2, 1
_PROT_READ_EXEC, _MAP_PRIVATE_ANONYMOUS = 5, 0x22


def _open_for_reading() -> None:
    os.close(os.open("/", os.O_RDONLY))


def _open_for_writing() -> None:
    os.close(os.open(os.devnull, os.O_WRONLY))


def _make_socket() -> None:
    os.close(kernel.call("socket", _AF_INET, _SOCK_STREAM, 0))


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _signal() -> None:
    os.kill(os.getpid(), 0)  # to itself: nothing but a seccomp filter refuses that


def _map_code() -> None:
    size = resource.getpagesize()
    start = kernel.call("mmap", 0, size, _PROT_READ_EXEC, _MAP_PRIVATE_ANONYMOUS, -1, 0)
    kernel.call("munmap", start, size)


def _execute() -> None:
    os.execv("/", ["/"])  # a folder: EACCES without a filter


def _listen() -> None:
    kernel.call("listen", -1, 1)  # EBADF without a filter


_COMMON: Final[dict[str, Callable[[], None]]] = {
    "write": _open_for_writing, "fork": _fork, "kill": _signal, "exec_memory": _map_code,
}  # fmt: skip
_STRICT: Final = {"open": _open_for_reading, "socket": _make_socket, **_COMMON}
_RESOLVER: Final = {"execve": _execute, "listen": _listen, **_COMMON}  # it may read files and make sockets


def seccomp(role: RoleName) -> dict[str, str]:
    """What each forbidden try answered: the name of its errno, or "succeeded". EPERM everywhere is the filter's answer."""
    return {name: _outcome(canary) for name, canary in (_RESOLVER if role == "resolver" else _STRICT).items()}


def landlock() -> bool:
    """Whether Landlock denies writing. Before the filter, which would answer in its place."""
    return _outcome(_open_for_writing) == "EACCES"


def hygiene(role: RoleName) -> list[str]:
    """The layers besides the kernel's two that are really in force here; before the filter, which hides them."""
    checks = {
        "descriptors": _only_pipes_and_null,
        "rlimits": lambda: _limits_hold(role),
        "capabilities": capabilities.none_held,
        "unreadable_memory": lambda: kernel.prctl(_PR_GET_DUMPABLE) == 0,
        "no_new_privs": lambda: kernel.prctl(_PR_GET_NO_NEW_PRIVS) == 1,
        "single_thread": lambda: len(os.listdir("/proc/self/task")) == 1,  # both kernel layers bind one thread only
    }
    return [name for name, check in checks.items() if _holds(check)]


def _outcome(canary: Callable[[], None]) -> str:
    try:
        canary()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "unknown")
    return "succeeded"


def _holds(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except OSError:
        return False


def _only_pipes_and_null() -> bool:
    """Whether 0-2 are the null device and all other descriptors pipes or sockets."""
    null = os.stat(os.devnull).st_rdev
    listed = [int(name) for name in os.listdir("/proc/self/fd")]
    return all(_harmless(fd, null) for fd in listed)


def _harmless(fd: int, null: int) -> bool:
    try:
        status = os.fstat(fd)
    except OSError:  # the one that listed them
        return True
    if fd in _STANDARD:
        return stat.S_ISCHR(status.st_mode) and status.st_rdev == null
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)


def _limits_hold(role: RoleName) -> bool:
    kinds = [getattr(resource, f"RLIMIT_{name}", None) for name in ZERO_LIMITS]
    _, memory = resource.getrlimit(resource.RLIMIT_AS)
    _, cpu = resource.getrlimit(resource.RLIMIT_CPU)
    profile = PROFILES[role]
    bounded = 0 < memory <= profile.memory_bytes and 0 < cpu <= profile.cpu_s  # -1 is "no limit"
    return bounded and all(resource.getrlimit(kind) == (0, 0) for kind in kinds if kind is not None)
