"""Each step of the lock holds something by itself: left out, a named attempt opens that the same lock with it stops.

Most attempts meet several layers, so the others that would stop one are left out on both sides of the comparison.
"""

import os
import signal
import time
from dataclasses import dataclass
from typing import Any

import pytest

from guarded_webfetch.isolation import landlock, process
from guarded_webfetch.isolation.profiles import PROFILES
from guarded_webfetch.isolation.syscalls import MACHINE
from tests.isolation import attempts
from tests.isolation.locked import STEPS, remove, run
from tests.isolation.test_escape import namespaces_refused, opens
from tests.isolation.world import World, become

pytestmark = pytest.mark.skipif(MACHINE is None, reason="the kernel layers exist for Linux on x86-64 and aarch64")


@dataclass(frozen=True)
class Step:
    """`others` are left out in both runs, `step` in the second one only."""

    step: str
    attempt: str
    others: tuple[str, ...] = ()
    root: bool = False
    landlock_abi: int = 0  # the kernel needs at least this


TABLE = [
    Step("seccomp", "keyring"),
    Step("seccomp", "stat_a_file"),
    Step("seccomp", "set_ip_options"),
    Step("seccomp", "map_executable_memory"),
    Step("seccomp", "fork_a_process", root=True),
    Step("seccomp", "become_readable_again"),
    Step("landlock", "unlink_a_file", ("seccomp",)),
    Step("landlock", "read_a_file", ("seccomp", "descriptor limit")),
    Step("landlock", "kill_the_victim", ("seccomp",), landlock_abi=6),
    Step("landlock", "connect_a_half_open_socket_elsewhere", ("seccomp",), landlock_abi=4),
    Step("landlock", "connect_to_an_abstract_socket", ("seccomp", "descriptor limit"), landlock_abi=6),
    Step("descriptor limit", "read_a_file", ("seccomp", "landlock")),
    Step("descriptor limit", "netlink_socket", ("seccomp",)),
    Step("capabilities", "change_root", ("seccomp",), root=True),
    Step("closing", "read_a_leaked_descriptor"),
    Step("AS", "take_two_gigabytes"),
    Step("NPROC", "fork_a_process", ("seccomp",)),
    Step("MEMLOCK", "pin_memory", ("seccomp",)),
    Step("MSGQUEUE", "message_queue", ("seccomp", "landlock", "descriptor limit")),
    Step("no_new_privs", "new_user_namespace"),  # without it an ordinary user may install neither layer
]
# These have a test of their own below; what CORE does depends on the machine, so test_lock only reads the limit in /proc.
OF_THEIR_OWN = {"FSIZE", "CPU", "undumpable", "CORE"}
BY_NAME = {one.name: one for one in attempts.ATTEMPTS}


def opened(row: Step, without: tuple[str, ...]) -> bool:
    one = BY_NAME[row.attempt]
    with World(not row.root) as world:
        outcome = run(one.do, world, "parser", user=not row.root, without=without)
        return one.effect(world) if one.effect else bool(outcome.said)


ALL_BUT_NAMESPACES = tuple(STEPS)


@pytest.mark.skipif(namespaces_refused(), reason="user namespaces are refused here")
@pytest.mark.parametrize(
    "name", ["read_a_file", "send_a_datagram", "connect_to_an_abstract_socket", "kill_the_victim", "limit_the_victim"]
)
def test_without_namespaces_it_opens(name: str) -> None:
    """Files, networks, unix sockets and processes, when nothing but the namespaces stands before them."""
    found = [opens(BY_NAME[name], "parser", "user", ALL_BUT_NAMESPACES, namespaced=there)[0] for there in (True, False)]
    assert found == [False, True]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.step}-{row.attempt}")
def test_without_this_step_it_opens(row: Step) -> None:
    if row.root and os.geteuid() != 0:
        pytest.skip("needs root")
    if landlock.abi() < row.landlock_abi:
        pytest.skip(f"needs Landlock {row.landlock_abi}")
    assert not opened(row, row.others)
    if not opened(row, (*row.others, row.step)):
        pytest.skip(f"not provable here: {row.attempt} stays shut without {row.step}")


def test_no_step_is_missing() -> None:
    assert {row.step for row in TABLE} | OF_THEIR_OWN == STEPS.keys()


def grown(without: tuple[str, ...]) -> int:
    """How long a file became that a child holds open for writing."""
    with World(True) as world:
        fd = os.open(world.file, os.O_WRONLY | os.O_TRUNC)

        def write(_: World) -> Any:
            return os.write(fd, b"x" * 1000)

        keep = world.keep
        world.keep = lambda: (*keep(), fd)  # type: ignore[method-assign]
        run(write, world, "parser", without=without)
        os.close(fd)
        return world.file.stat().st_size


def test_file_size() -> None:
    assert (grown(()), grown(("FSIZE",))) == (0, 1000)


def test_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spinning child is ended by the kernel; here after one second, without the step by its own end."""
    monkeypatch.setitem(PROFILES, "parser", PROFILES["parser"]._replace(cpu_s=1))
    endings = []
    for without in ((), ("CPU",)):
        with World(True) as world:
            endings.append(run(_spin, world, "parser", without=without).status)
    assert (os.WTERMSIG(endings[0]), endings[1]) == (signal.SIGKILL, 0)  # the limit has no softer part


def _spin(_: World) -> None:
    end = time.process_time() + 1.5
    while time.process_time() < end:
        pass


def memory_map_readable(without: tuple[str, ...]) -> bool:
    """Whether another process of the same ordinary user can look into a locked child."""
    ready, told = os.pipe()
    hold, release = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        become(user=True)
        for step in without:
            remove(step)
        process.enter((told, hold), parent)
        process.lock("parser")
        os.write(told, b".")
        os.read(hold, 1)
        os._exit(0)
    os.read(ready, 1)
    observer = os.fork()
    if observer == 0:
        become(user=True)
        os._exit(_can_read(f"/proc/{child}/maps"))
    _, status = os.waitpid(observer, 0)
    os.write(release, b".")
    os.waitpid(child, 0)
    for fd in (ready, told, hold, release):
        os.close(fd)
    return os.waitstatus_to_exitcode(status) == 1


def _can_read(path: str) -> int:
    try:
        with open(path, "rb", buffering=0) as file:
            return int(len(file.read(100)) > 0)
    except OSError:
        return 0


def test_unreadable_memory() -> None:
    assert (memory_map_readable(()), memory_map_readable(("undumpable",))) == (False, True)
