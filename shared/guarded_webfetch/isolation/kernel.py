"""System calls and prctl through the C library, resolved once in the broker and inherited by every child."""

import ctypes
import errno
import os
from typing import Final

from guarded_webfetch.isolation import syscalls

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_ARGUMENTS: Final = 6


def call(name: str, *arguments: int) -> int:
    """What the system call answers. OSError with its errno; ENOSYS where this machine has no number for it."""
    number = syscalls.MACHINE.numbers.get(name) if syscalls.MACHINE else None
    if number is None:
        raise OSError(errno.ENOSYS, name)
    words = [ctypes.c_long(word) for word in (number, *arguments, *(0,) * (_ARGUMENTS - len(arguments)))]
    return _checked(_LIBC.syscall(*words), name)


def prctl(option: int, value: int = 0) -> int:
    """prctl(2) with one value. OSError with its errno; ENOSYS on another system."""
    if syscalls.MACHINE is None and not hasattr(_LIBC, "prctl"):
        raise OSError(errno.ENOSYS, "prctl")
    return _checked(_LIBC.prctl(option, ctypes.c_ulong(value), *(ctypes.c_ulong(0),) * 3), "prctl")


def _checked(result: int, name: str) -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
    return result
