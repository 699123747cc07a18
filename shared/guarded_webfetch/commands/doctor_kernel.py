"""What this kernel offers to lock a process with, found by asking it: files such as /sys/kernel/security/lsm lie on WSL2."""

import ctypes
import errno
import os
import platform
import socket
from collections.abc import Callable
from typing import Final

# <asm/unistd.h>: seccomp differs, Landlock has one number everywhere
_SYS_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}
_SYS_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1  # <linux/landlock.h>
_SECCOMP_GET_ACTION_AVAIL: Final = 2  # <linux/seccomp.h>
_SECCOMP_RET_KILL_PROCESS: Final = 0x80000000
_NAMESPACES: Final = 0x10000000 | 0x40000000 | 0x00020000 | 0x20000000  # CLONE_NEWUSER, NEWNET, NEWNS, NEWPID
_MS_REC_PRIVATE: Final = 0x4000 | 0x40000  # <sys/mount.h>


def landlock_abi() -> int:
    """The ABI version of Landlock, 0 without it (landlock_create_ruleset(2))."""
    return max(0, _syscall(_SYS_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION))


def has_seccomp() -> bool:
    """Whether a seccomp filter may kill the whole process (seccomp(2), Linux 4.14)."""
    number = _SYS_SECCOMP.get(platform.machine())
    if number is None:
        return False
    action = ctypes.c_uint32(_SECCOMP_RET_KILL_PROCESS)
    return _syscall(number, _SECCOMP_GET_ACTION_AVAIL, 0, ctypes.byref(action)) == 0


def has_user_namespaces() -> bool:
    """Whether the whole sequence works: AppArmor lets unshare succeed and then refuses what comes after it."""
    return succeeds(_enter_namespaces)


def may_open_sockets() -> bool:
    """Whether an outer sandbox lets this process have an internet socket at all."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except OSError as error:
        return error.errno not in (errno.EPERM, errno.EACCES)
    return True


def succeeds(work: Callable[[], object]) -> bool:
    """Whether `work` ends without an exception, tried in a child so that nothing of it stays."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


def _enter_namespaces() -> None:
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(_NAMESPACES))
    for name, content in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(content)
    _check(libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC_PRIVATE), None))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "not permitted")


def _syscall(number: int, *arguments: object) -> int:
    """The result of a system call, negative for an error or where there is no such call."""
    if platform.system() != "Linux":
        return -1
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    result: int = libc.syscall(ctypes.c_long(number), *arguments)
    return result
