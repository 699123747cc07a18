"""Privileges of root and of file capabilities, given up for ever. Source: capabilities(7), capget(2), linux/capability.h."""

import ctypes
import errno
from typing import Final

from guarded_webfetch.isolation import kernel

_VERSION_3: Final = 0x20080522
_CAP_SETPCAP: Final = 8
_PR_CAPBSET_DROP: Final = 24
_MORE_THAN_THE_KERNEL_HAS: Final = 64


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_Sets = ctypes.c_uint32 * 6  # effective, permitted, inheritable of the capabilities 0-31, then of 32-63


def drop() -> None:
    """Empties the bounding set, where that is allowed, and all other sets. OSError when the kernel refuses."""
    if _held()[0] & 1 << _CAP_SETPCAP:
        for capability in range(_MORE_THAN_THE_KERNEL_HAS):
            try:
                kernel.prctl(_PR_CAPBSET_DROP, capability)
            except OSError as error:
                if error.errno == errno.EINVAL:  # one above the last
                    break
                raise
    header, sets = _Header(_VERSION_3, 0), _Sets()
    kernel.call("capset", ctypes.addressof(header), ctypes.addressof(sets))


def none_held() -> bool:
    """Whether this process has no capability in any set."""
    return not any(_held())


def _held() -> list[int]:
    header, sets = _Header(_VERSION_3, 0), _Sets()
    kernel.call("capget", ctypes.addressof(header), ctypes.addressof(sets))
    return list(sets)
