"""Numbers of the system calls the lock names, for x86-64 and aarch64.

Sources: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

import os
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple

# name -> (x86-64, aarch64); None where the architecture never had the call
NUMBERS: Final[dict[str, tuple[int, int | None]]] = {
    # memory and computation
    "brk": (12, 214), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "mremap": (25, 216),
    "madvise": (28, 233), "futex": (202, 98), "sched_yield": (24, 124), "sysinfo": (99, 179), "getrandom": (318, 278),
    "getrusage": (98, 165),
    # time
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "gettimeofday": (96, 169),
    "nanosleep": (35, 101), "restart_syscall": (219, 128), "time": (201, None),
    # itself
    "exit": (60, 93), "exit_group": (231, 94), "getpid": (39, 172), "gettid": (186, 178), "tgkill": (234, 131),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "uname": (63, 160),
    "capget": (125, 90), "capset": (126, 91),
    # open descriptors
    "read": (0, 63), "readv": (19, 65), "write": (1, 64), "writev": (20, 66), "pread64": (17, 67), "lseek": (8, 62),
    "close": (3, 57), "fstat": (5, 80), "fcntl": (72, 25), "ioctl": (16, 29), "poll": (7, None), "ppoll": (271, 73),
    # files
    "open": (2, None), "openat": (257, 56), "openat2": (437, 437), "stat": (4, None), "lstat": (6, None),
    "newfstatat": (262, 79), "statx": (332, 291), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78),
    # sockets
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "sendto": (44, 206),
    "sendmsg": (46, 211), "sendmmsg": (307, 269), "recvfrom": (45, 207), "recvmsg": (47, 212), "setsockopt": (54, 208),
    "getsockopt": (55, 209), "getsockname": (51, 204), "getpeername": (52, 205),
    # the locks
    "clone": (56, 220), "sethostname": (170, 161),
    "prctl": (157, 167), "seccomp": (317, 277), "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    # killed
    "clone3": (435, 435), "execve": (59, 221), "execveat": (322, 281), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "mount": (165, 40),
    "umount2": (166, 39), "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "mount_setattr": (442, 442), "pivot_root": (155, 41),
    "chroot": (161, 51), "setns": (308, 268), "unshare": (272, 97), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "open_by_handle_at": (304, 265), "reboot": (169, 142), "swapon": (167, 224),
    "swapoff": (168, 225),
}  # fmt: skip


class Machine(NamedTuple):
    """What a filter must know of the processor it runs on."""

    audit_arch: int  # AUDIT_ARCH_* of linux/audit.h: what the kernel writes into seccomp_data.arch
    foreign_from: int | None  # numbers from here on belong to another calling convention (x32 on x86-64)
    numbers: Mapping[str, int]


def _numbers(column: int) -> dict[str, int]:
    return {name: number for name, row in NUMBERS.items() if (number := row[column]) is not None}


def machine(system: str, name: str, pointer_bits: int) -> Machine | None:
    """The table for `name` as uname says it; None where the kernel layers of the lock are not known to work."""
    if system != "linux" or pointer_bits != 64:  # a 32-bit Python on a 64-bit kernel has numbers of its own
        return None
    if name == "x86_64":
        return Machine(0xC000003E, 0x40000000, _numbers(0))
    if name == "aarch64":
        return Machine(0xC00000B7, None, _numbers(1))
    return None


MACHINE: Final = machine(sys.platform, os.uname().machine, sys.maxsize.bit_length() + 1)
