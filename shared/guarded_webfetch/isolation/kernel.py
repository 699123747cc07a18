"""System calls, prctl and clone through the C library, resolved once in the broker and inherited by every child."""

import ctypes
import errno
import os
import signal
from typing import Final

from guarded_webfetch.isolation import syscalls

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_ARGUMENTS: Final = 6
_KEEPING_PYTHON_STILL: Final = ctypes.PyDLL(None, use_errno=True)  # does not let another thread run meanwhile
_KEEPING_PYTHON_STILL.syscall.restype = ctypes.c_long


def call(name: str, *arguments: int) -> int:
    """What the system call answers. OSError with its errno; ENOSYS where this machine has no number for it."""
    return _checked(_LIBC.syscall(*_words(name, arguments)), name)


def prctl(option: int, value: int = 0) -> int:
    """prctl(2) with one value. OSError with its errno; ENOSYS on another system."""
    if syscalls.MACHINE is None and not hasattr(_LIBC, "prctl"):
        raise OSError(errno.ENOSYS, "prctl")
    return _checked(_LIBC.prctl(option, ctypes.c_ulong(value), *(ctypes.c_ulong(0),) * 3), "prctl")


def clone(flags: int) -> int:
    """os.fork with further flags of clone(2). OSError with its errno, and no child.

    The C library's fork knows no flags; the hooks around the call are what Python asks for (C API, PyOS_BeforeFork).
    """
    words = _words("clone", (flags | signal.SIGCHLD,))
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = _KEEPING_PYTHON_STILL.syscall(*words)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return _checked(pid, "clone")


def exit_on_abort() -> None:
    """From now on abort() ends this process with status SIGABRT.

    Process 1 of a namespace ignores signals it sends itself, so that abort() would go on to crash: pid_namespaces(7).
    """
    _LIBC.signal(signal.SIGABRT, _LIBC._exit)


def _words(name: str, arguments: tuple[int, ...]) -> list[ctypes.c_long]:
    number = syscalls.MACHINE.numbers.get(name) if syscalls.MACHINE else None
    if number is None:
        raise OSError(errno.ENOSYS, name)
    return [ctypes.c_long(word) for word in (number, *arguments, *(0,) * (_ARGUMENTS - len(arguments)))]


def _checked(result: int, name: str) -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
    return result
