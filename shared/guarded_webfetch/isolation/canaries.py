"""What a locked child sees of its lock: it tries what must fail, and only what it saw is reported.

A sandbox call that returns success and does nothing is the commonest fault of sandboxes, so no return code counts here.
Every try is harmless where it succeeds.
"""

import errno
import fcntl
import os
import resource
import socket
import stat
import struct
from collections.abc import Callable
from typing import Final, NamedTuple

from guarded_webfetch.isolation import capabilities, kernel
from guarded_webfetch.isolation.profiles import PROFILES, ZERO_LIMITS, RoleName

_PR_GET_DUMPABLE, _PR_GET_NO_NEW_PRIVS = 3, 39
_STANDARD: Final = (0, 1, 2)
_SIOCGIFFLAGS, _IFF_UP = 0x8913, 1
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


class View(NamedTuple):
    """What the later checks need of /proc and /dev, which an empty root no longer has. `proc` is this process's folder, or -1."""

    proc: int
    null_device: int
    ipc: str  # the name of the IPC namespace


def look() -> View:
    """Before anything is locked; `proc` is the caller's to close."""
    null_device = os.stat(os.devnull).st_rdev
    try:
        return View(os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY), null_device, os.readlink("/proc/self/ns/ipc"))
    except OSError:  # another system
        return View(-1, null_device, "")


def landlock() -> bool:
    """Whether Landlock denies writing, or reading an empty root. Before the filter, which would answer in its place."""
    answer = _outcome(_open_for_writing)
    return (_outcome(_open_for_reading) if answer == "ENOENT" else answer) == "EACCES"


def hygiene(role: RoleName, view: View) -> list[str]:
    """The layers besides the kernel's that are really in force here; before the filter, which hides them."""
    checks = {
        "descriptors": lambda: _only_pipes_and_null(view),
        "rlimits": lambda: _limits_hold(role),
        "capabilities": capabilities.none_held,
        "unreadable_memory": lambda: kernel.prctl(_PR_GET_DUMPABLE) == 0,
        "no_new_privs": lambda: kernel.prctl(_PR_GET_NO_NEW_PRIVS) == 1,
        "single_thread": lambda: len(_listed(view, "task")) == 1,  # both kernel layers bind one thread only
    }
    return [name for name, check in checks.items() if _holds(check)]


def namespaces(view: View) -> list[str]:
    """The namespaces this process has for itself alone, each by what it can no longer reach; before the filter."""
    checks = {
        "user_namespace": lambda: _read(view, "uid_map") == b"",  # nobody is anybody here
        "pid_namespace": lambda: os.getppid() == 0 and _outcome(_signal_everybody) == "ESRCH",
        "network_namespace": _no_network,
        "mount_namespace": _empty_root,
        "ipc_namespace": lambda: os.readlink("ns/ipc", dir_fd=view.proc) != view.ipc,
        "uts_namespace": lambda: os.uname().nodename == "",
    }
    return [name for name, check in checks.items() if _holds(check)]


def _signal_everybody() -> None:
    os.kill(-1, 0)  # signal 0 only asks; the asking process does not count


def _no_network() -> bool:
    """Whether no interface is up and not even this machine can be reached. Connecting a datagram socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        up = [name for _, name in socket.if_nameindex() if _flags(probe, name) & _IFF_UP]
        return not up and probe.connect_ex(("127.0.0.1", 9)) == errno.ENETUNREACH


def _flags(probe: socket.socket, interface: str) -> int:
    request = struct.pack("16s24x", os.fsencode(interface))  # struct ifreq
    return int(struct.unpack_from("16xH", fcntl.ioctl(probe, _SIOCGIFFLAGS, request))[0])


def _empty_root() -> bool:
    """Whether the root holds nothing, cannot be written, and is where this process stands."""
    return not any(map(os.listdir, ("/", ".", ".."))) and bool(os.statvfs("/").f_flag & os.ST_RDONLY)


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


def _listed(view: View, folder: str) -> list[str]:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY, dir_fd=view.proc)
    try:
        return os.listdir(opened)
    finally:
        os.close(opened)


def _read(view: View, file: str) -> bytes:
    opened = os.open(file, os.O_RDONLY, dir_fd=view.proc)
    try:
        return os.read(opened, 4096)
    finally:
        os.close(opened)


def _only_pipes_and_null(view: View) -> bool:
    """Whether 0-2 are the null device and all other descriptors pipes or sockets."""
    listed = {int(name) for name in _listed(view, "fd")} - {view.proc}
    return all(_harmless(fd, view.null_device) for fd in listed)


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
