"""Attempts to use further parts of the kernel."""

import ctypes
import os
import struct
from typing import Any

from tests.isolation.attempt import attempt, syscall
from tests.isolation.world import World

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
IPC_RMID = 0


@attempt()
def new_user_namespace(world: World) -> Any:
    return syscall("unshare", CLONE_NEWUSER) == 0


@attempt(root_only=True)
def new_network_namespace(world: World) -> Any:
    return syscall("unshare", CLONE_NEWNET) == 0


@attempt(root_only=True)
def mount_a_file_system(world: World) -> Any:
    syscall("unshare", 0x20000)  # CLONE_NEWNS: whatever is mounted goes away with this process
    none, kind = ctypes.c_char_p(b"none"), ctypes.c_char_p(b"tmpfs")
    syscall("mount", none, ctypes.c_char_p(b"/"), 0, 0x44000, 0)  # MS_REC | MS_PRIVATE
    return syscall("mount", none, ctypes.c_char_p(bytes(world.folder)), kind, 0, 0) == 0


@attempt()
def io_uring(world: World) -> Any:
    return syscall("io_uring_setup", 2, ctypes.create_string_buffer(120)) >= 0


@attempt()
def userfaultfd(world: World) -> Any:
    return syscall("userfaultfd", 1) >= 0  # UFFD_USER_MODE_ONLY


@attempt()
def keyring(world: World) -> Any:
    return syscall("keyctl", 0, -3, 1) >= 0  # KEYCTL_GET_KEYRING_ID of the session


@attempt()
def add_a_key(world: World) -> Any:
    words = ctypes.c_char_p(b"user"), ctypes.c_char_p(b"escape"), ctypes.c_char_p(b"x")
    return syscall("add_key", *words, 1, -1) >= 0  # into the thread's own keyring


@attempt(root_only=True)
def bpf_map(world: World) -> Any:
    return syscall("bpf", 0, ctypes.create_string_buffer(struct.pack("4I", 2, 4, 4, 1) + bytes(112)), 128) >= 0


@attempt()
def performance_counter(world: World) -> Any:
    attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0) + bytes(112))
    struct.pack_into("Q", attributes, 40, 0x60)  # exclude_kernel, exclude_hv
    return syscall("perf_event_open", attributes, 0, -1, -1, 0) >= 0


@attempt()
def message_queue(world: World) -> Any:
    name = ctypes.c_char_p(f"escape-{os.getpid()}".encode())
    opened = syscall("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0)
    syscall("mq_unlink", name)
    return opened >= 0


@attempt()
def event_poll(world: World) -> Any:
    return syscall("epoll_create1", 0) >= 0


@attempt()
def kernel_log(world: World) -> Any:
    return syscall("syslog", 10, 0, 0) >= 0


@attempt()
def semaphores(world: World) -> Any:
    made = syscall("semget", 0, 1, 0o1600)
    syscall("semctl", made, 0, IPC_RMID, 0)
    return True


@attempt()
def old_message_queue(world: World) -> Any:
    made = syscall("msgget", 0, 0o1600)
    syscall("msgctl", made, IPC_RMID, 0)
    return True


@attempt(root_only=True)
def enter_a_namespace(world: World) -> Any:
    """Its own network, through /proc: what a child that left it would need to come back."""
    return syscall("setns", os.open(f"/proc/{world.victim}/ns/net", os.O_RDONLY), CLONE_NEWNET) == 0


@attempt(root_only=True)
def name_the_machine(world: World) -> Any:
    """By the name it has already, so that the control harms nothing."""
    name = world.machine
    return syscall("sethostname", ctypes.c_char_p(name), len(name)) == 0
