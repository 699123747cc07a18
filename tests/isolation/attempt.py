"""The register of escape attempts, and how they call the kernel directly."""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from guarded_webfetch.isolation.syscalls import NUMBERS
from tests.isolation.world import World

# What no role may call and the product never names: (x86-64, aarch64)
OTHER_NUMBERS = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "prlimit64": (302, 261), "rt_sigqueueinfo": (129, 138),
    "setpriority": (141, 140), "pkey_mprotect": (329, 288), "personality": (135, 92), "shmget": (29, 194),
    "shmctl": (31, 195), "mq_open": (240, 180), "mq_unlink": (241, 181), "inotify_init1": (294, 26),
    "epoll_create1": (291, 20), "syslog": (103, 116), "mlock": (149, 228), "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262), "semget": (64, 190), "semctl": (66, 191), "msgget": (68, 186), "msgctl": (71, 187),
    "kcmp": (312, 272), "ioprio_set": (251, 30), "statfs": (137, 43), "mknodat": (259, 33),
}  # fmt: skip

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
_COLUMN = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine, 0)


@dataclass(frozen=True)
class Attempt:
    name: str
    do: Callable[[World], Any]
    effect: Callable[[World], bool] | None = None
    root_only: bool = False


ATTEMPTS: list[Attempt] = []


def attempt(
    effect: Callable[[World], bool] | None = None, *, root_only: bool = False
) -> Callable[[Callable[[World], Any]], Callable[[World], Any]]:
    def add(do: Callable[[World], Any]) -> Callable[[World], Any]:
        ATTEMPTS.append(Attempt(do.__name__, do, effect, root_only))
        return do

    return add


def syscall(name: str, *arguments: Any) -> int:
    number = (NUMBERS.get(name) or OTHER_NUMBERS[name])[_COLUMN]
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return int(result)
