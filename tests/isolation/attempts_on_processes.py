"""Attempts to start programs or act on another process."""

import _thread
import ctypes
import os
import resource
import signal
import struct
import time
from typing import Any

from tests.isolation.attempt import attempt, libc, syscall
from tests.isolation.world import World

PTRACE_ATTACH = 16


@attempt(lambda world: (world.folder / "executed").exists())
def execute_a_program(world: World) -> Any:
    os.execv("/bin/sh", ["sh", "-c", f": > {world.folder}/executed"])


@attempt(lambda world: (world.folder / "executed").exists())
def execute_at_a_descriptor(world: World) -> Any:
    words = [b"sh", b"-c", f": > {world.folder}/executed".encode(), None]
    arguments = (ctypes.c_char_p * 4)(*words)
    syscall("execveat", -100, ctypes.c_char_p(b"/bin/sh"), arguments, 0, 0)


@attempt(lambda world: (world.folder / "executed").exists())
def spawn_a_program(world: World) -> Any:
    os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", f": > {world.folder}/executed"], {}), 0)


@attempt()
def fork_a_process(world: World) -> Any:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[0] == pid


@attempt()
def fork_by_clone3(world: World) -> Any:
    arguments = ctypes.create_string_buffer(
        struct.pack("4Q", 0, 0, 0, 0) + struct.pack("Q", signal.SIGCHLD) + bytes(24)
    )
    pid = syscall("clone3", arguments, 64)
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[0] == pid


@attempt()
def start_a_thread(world: World) -> Any:
    ran: list[int] = []
    try:
        _thread.start_new_thread(ran.append, (1,))
    except RuntimeError:
        return False
    end = time.monotonic() + 1
    while not ran and time.monotonic() < end:
        time.sleep(0.005)
    return bool(ran)


@attempt(lambda world: world.victim_killed())
def kill_the_victim(world: World) -> Any:
    os.kill(world.victim, signal.SIGKILL)


@attempt(lambda world: world.victim_killed())
def kill_a_thread_of_the_victim(world: World) -> Any:
    syscall("tgkill", world.victim, world.victim, signal.SIGABRT)


@attempt(lambda world: world.victim_killed())
def queue_a_signal(world: World) -> Any:
    information = ctypes.create_string_buffer(struct.pack("iii", signal.SIGTERM, 0, -1) + bytes(116))
    syscall("rt_sigqueueinfo", world.victim, signal.SIGTERM, information)


@attempt(lambda world: world.victim_killed())
def signal_through_a_pidfd(world: World) -> Any:
    syscall("pidfd_send_signal", syscall("pidfd_open", world.victim, 0), signal.SIGKILL, 0, 0)


@attempt()
def trace_the_victim(world: World) -> Any:
    return syscall("ptrace", PTRACE_ATTACH, world.victim, 0, 0) == 0


@attempt()
def read_the_victims_memory(world: World) -> Any:
    """Forked from the same process, it has the C library's link map at the same address."""
    here, there = ctypes.create_string_buffer(64), libc._handle
    mine = (ctypes.c_uint64 * 2)(ctypes.addressof(here), 8)
    theirs = (ctypes.c_uint64 * 2)(there, 8)
    return syscall("process_vm_readv", world.victim, mine, 1, theirs, 1, 0) == 8


@attempt()
def take_a_descriptor_of_the_victim(world: World) -> Any:
    pidfd = syscall("pidfd_open", world.victim, 0)
    return any(_taken(pidfd, fd) for fd in range(1_024))  # how many are open depends on who forked it


def _taken(pidfd: int, fd: int) -> bool:
    try:
        return syscall("pidfd_getfd", pidfd, fd, 0) >= 0
    except OSError:
        return False


@attempt(lambda world: world.victim_has_limit(12_345))
def limit_the_victim(world: World) -> Any:
    _, hard = resource.prlimit(world.victim, resource.RLIMIT_FSIZE)
    resource.prlimit(world.victim, resource.RLIMIT_FSIZE, (12_345, hard))


@attempt(lambda world: os.getpriority(os.PRIO_PROCESS, world.victim) == 19)
def slow_the_victim_down(world: World) -> Any:
    os.setpriority(os.PRIO_PROCESS, world.victim, 19)


@attempt(lambda world: os.sched_getaffinity(world.victim) == {0})
def move_the_victim_to_one_processor(world: World) -> Any:
    os.sched_setaffinity(world.victim, {0})


@attempt(root_only=True)
def limit_the_parent(world: World) -> Any:
    """Sets what is set already, so that the control harms nothing; 0 is no parent but oneself."""
    parent = os.getppid()
    unchanged = resource.prlimit(parent, resource.RLIMIT_CORE)
    return parent != 0 and resource.prlimit(parent, resource.RLIMIT_CORE, unchanged) == unchanged


@attempt()
def compare_with_the_victim(world: World) -> Any:
    return syscall("kcmp", os.getpid(), world.victim, 1, 0, 0) >= 0


@attempt()
def change_its_disk_priority(world: World) -> Any:
    return syscall("ioprio_set", 1, 0, 3 << 13) == 0


@attempt(root_only=True)
def become_real_time(world: World) -> Any:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return os.sched_getscheduler(0) == os.SCHED_FIFO
