"""What the filters answer, call by call, for both processors."""

import errno
import os
import re
import signal
import socket
from pathlib import Path

import pytest

from guarded_webfetch.isolation import allow_lists, seccomp
from guarded_webfetch.isolation.profiles import PROFILES, RoleName
from guarded_webfetch.isolation.syscalls import MACHINE, NUMBERS, Machine, machine
from tests.isolation.filter_machine import ALLOW, ERRNO, KILL, judge

EPERM, ENOSYS = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS
PID = 4711
MACHINES = {name: found for name in ("x86_64", "aarch64") if (found := machine("linux", name, 64))}
READ, WRITE, EXEC = 1, 2, 4
FASTOPEN, MPTCP = 0x20000000, 262

LOCKED: tuple[RoleName, ...] = ("fetcher", "parser", "sanitizer")
EVERY: tuple[RoleName, ...] = (*LOCKED, "resolver")

# roles, call, arguments, answer
TABLE: list[tuple[tuple[RoleName, ...], str, tuple[int, ...], int]] = [
    (EVERY, "read", (3, 0, 10), ALLOW),
    (EVERY, "write", (4, 0, 10), ALLOW),
    (EVERY, "exit_group", (0,), ALLOW),
    (EVERY, "mmap", (0, 4096, READ | WRITE, 0x22, -1, 0), ALLOW),
    (EVERY, "mmap", (0, 4096, READ | WRITE | EXEC, 0x22, -1, 0), EPERM),
    (EVERY, "mmap", (0, 4096, READ | EXEC, 0x22, -1, 0), EPERM),
    (EVERY, "mmap", (0, 4096, READ | WRITE | EXEC, 0x02, 5, 0), EPERM),
    (LOCKED, "mmap", (0, 4096, READ | EXEC, 0x02, 5, 0), EPERM),
    (("resolver",), "mmap", (0, 4096, READ | EXEC, 0x02, 5, 0), ALLOW),
    (EVERY, "mprotect", (0, 4096, READ | WRITE), ALLOW),
    (EVERY, "mprotect", (0, 4096, READ | EXEC), EPERM),
    (EVERY, "mprotect", (0, 4096, EXEC), EPERM),
    (EVERY, "tgkill", (PID, PID, signal.SIGABRT), ALLOW),
    (EVERY, "tgkill", (PID, PID, signal.SIGSTOP), EPERM),
    (EVERY, "tgkill", (PID + 1, PID + 1, signal.SIGABRT), EPERM),
    (EVERY, "clone3", (), ENOSYS),
    (EVERY, "execveat", (), KILL),
    (LOCKED, "execve", (), KILL),
    (("resolver",), "execve", (), EPERM),
    (EVERY, "ptrace", (16, PID), KILL),
    (EVERY, "mount", (), KILL),
    (EVERY, "bpf", (), KILL),
    (EVERY, "bind", (3,), EPERM),
    (EVERY, "listen", (3,), EPERM),
    (EVERY, "prctl", (4, 1), EPERM),
    (EVERY, "openat2", (), EPERM),
    (("fetcher", "resolver"), "recvmsg", (3,), ALLOW),
    (("parser", "sanitizer"), "recvmsg", (3,), EPERM),
    (LOCKED, "sendto", (3, 0, 1, 0, 0, 0), EPERM),
    (LOCKED, "sendmsg", (3,), EPERM),
    (LOCKED, "fcntl", (3, 8, PID), EPERM),
    (LOCKED, "setsockopt", (3,), EPERM),
    (LOCKED, "ioctl", (3,), EPERM),
    (LOCKED, "socket", (socket.AF_INET, socket.SOCK_STREAM, 0), EPERM),
    (LOCKED, "connect", (3,), EPERM),
    (LOCKED, "openat", (-100, 0, 0), EPERM),
    (LOCKED, "poll", (0, 1), EPERM),
    (("resolver",), "openat", (-100, 0, os.O_RDONLY | os.O_CLOEXEC), ALLOW),
    (("resolver",), "openat", (-100, 0, os.O_RDONLY | os.O_CREAT), EPERM),
    (("resolver",), "openat", (-100, 0, os.O_RDONLY | os.O_TRUNC), EPERM),
    (("resolver",), "openat", (-100, 0, os.O_WRONLY), EPERM),
    (("resolver",), "openat", (-100, 0, os.O_RDWR), EPERM),
    (("resolver",), "open", (0, os.O_RDWR), EPERM),
    (("resolver",), "socket", (socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, 0), ALLOW),
    (("resolver",), "socket", (socket.AF_INET6, socket.SOCK_STREAM | socket.SOCK_CLOEXEC, 6), ALLOW),
    (("resolver",), "socket", (socket.AF_INET, socket.SOCK_STREAM, MPTCP), EPERM),
    (("resolver",), "socket", (socket.AF_INET, socket.SOCK_RAW, 1), EPERM),
    (("resolver",), "socket", (socket.AF_UNIX, socket.SOCK_STREAM, 0), ALLOW),
    (("resolver",), "socket", (16, socket.SOCK_RAW, 0), EPERM),
    (("resolver",), "socket", (40, socket.SOCK_STREAM, 0), EPERM),
    (("resolver",), "sendto", (3, 0, 1, 0x4000, 1, 16), ALLOW),
    (("resolver",), "sendto", (3, 0, 1, FASTOPEN, 1, 16), EPERM),
    (("resolver",), "sendmsg", (3, 0, FASTOPEN), EPERM),
    (("resolver",), "sendmmsg", (3, 0, 2, FASTOPEN), EPERM),
    (("resolver",), "setsockopt", (3, socket.IPPROTO_IP, 11), ALLOW),
    (("resolver",), "setsockopt", (3, socket.IPPROTO_IP, 4), EPERM),  # IP_OPTIONS
    (("resolver",), "setsockopt", (3, socket.SOL_SOCKET, 26), EPERM),  # SO_ATTACH_FILTER
    (("resolver",), "setsockopt", (3, socket.IPPROTO_TCP, 30), EPERM),  # TCP_FASTOPEN_CONNECT
    (("resolver",), "ioctl", (3, 0x541B), ALLOW),
    (("resolver",), "ioctl", (3, 0x5412), EPERM),
    (("resolver",), "fcntl", (3, 8, PID), EPERM),
    (("resolver",), "fcntl", (3, 4, os.O_RDWR | os.O_NONBLOCK), ALLOW),
    (("resolver",), "fcntl", (3, 4, 0o20000), EPERM),  # O_ASYNC
]  # fmt: skip


def program(role: RoleName, name: str) -> tuple[bytes, Machine]:
    found = MACHINES[name]
    return seccomp.build(allow_lists.calls(role, PID), found), found


@pytest.mark.parametrize("processor", MACHINES)
def test_answers(processor: str) -> None:
    wrong = []
    for roles, name, arguments, answer in TABLE:
        for role in roles:
            filter_, found = program(role, processor)
            number = found.numbers.get(name)
            if number is not None and judge(filter_, found.audit_arch, number, *arguments) != answer:
                wrong.append((role, name, arguments))
    assert not wrong


@pytest.mark.parametrize("processor", MACHINES)
@pytest.mark.parametrize("role", EVERY)
def test_whatever_is_not_named_is_denied(role: RoleName, processor: str) -> None:
    filter_, found = program(role, processor)
    calls = allow_lists.calls(role, PID)
    named = {allow.name for allow in calls.allowed} | {*calls.killed, "clone3"}
    numbers = {found.numbers[name] for name in named & found.numbers.keys()}
    others = [number for number in range(1024) if number not in numbers]
    assert {judge(filter_, found.audit_arch, number) for number in others} == {EPERM}


@pytest.mark.parametrize("role", EVERY)
def test_another_calling_convention_is_killed(role: RoleName) -> None:
    filter_, found = program(role, "x86_64")
    assert judge(filter_, found.audit_arch, 0x40000000) == KILL  # x32 read
    assert judge(filter_, found.audit_arch, 0xFFFFFFFF) == KILL
    assert judge(filter_, 0x40000003, 3) == KILL  # i386 read
    for_arm, arm = program(role, "aarch64")
    assert judge(for_arm, 0x40000028, 3) == KILL  # 32-bit arm read
    assert judge(for_arm, arm.audit_arch, 63) == ALLOW


def test_sizes() -> None:
    """Few calls: a list that grows must be looked at again. The kernel takes at most 4,096 instructions."""
    names = {role: {allow.name for allow in allow_lists.calls(role, PID).allowed} for role in PROFILES}
    assert len(names["parser"]) <= 38 and names["parser"] == names["sanitizer"]
    assert names["fetcher"] - names["parser"] == {"recvmsg"}
    assert len(names["resolver"]) <= 70
    assert all(len(program(role, processor)[0]) // 8 < 512 for role in EVERY for processor in MACHINES)


def test_every_call_named_has_a_number() -> None:
    for role in EVERY:
        calls = allow_lists.calls(role, PID)
        assert {allow.name for allow in calls.allowed} | set(calls.killed) <= NUMBERS.keys()


@pytest.mark.parametrize(
    ("system", "name", "bits"), [("darwin", "x86_64", 64), ("linux", "riscv64", 64), ("linux", "x86_64", 32)]
)
def test_other_systems_have_no_filter(system: str, name: str, bits: int) -> None:
    assert machine(system, name, bits) is None


HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h"))


def test_x86_64_numbers_are_those_of_the_headers() -> None:
    header = next((path for path in HEADERS if path.exists()), None)
    if header is None:
        pytest.skip("the kernel's user headers are not installed")
    text = header.read_text(encoding="ascii")
    real = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", text)}
    assert {name: row[0] for name, row in NUMBERS.items() if name in real and row[0] != real[name]} == {}
    assert len(real.keys() & NUMBERS.keys()) > 100


GENERIC_HEADER = Path("/usr/include/asm-generic/unistd.h")


def test_aarch64_numbers_are_those_of_the_generic_header() -> None:
    if not GENERIC_HEADER.exists():
        pytest.skip("the kernel's user headers are not installed")
    text = GENERIC_HEADER.read_text(encoding="ascii")
    real = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", text)}
    renamed = {"newfstatat": "fstatat"}  # the header's 64-bit name
    pairs = [(name, row[1], real.get(renamed.get(name, name))) for name, row in NUMBERS.items() if row[1] is not None]
    assert [pair for pair in pairs if pair[2] is not None and pair[1] != pair[2]] == []
    assert len([pair for pair in pairs if pair[2] is not None]) > 90


def test_this_machine_is_known() -> None:
    if os.uname().machine not in MACHINES:
        pytest.skip("no table for this processor")
    assert MACHINE is not None
