"""Level `max`: reached where the kernel gives namespaces, refused where it does not, never only claimed."""

import ctypes
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker.child import spawn
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc import frames
from guarded_webfetch.ipc.channel import Channel, Lock
from guarded_webfetch.isolation import canaries, kernel, process
from guarded_webfetch.isolation.profiles import RoleName
from guarded_webfetch.isolation.syscalls import MACHINE
from tests.isolation.locked import run
from tests.isolation.test_escape import namespaces_refused
from tests.isolation.world import World
from tests.parser.make_pdf import Pdf, line

pytestmark = pytest.mark.skipif(MACHINE is None or namespaces_refused(), reason="this machine gives no user namespaces")

ALL = {"user_namespace", "pid_namespace", "network_namespace", "mount_namespace", "ipc_namespace", "uts_namespace"}
ROLES: tuple[RoleName, ...] = ("fetcher", "parser", "sanitizer")
USERS = (True, False) if os.geteuid() == 0 else (True,)


def soon() -> Deadline:
    return Deadline.after(20, "parse_deadline")


def report(role: RoleName, *, user: bool = True, without: tuple[str, ...] = ()) -> dict[str, Any]:
    with World(user) as world:
        found = run(lambda _: True, world, role, user=user, without=without, namespaced=True).report
    assert found is not None
    return found


@pytest.mark.parametrize("user", USERS, ids=lambda user: "user" if user else "root")
@pytest.mark.parametrize("role", ROLES)
def test_everything_in_force_is_max(role: RoleName, user: bool) -> None:
    found = report(role, user=user)
    assert (found["level"], ALL - set(found["layers"])) == ("max", set())


def test_an_ordinary_child_sees_none_of_it() -> None:
    """The control of the canaries: each of them fails outside."""
    with World(True) as world:
        assert run(lambda _: canaries.namespaces(canaries.look()), world, None).said == []


@pytest.mark.parametrize(
    ("step", "layers"),
    [("unshare", ALL - {"user_namespace", "pid_namespace"}), ("mount", {"mount_namespace"}), ("pivot_root", {"mount_namespace"}),
     ("umount2", {"mount_namespace"}), ("sethostname", {"uts_namespace"})],
)  # fmt: skip
def test_a_step_that_did_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch, step: str, layers: set[str]) -> None:
    real = kernel.call
    monkeypatch.setattr(kernel, "call", lambda name, *words: 0 if name == step else real(name, *words))
    found = report("parser")
    assert (found["level"], set(found["layers"]) & layers) == ("strict", set())


def test_a_fork_into_nothing_new_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "clone", lambda _: os.fork())
    found = report("parser")
    assert (found["level"], set(found["layers"]) & {"user_namespace", "pid_namespace"}) == ("strict", set())


@pytest.mark.parametrize("step", ["seccomp", "undumpable", "AS", "closing"])
def test_without_a_layer_of_strict_it_is_process(step: str) -> None:
    assert report("parser", without=(step,))["level"] == "process"


def test_a_crew_reads_a_page_at_max() -> None:
    content = Pdf().page(line("Lock gates are watertight doors."), flate=True).build()
    order = {
        "content_type": "application/pdf",
        "kind": "pdf",
        "charset_header": None,
        "base_url": "",
        "truncated": False,
    }
    with Crew("pdf", "max", soon(), network=False) as crew:
        crew.sanitizer(soon())
        parser = crew.parser("pdf", soon())
        parser.send_message(order, soon())
        parser.send(frames.BYTES, content, soon())
        words = parser.receive_message("parsed", 1_000_000, soon())["blocks"]
        assert "watertight" in str(words)
        assert crew.level() == "max"
        crew.check(crew.resolver() if crew._resolvers else _resolver(crew), soon())
        assert (crew.isolation["resolver"]["level"], crew.level()) == ("strict", "max")


def _resolver(crew: Crew) -> Any:
    crew._add_network(look_up=True)
    return crew.resolver()


def in_a_broker_of_its_own(work: Any) -> str:
    """What `work` returned or which Refusal it raised, in a process that may be changed for ever."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = str(work())
        except Refusal as refusal:
            said = refusal.code
        finally:
            os.write(writer, said.encode())
            os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    said = os.read(reader, 1000).decode()
    os.close(reader)
    return said


def _crew_without_namespaces(required: Any) -> str:
    """As in most containers: the limit of user namespaces, here of one made for the test, is 0."""
    kernel.call("unshare", 0x10000000)
    Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")
    with Crew("text", required, soon(), network=False) as crew:
        crew.sanitizer(soon())
        return crew.level()


def test_where_they_are_refused_max_is_refused_and_strict_is_not() -> None:
    assert in_a_broker_of_its_own(lambda: _crew_without_namespaces("max")) == "sandbox_unavailable"
    assert in_a_broker_of_its_own(lambda: _crew_without_namespaces("strict")) == "strict"


def test_max_only_when_asked_for() -> None:
    with Crew("text", "strict", soon(), network=False) as crew:
        crew.sanitizer(soon())
        assert (crew.level(), crew.isolation["sanitizer"]["level"]) == ("strict", "strict")


def _abort(channel: Channel, lock: Lock) -> None:
    channel.send_ready(lock())
    os.abort()


def _overrun(channel: Channel, lock: Lock) -> None:
    channel.send_ready(lock())
    ctypes.string_at(0)


@pytest.mark.parametrize(("ending", "code"), [(_abort, "resource_limit"), (_overrun, "child_crashed")])
@pytest.mark.parametrize("namespaced", [False, True], ids=["strict", "max"])
def test_endings_are_told_apart(ending: Any, code: str, namespaced: bool) -> None:
    """Process 1 of a namespace ignores signals it sends itself: abort() must still not look like a crash."""
    child = spawn("parser", ending, namespaced=namespaced)
    child.await_ready(soon())
    child.blame_content()
    with pytest.raises(Refusal) as caught:
        child.receive({frames.MESSAGE: 10}, soon())
    child.kill()
    assert caught.value.code == code


def _spin(channel: Channel, lock: Lock) -> None:
    channel.send_ready(lock())
    while True:
        pass


def _broker_with_spinning_children(writer: int, namespaced: bool) -> None:
    children = [spawn(role, _spin, namespaced=namespaced, takes_socket=role == "fetcher") for role in ROLES]
    for child in children:
        child.await_ready(soon())
    os.write(writer, b".")
    signal.pause()


@pytest.mark.parametrize("namespaced", [False, True], ids=["strict", "max"])
def test_children_end_with_their_broker(namespaced: bool) -> None:
    """Its orphans come to this process, which is made their next parent, and have been killed."""
    kernel.prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
    reader, writer = os.pipe()
    broker = os.fork()
    if broker == 0:
        _broker_with_spinning_children(writer, namespaced)
    os.read(reader, 1)
    os.kill(broker, signal.SIGKILL)
    os.waitpid(broker, 0)
    endings = [_wait_for_any(2.0) for _ in ROLES]
    kernel.prctl(36, 0)
    assert endings == [-signal.SIGKILL] * len(ROLES)


def _wait_for_any(seconds: float) -> int | None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


@pytest.mark.parametrize("namespaced", [False, True], ids=["strict", "max"])
def test_a_child_forked_while_the_broker_died_does_not_live_on(namespaced: bool) -> None:
    """The death signal comes too late for it, but the other end of its pipe is closed."""
    reader, writer = os.pipe()
    wait, go = os.pipe()
    parent = os.getpid()
    pid = process.fork(namespaced=namespaced)
    if pid == 0:
        os.close(reader)
        os.read(wait, 1)  # until the other end is closed: a busy machine may run the child first
        process.enter((writer,), parent)
        os._exit(0)
    for fd in (reader, writer):
        os.close(fd)
    os.write(go, b".")
    for fd in (wait, go):
        os.close(fd)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 1
