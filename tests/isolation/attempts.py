"""The escape attempts. Each does one thing a locked child must not be able to do, and is judged by what it brought about.

A function returns something true when it saw its effect itself; `effect` looks at the world afterwards instead.
"""

import _thread
import ctypes
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from guarded_webfetch.isolation.syscalls import NUMBERS
from tests.isolation.world import SECRET, World

# What no role may call and the product never names: (x86-64, aarch64)
OTHER_NUMBERS = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "prlimit64": (302, 261), "rt_sigqueueinfo": (129, 138), "setpriority": (141, 140), "pkey_mprotect": (329, 288), "personality": (135, 92),
    "shmget": (29, 194), "shmctl": (31, 195), "mq_open": (240, 180), "mq_unlink": (241, 181), "inotify_init1": (294, 26), "epoll_create1": (291, 20),
    "syslog": (103, 116), "mlock": (149, 228), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
}  # fmt: skip
X32_BIT = 0x40000000
MSG_FASTOPEN = 0x20000000
AF_ALG, AF_VSOCK, AF_NETLINK, AF_PACKET, IPPROTO_MPTCP = 38, 40, 16, 17, 262
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
RWX, PRIVATE_ANONYMOUS = 7, 0x22
PR_SET_DUMPABLE, PTRACE_ATTACH = 4, 16

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
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
    result = _LIBC.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return int(result)


def accepted(listener: socket.socket) -> bool:
    """Whether a connection or datagram waits there: on one machine it does before the call that sent it returns."""
    return bool(select.select([listener], [], [], 0.01)[0])


# ---------------------------------------------------------------- files


@attempt()
def read_a_file(world: World) -> Any:
    fd = os.open(world.secret, os.O_RDONLY)
    return os.read(fd, 100) == SECRET


@attempt()
def read_a_leaked_descriptor(world: World) -> Any:
    return os.read(world.leaked, 100) == SECRET


@attempt()
def list_a_folder(world: World) -> Any:
    return "secret" in os.listdir(world.folder)


@attempt(lambda world: world.file.read_bytes() != b"untouched")
def write_a_file(world: World) -> Any:
    return os.write(os.open(world.file, os.O_WRONLY), b"owned")


@attempt(lambda world: (world.folder / "made").exists())
def create_a_file(world: World) -> Any:
    return os.open(world.folder / "made", os.O_CREAT | os.O_WRONLY)


@attempt(lambda world: world.file.stat().st_size == 0)
def truncate_a_file(world: World) -> Any:
    os.truncate(world.file, 0)


@attempt()
def stat_a_file(world: World) -> Any:
    return os.stat(world.secret).st_size == len(SECRET)


@attempt()
def probe_access(world: World) -> Any:
    return os.access(world.secret, os.R_OK)


@attempt(lambda world: world.file.stat().st_mode & 0o777 == 0o600)
def chmod_a_file(world: World) -> Any:
    os.chmod(world.file, 0o600)


@attempt(lambda world: world.file.stat().st_mtime == 7)
def set_times(world: World) -> Any:
    os.utime(world.file, (7, 7))


@attempt()
def set_an_attribute(world: World) -> Any:
    os.setxattr(world.file, "user.escape", b"x")
    return True


@attempt(lambda world: (world.folder / "linked").exists())
def hard_link(world: World) -> Any:
    os.link(world.secret, world.folder / "linked")


@attempt(lambda world: (world.folder / "pointer").is_symlink())
def symbolic_link(world: World) -> Any:
    os.symlink(world.secret, world.folder / "pointer")


@attempt(lambda world: not world.file.exists())
def unlink_a_file(world: World) -> Any:
    os.unlink(world.file)


@attempt(lambda world: (world.folder / "moved").exists())
def rename_a_file(world: World) -> Any:
    os.rename(world.file, world.folder / "moved")


@attempt(lambda world: (world.folder / "folder").is_dir())
def make_a_folder(world: World) -> Any:
    os.mkdir(world.folder / "folder")


@attempt(lambda world: (world.folder / "fifo").is_fifo())
def make_a_fifo(world: World) -> Any:
    os.mkfifo(world.folder / "fifo")


@attempt()
def change_folder(world: World) -> Any:
    os.chdir(world.folder)
    return os.getcwd() == str(world.folder)


@attempt(root_only=True)
def change_root(world: World) -> Any:
    os.chroot(world.folder)
    return True


@attempt(root_only=True)
def open_by_handle(world: World) -> Any:
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    path = ctypes.c_char_p(bytes(world.secret))
    syscall("name_to_handle_at", -100, path, handle, ctypes.byref(mount), 0)
    root = os.open("/", os.O_RDONLY)
    return syscall("open_by_handle_at", root, handle, os.O_RDONLY) >= 0


@attempt()
def memory_file(world: World) -> Any:
    return syscall("memfd_create", ctypes.c_char_p(b"x"), 0) >= 0


@attempt()
def watch_files(world: World) -> Any:
    return syscall("inotify_init1", 0) >= 0


@attempt(root_only=True)
def watch_all_files(world: World) -> Any:
    return syscall("fanotify_init", 0, os.O_RDONLY) >= 0


@attempt()
def environment_of_the_victim(world: World) -> Any:
    fd = os.open(f"/proc/{world.victim}/environ", os.O_RDONLY)
    return len(os.read(fd, 100)) > 0


# ---------------------------------------------------------------- network and sockets


@attempt(lambda world: accepted(world.other_tcp))
def connect_over_tcp(world: World) -> Any:
    socket.socket().connect(world.other_tcp.getsockname())


@attempt(lambda world: accepted(world.other_tcp))
def connect_over_multipath_tcp(world: World) -> Any:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP).connect(world.other_tcp.getsockname())


@attempt(lambda world: accepted(world.udp))
def send_a_datagram(world: World) -> Any:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", world.udp.getsockname())


@attempt()
def listen_for_connections(world: World) -> Any:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return True


@attempt(lambda world: accepted(world.unix))
def connect_to_a_unix_socket(world: World) -> Any:
    socket.socket(socket.AF_UNIX).connect(world.unix.getsockname())


@attempt(lambda world: accepted(world.abstract))
def connect_to_an_abstract_socket(world: World) -> Any:
    socket.socket(socket.AF_UNIX).connect(world.abstract.getsockname())


@attempt()
def make_a_socket_pair(world: World) -> Any:
    return bool(socket.socketpair())


@attempt()
def netlink_socket(world: World) -> Any:
    return bool(socket.socket(AF_NETLINK, socket.SOCK_RAW, 0))


@attempt()
def vsock_socket(world: World) -> Any:
    return bool(socket.socket(AF_VSOCK, socket.SOCK_STREAM))


@attempt()
def crypto_socket(world: World) -> Any:
    return bool(socket.socket(AF_ALG, socket.SOCK_SEQPACKET))


@attempt(root_only=True)
def raw_socket(world: World) -> Any:
    return bool(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))


@attempt(root_only=True)
def packet_socket(world: World) -> Any:
    return bool(socket.socket(AF_PACKET, socket.SOCK_RAW))


@attempt(lambda world: accepted(world.other_tcp))
def fast_open_on_a_shut_socket(world: World) -> Any:
    """`shutdown` leaves a socket that `sendto` with MSG_FASTOPEN connects to anywhere."""
    fresh = _disconnected(world.passed)
    fresh.sendto(b"x", MSG_FASTOPEN, world.other_tcp.getsockname())


@attempt(lambda world: accepted(world.other_tcp))
def connect_the_passed_socket_elsewhere(world: World) -> Any:
    _disconnected(world.passed).connect(world.other_tcp.getsockname())


def _disconnected(one: socket.socket) -> socket.socket:
    unspecified = ctypes.create_string_buffer(struct.pack("H14x", socket.AF_UNSPEC))
    syscall("connect", one.fileno(), unspecified, 16)
    return one


@attempt(lambda world: accepted(world.unix_datagrams))
def send_to_a_path_on_a_datagram_pair(world: World) -> Any:
    world.datagram_pair[0].sendto(b"x", str(world.folder / "datagrams"))


@attempt(lambda world: accepted(world.unix_datagrams))
def sendmsg_to_a_path_on_a_datagram_pair(world: World) -> Any:
    world.datagram_pair[0].sendmsg([b"x"], [], 0, str(world.folder / "datagrams"))


@attempt(lambda world: world.victim_killed())
def signal_through_a_socket_owner(world: World) -> Any:
    """F_SETOWN names the victim, F_SETSIG the signal, O_ASYNC arms it, a byte sets it off."""
    near, far = world.stream_pair
    fcntl.fcntl(near, fcntl.F_SETOWN, world.victim)
    fcntl.fcntl(near, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(near, fcntl.F_SETFL, os.O_ASYNC)
    os.write(far.fileno(), b"x")


@attempt()
def set_ip_options(world: World) -> Any:
    world.passed.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"\x01\x01\x01\x00")
    return True


# ---------------------------------------------------------------- programs, processes, signals


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
    here, there = ctypes.create_string_buffer(64), _LIBC._handle
    mine = (ctypes.c_uint64 * 2)(ctypes.addressof(here), 8)
    theirs = (ctypes.c_uint64 * 2)(there, 8)
    return syscall("process_vm_readv", world.victim, mine, 1, theirs, 1, 0) == 8


@attempt()
def take_a_descriptor_of_the_victim(world: World) -> Any:
    pidfd = syscall("pidfd_open", world.victim, 0)
    return any(_taken(pidfd, fd) for fd in range(64))


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


# ---------------------------------------------------------------- itself: memory, limits, identity


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
def become_readable_again(world: World) -> Any:
    return syscall("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0) == 0


@attempt(root_only=True)
def change_user(world: World) -> Any:
    os.setuid(1)
    return os.getuid() == 1


@attempt()
def call_by_an_x32_number(world: World) -> Any:
    return _LIBC.syscall(ctypes.c_long(X32_BIT | 39)) == os.getpid()


# ---------------------------------------------------------------- doors into the kernel


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
