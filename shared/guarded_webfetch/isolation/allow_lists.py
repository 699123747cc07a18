"""Which system calls each role may make, and with which arguments. Everything not named here fails with EPERM.

A condition looks at the low 32 bits of an argument: all the kernel reads of an int, and every flag there is of a long.
"""

import os
import signal
import socket
from typing import Final, NamedTuple

from guarded_webfetch.isolation.profiles import RoleName

_WORD: Final = 0xFFFFFFFF


class Condition(NamedTuple):
    """(argument & mask) is one of `values`."""

    argument: int  # counted from 0
    mask: int
    values: tuple[int, ...]


class Allow(NamedTuple):
    """One call, allowed when all conditions hold. A name may stand several times; one match is enough."""

    name: str
    conditions: tuple[Condition, ...] = ()


def one_of(argument: int, *values: int) -> Condition:
    return Condition(argument, _WORD, values)


def without(argument: int, bits: int) -> Condition:
    return Condition(argument, bits, (0,))


def only(argument: int, bits: int) -> Condition:
    return Condition(argument, _WORD & ~bits, (0,))


_PROT_WRITE, _PROT_EXEC = 2, 4  # linux/mman.h
_MAP_ANONYMOUS: Final = 0x20
_MSG_FASTOPEN: Final = 0x20000000  # a send with it connects, also on a socket that was shut down
_FIONREAD: Final = 0x541B

# Computing, memory that is never executable, reading and writing what is open already, ending.
_COMPUTE: Final = (
    *map(Allow, (
        "read", "write", "close",
        "brk", "munmap", "mremap", "madvise",
        "futex", "sched_yield",  # locks inside the C library and the interpreter, also with one thread
        "clock_gettime", "clock_getres", "gettimeofday", "time",  # where the vDSO cannot answer (some virtual machines)
        "clock_nanosleep", "nanosleep", "restart_syscall",
        "getrandom",  # OpenSSL, hash seeds
        "getpid", "gettid", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",  # also parts of abort()
        "sysinfo",  # qsort of glibc before 2.37 asks how much memory there is and does not look at the result
        "exit", "exit_group",
    )),
    Allow("mmap", (without(2, _PROT_EXEC),)),
    Allow("mprotect", (without(2, _PROT_EXEC),)),
)  # fmt: skip

# The one socket arrives by SCM_RIGHTS; after that plain read and write serve. None of the calls that could turn it into
# something else: no sendto (MSG_FASTOPEN reconnects a shut socket), sendmsg, fcntl (F_SETSIG kills), setsockopt, shutdown.
_FETCHER: Final = (*_COMPUTE, Allow("recvmsg"))

_READ_ONLY: Final = (
    os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NOCTTY
    | getattr(os, "O_LARGEFILE", 0)
)  # fmt: skip
_SOCKET_FLAGS: Final = getattr(socket, "SOCK_CLOEXEC", 0) | getattr(socket, "SOCK_NONBLOCK", 0)
_STREAM_OR_DGRAM: Final = Condition(1, _WORD & ~_SOCKET_FLAGS, (socket.SOCK_STREAM, socket.SOCK_DGRAM))

# getaddrinfo: files of the name service and its modules, questions over UDP, TCP and the unix sockets of caching daemons.
# No bind and no netlink: glibc takes their refusal for "the interfaces are not known" and only orders addresses less finely.
_RESOLVER: Final = (
    *_COMPUTE,
    *map(Allow, (
        "pread64", "readv", "writev", "lseek", "fstat", "newfstatat", "stat", "lstat", "statx", "access", "faccessat",
        "faccessat2", "readlink", "readlinkat", "poll", "ppoll", "connect", "recvfrom", "recvmsg", "getsockopt",
        "getsockname", "getpeername", "uname", "getuid", "geteuid", "getgid", "getegid",
    )),
    Allow("open", (only(1, _READ_ONLY),)),
    Allow("openat", (only(2, _READ_ONLY),)),
    # A name service module is loaded when it is first needed (dlopen): code from a file, never writable, never anonymous.
    Allow("mmap", (without(2, _PROT_WRITE), without(3, _MAP_ANONYMOUS))),
    Allow("socket", (one_of(0, socket.AF_INET, socket.AF_INET6), _STREAM_OR_DGRAM,
                     one_of(2, 0, socket.IPPROTO_TCP, socket.IPPROTO_UDP))),  # no raw socket, no multipath TCP
    Allow("socket", (one_of(0, socket.AF_UNIX), _STREAM_OR_DGRAM, one_of(2, 0))),
    Allow("sendto", (without(3, _MSG_FASTOPEN),)),
    Allow("sendmsg", (without(2, _MSG_FASTOPEN),)),
    Allow("sendmmsg", (without(3, _MSG_FASTOPEN),)),
    # buffers, time limits and credentials of a module's socket; whether errors and sizes are told (res_send of glibc)
    Allow("setsockopt", (one_of(1, socket.SOL_SOCKET), one_of(2, 7, 8, 16, 20, 21))),
    Allow("setsockopt", (one_of(1, socket.IPPROTO_IP), one_of(2, 10, 11))),
    Allow("setsockopt", (one_of(1, socket.IPPROTO_IPV6), one_of(2, 23, 25))),
    Allow("ioctl", (one_of(1, _FIONREAD),)),  # the size of an answer
    Allow("fcntl", (one_of(1, 1, 2, 3),)),  # F_GETFD, F_SETFD, F_GETFL: modules set close-on-exec
    Allow("fcntl", (one_of(1, 4), only(2, os.O_RDWR | os.O_NONBLOCK))),  # F_SETFL, never O_ASYNC, which sends signals
)  # fmt: skip

# Calls no library makes by accident: whoever tries one of them ends at once.
_KILLED: Final = (
    "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd",
    "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "mount_setattr", "pivot_root", "chroot",
    "setns", "unshare", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
    "open_by_handle_at", "reboot", "swapon", "swapoff",
)  # fmt: skip


class Calls(NamedTuple):
    """What one role may call, and what ends it. All the rest fails with EPERM."""

    allowed: tuple[Allow, ...]
    killed: tuple[str, ...]


def calls(role: RoleName, pid: int) -> Calls:
    """The lists of `role` in the process `pid`, which may end itself by abort() and signal nobody else."""
    abort = Allow("tgkill", (one_of(0, pid), one_of(2, signal.SIGABRT)))
    allowed = {"resolver": _RESOLVER, "fetcher": _FETCHER, "parser": _COMPUTE, "sanitizer": _COMPUTE}[role]
    # The resolver's canary asks for exec itself, since this role may read and map files: it must live to hear the answer.
    killed = tuple(name for name in _KILLED if (role, name) != ("resolver", "execve"))
    return Calls((*allowed, abort), killed)
