"""Attempts to loosen the process itself."""

import ctypes
import mmap
import os
import resource
from typing import Any

from tests.isolation.attempt import attempt, libc, syscall
from tests.isolation.world import World

X32_BIT = 0x40000000
RWX = 7
PRIVATE_ANONYMOUS = 0x22
MAP_FIXED = 0x10
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4


@attempt()
def map_executable_memory(world: World) -> Any:
    return bool(mmap.mmap(-1, mmap.PAGESIZE, prot=RWX))


@attempt()
def make_memory_executable(world: World) -> Any:
    return syscall("mprotect", _page(), mmap.PAGESIZE, 5) == 0


@attempt()
def make_memory_executable_with_a_key(world: World) -> Any:
    return syscall("pkey_mprotect", _page(), mmap.PAGESIZE, 5, -1) == 0


def _page() -> int:
    return syscall("mmap", 0, mmap.PAGESIZE, 3, PRIVATE_ANONYMOUS, -1, 0)


@attempt()
def take_two_gigabytes(world: World) -> Any:
    return bool(mmap.mmap(-1, 2_000_000_000))


@attempt()
def pin_memory(world: World) -> Any:
    return syscall("mlock", _page(), mmap.PAGESIZE) == 0


@attempt()
def readable_means_executable(world: World) -> Any:
    return syscall("personality", 0x0400000) >= 0


@attempt()
def shared_memory(world: World) -> Any:
    segment = syscall("shmget", 0, 4096, 0o1600)
    syscall("shmctl", segment, 0, 0)  # IPC_RMID
    return True


@attempt()
def change_its_limits(world: World) -> Any:
    lower = (ctypes.c_uint64 * 2)(0, 0)
    return syscall("prlimit64", 0, resource.RLIMIT_CORE, lower, 0) == 0


@attempt(root_only=True)
def raise_its_limits(world: World) -> Any:
    unlimited = (ctypes.c_uint64 * 2)(2**64 - 1, 2**64 - 1)
    return syscall("prlimit64", 0, resource.RLIMIT_MEMLOCK, unlimited, 0) == 0


@attempt()
def outlive_its_parent(world: World) -> Any:
    return syscall("prctl", PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0


@attempt(root_only=True)
def map_the_first_page(world: World) -> Any:
    """Where a null pointer of the kernel would lead."""
    return syscall("mmap", 0, mmap.PAGESIZE, 3, PRIVATE_ANONYMOUS | MAP_FIXED, -1, 0) == 0


@attempt()
def make_a_pipe(world: World) -> Any:
    return bool(os.pipe())


@attempt()
def become_readable_again(world: World) -> Any:
    return syscall("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0) == 0


@attempt(root_only=True)
def change_user(world: World) -> Any:
    os.setuid(1)
    return os.getuid() == 1


@attempt()
def call_by_an_x32_number(world: World) -> Any:
    return libc.syscall(ctypes.c_long(X32_BIT | 39)) == os.getpid()
