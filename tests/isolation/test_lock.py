"""What the lock reports is what it saw: a step that says it worked and did nothing is caught, a missing layer lowers the level."""

import ctypes
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.isolation import canaries, kernel, landlock, process, seccomp, syscalls
from guarded_webfetch.isolation.allow_lists import Allow
from guarded_webfetch.isolation.profiles import PROFILES, RoleName
from tests.isolation.locked import run
from tests.isolation.world import World, become

pytestmark = pytest.mark.skipif(
    syscalls.MACHINE is None, reason="the kernel layers exist for Linux on x86-64 and aarch64"
)

ROLES: tuple[RoleName, ...] = ("resolver", "fetcher", "parser", "sanitizer")
HYGIENE = {"descriptors", "rlimits", "capabilities", "unreadable_memory", "no_new_privs", "single_thread"}
USERS = (True, False) if os.geteuid() == 0 else (True,)


def report(role: RoleName, *, user: bool = True, without: tuple[str, ...] = ()) -> dict[str, Any]:
    with World(user) as world:
        found = run(lambda _: True, world, role, user=user, without=without).report
    assert found is not None
    return found


@pytest.mark.parametrize("user", USERS, ids=lambda user: "user" if user else "root")
@pytest.mark.parametrize("role", ROLES)
def test_everything_in_force_is_strict(role: RoleName, user: bool) -> None:
    found = report(role, user=user)
    assert found["level"] == "strict"
    assert set(found["layers"]) >= HYGIENE | {"seccomp"}
    assert set(found["canaries"].values()) == {"EPERM"}
    assert found["landlock_abi"] == landlock.abi()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("step", "layer"),
    [("seccomp", "seccomp"), ("undumpable", "unreadable_memory"), ("no_new_privs", "no_new_privs"), ("FSIZE", "rlimits"),
     ("NPROC", "rlimits"), ("MEMLOCK", "rlimits"), ("CORE", "rlimits"), ("AS", "rlimits"), ("CPU", "rlimits"),
     ("MSGQUEUE", "rlimits"), ("closing", "descriptors")],
)  # fmt: skip
def test_a_step_that_did_nothing_is_noticed(role: RoleName, step: str, layer: str) -> None:
    found = report(role, without=(step,))
    assert found["level"] == "process"
    assert layer not in found["layers"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no capabilities to drop")
def test_capabilities_that_stayed_are_noticed() -> None:
    found = report("parser", user=False, without=("capabilities",))
    assert (found["level"], "capabilities" in found["layers"]) == ("process", False)


def test_landlock_that_did_nothing_is_not_claimed() -> None:
    found = report("parser", without=("landlock",))
    assert (found["landlock_abi"], "landlock" in found["layers"]) == (0, False)
    assert found["level"] == "strict"  # the filter alone is the promise


def test_a_filter_that_lets_one_canary_through_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = seccomp.build

    def leaky(calls: Any, machine: Any) -> bytes:
        return real(calls._replace(allowed=(*calls.allowed, Allow("socket"))), machine)

    monkeypatch.setattr(seccomp, "build", leaky)
    found = report("parser")
    assert (found["level"], found["canaries"]["socket"]) == ("process", "EMFILE")


@pytest.mark.parametrize("machine", [None, "without seccomp"])
def test_a_system_without_the_kernel_layers_is_process(monkeypatch: pytest.MonkeyPatch, machine: str | None) -> None:
    if machine is None:
        monkeypatch.setattr(syscalls, "MACHINE", None)
    else:
        monkeypatch.setattr(kernel, "call", _unsupported)
    found = report("parser")
    assert (found["level"], found["landlock_abi"]) == ("process", 0)


def _unsupported(name: str, *_: int) -> int:
    raise OSError(38, name)


def test_it_works_inside_another_filter() -> None:
    """An agent's sandbox has a filter of its own: both hold, the stricter answer counts."""
    with World(True) as world:
        assert run(_lock_twice, world, None).said == ["strict", "strict"]


def _lock_twice(world: World) -> list[str]:
    """A first filter that denies sockets and the newer way in, as an outer sandbox may; then the lock, as ever."""
    reader, writer = os.pipe()
    assert syscalls.MACHINE is not None
    kernel.prctl(38, 1)
    outer = _deny(["socket", "io_uring_setup", "seccomp"])
    seccomp.install(outer)
    parent, levels = os.getpid(), []
    roles: tuple[RoleName, ...] = ("parser", "fetcher")
    for role in roles:
        pid = os.fork()
        if pid == 0:
            process.enter((writer,), parent)
            os.write(writer, str(process.lock(role)["level"]).encode())
            os._exit(0)
        os.waitpid(pid, 0)
        levels.append(os.read(reader, 20).decode())
    return levels


def _deny(names: list[str]) -> bytes:
    machine = syscalls.MACHINE
    assert machine is not None
    code = [(0x20, 0, 0, 0)]
    for name in names:
        code += [(0x15, 0, 1, machine.numbers[name]), (0x06, 0, 0, 0x00050001)]
    return b"".join(struct.pack("<HBBI", *one) for one in [*code, (0x06, 0, 0, 0x7FFF0000)])


@pytest.mark.parametrize("user", USERS, ids=lambda user: "user" if user else "root")
def test_the_kernel_says_the_same(user: bool) -> None:
    """Seen from outside, in /proc, while the child lives."""
    facts = _locked_facts(user)
    assert (facts["NoNewPrivs"], facts["Seccomp"], facts["CapEff"], facts["CapPrm"]) == ("1", "2", "0" * 16, "0" * 16)
    if not user:
        assert facts["CapBnd"] == "0" * 16
    zero = (
        "Max core file size",
        "Max file size",
        "Max processes",
        "Max locked memory",
        "Max msgqueue size",
        "Max open files",
    )
    assert [facts[name] for name in zero] == ["0 0"] * len(zero)
    profile = PROFILES["parser"]
    assert facts["Max cpu time"] == f"{profile.cpu_s} {profile.cpu_s}"
    assert facts["Max address space"] == f"{profile.memory_bytes} {profile.memory_bytes}"


def _locked_facts(user: bool) -> dict[str, str]:
    reader, writer = os.pipe()
    hold, release = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        become(user)
        process.enter((writer, hold), parent)
        process.lock("parser")
        os.write(writer, b".")
        os.read(hold, 1)
        os._exit(0)
    os.read(reader, 1)
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    limits = Path(f"/proc/{pid}/limits").read_text(encoding="utf-8").splitlines()[1:]
    facts = {name: value.strip() for name, _, value in (line.partition(":") for line in status)}
    facts |= {line[:26].strip(): " ".join(line[26:].split()[:2]) for line in limits}
    os.write(release, b".")
    os.waitpid(pid, 0)
    for fd in (reader, writer, hold, release):
        os.close(fd)
    return facts


def test_canaries_leave_nothing_behind() -> None:
    """Tried without any lock they all succeed, and neither a process nor a descriptor stays."""
    with World(True) as world:
        assert run(_try_all_canaries, world, None).said == ["succeeded", "succeeded", 0, "no child"]


def _try_all_canaries(_: World) -> list[Any]:
    before = len(os.listdir("/proc/self/fd"))
    answers, resolvers = canaries.seccomp("parser"), canaries.seccomp("resolver")
    opened = len(os.listdir("/proc/self/fd")) - before
    try:
        os.waitpid(-1, os.WNOHANG)
        left = "a child"
    except ChildProcessError:
        left = "no child"
    return [*sorted(set(answers.values())), resolvers["fork"], opened, left]


def test_abort_still_says_abort() -> None:
    """A child whose C library gives up must end by SIGABRT, which the broker reads as "a limit was met"."""
    with World(True) as world:
        outcome = run(lambda _: os.abort(), world, "parser")
    assert os.WTERMSIG(outcome.status) == 6


def test_a_forbidden_call_that_kills_ends_by_sigsys() -> None:
    with World(True) as world:
        outcome = run(lambda _: os.execv("/bin/true", ["true"]), world, "parser")
    assert os.WTERMSIG(outcome.status) == 31


def test_processor_time_of_the_lock() -> None:
    """A loose bound; references/benchmarks.md has the figures."""
    with World(True) as world:
        times = [run(_timed, world, None).said for _ in range(5)]
    assert min(times) < 0.03


def _timed(world: World) -> float:
    start = time.perf_counter()
    process.lock("parser")
    return time.perf_counter() - start


def test_other_systems_can_import_it() -> None:
    code = "import sys; sys.platform = 'darwin'; from guarded_webfetch.isolation import process, syscalls; print(syscalls.MACHINE)"
    shared = str(Path(process.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": shared}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "None\n"


def test_landlock_knows_each_version() -> None:
    """The rights of each ABI as linux/landlock.h introduced them."""
    known = [landlock._known(abi) for abi in range(1, 12)]
    assert [one.files for one in known[:5]] == [0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF]
    assert (known[8].files, known[9].network, known[3].network, known[2].network) == (0x1FFFF, 0xF, 0x3, 0)
    assert (known[4].scopes, known[5].scopes) == (0, 3)
    assert [one.size for one in known[2:6]] == [8, 16, 16, 24]
    assert known[10] == known[9]
    assert ctypes.sizeof(landlock._BeneathPath) == 12
