"""A child may crash, lie, flood or fall silent: the broker answers with a fixed reason, in time, and leaves nothing behind."""

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from guarded_webfetch.broker.child import FAILURES, Child, spawn
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.limits import FRAME_CONTROL_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc import frames, strict_json
from guarded_webfetch.ipc.channel import Channel, Lock

Start = Callable[[Callable[[Channel], None]], Child]
ONE_MESSAGE = {frames.MESSAGE: FRAME_CONTROL_BYTES}


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a child in the parser's role; it is killed after the test."""
    children: list[Child] = []
    pids: list[int] = []

    def _start(work: Callable[[Channel], None]) -> Child:
        def main(channel: Channel, lock: Lock) -> None:
            work(channel)

        children.append(spawn("parser", main))
        pids.append(children[-1]._pid)
        return children[-1]

    yield _start
    for child in children:
        child.kill()
    for pid in pids:  # by its id: a fixture of the session may have children of its own
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)  # nothing left to reap


def soon(seconds: float = 5.0) -> Deadline:
    return Deadline.after(seconds, "parse_deadline")


def refusal_of(child: Child, deadline: Deadline | None = None) -> str:
    with pytest.raises(Refusal) as caught:
        child.receive(ONE_MESSAGE, deadline or soon())
    return caught.value.code


def raw(data: bytes) -> Callable[[Channel], None]:
    def work(channel: Channel) -> None:
        try:
            os.write(channel.write_fd, data)
        finally:
            time.sleep(30)

    return work


def test_answers(start: Start) -> None:
    child = start(lambda channel: channel.send_message({"said": channel.receive_message()}))
    child.send_message("héllo 🦊", soon())
    assert strict_json.loads(child.receive(ONE_MESSAGE, soon()).payload) == {"said": "héllo 🦊"}


HOSTILE_BYTES = {
    "length of 1 GB": frames.HEADER.pack(frames.MESSAGE, 10**9),
    "length one above the limit": frames.HEADER.pack(frames.MESSAGE, FRAME_CONTROL_BYTES + 1),
    "kind of another child": frames.HEADER.pack(frames.BYTES, 10),
    "unknown kind": frames.HEADER.pack(0x7F, 0),
    "reason it may not give": frames.encode(frames.FAILED, b'{"reason":"url_secret"}'),
    "reason that does not exist": frames.encode(frames.FAILED, b'{"reason":"\\u001b[31mred"}'),
    "reason without shape": frames.encode(frames.FAILED, b'["reason"]'),
    "reason that is no JSON": frames.encode(frames.FAILED, b"\xff\xfe"),
}


@pytest.mark.parametrize("data", HOSTILE_BYTES.values(), ids=HOSTILE_BYTES)
def test_hostile_frame(start: Start, data: bytes) -> None:
    assert refusal_of(start(raw(data))) == "child_frame_invalid"


HOSTILE_MESSAGES = {
    "duplicate keys": b'{"status":200,"status":404}',
    "NaN": b'{"status":NaN}',
    "5,000 digits": b'{"status":' + b"9" * 5000 + b"}",
    "depth": b"[" * 2000,
    "lone surrogate": b'{"status":"\\udead"}',
    "not UTF-8": b'{"status":\xff}',
    "field of another child": b'{"status":200,"verdict":"safe"}',
    "float for integer": b'{"status":200.0}',
    "true for integer": b'{"status":true}',
    "no object": b"[200]",
}


@pytest.mark.parametrize("data", HOSTILE_MESSAGES.values(), ids=HOSTILE_MESSAGES)
def test_hostile_message(start: Start, data: bytes) -> None:
    child = start(raw(frames.encode(frames.MESSAGE, data)))
    with pytest.raises(Refusal) as caught:
        child.receive_message("fetch_status", FRAME_CONTROL_BYTES, soon())
    assert caught.value.code == "child_frame_invalid"


def test_reason_of_its_own_list(start: Start) -> None:
    assert refusal_of(start(lambda channel: channel.fail("pdf_broken"))) == "pdf_broken"


def test_one_byte_at_a_time_is_read(start: Start) -> None:
    def work(channel: Channel) -> None:
        for byte in frames.encode(frames.MESSAGE, b'{"status":200}'):
            os.write(channel.write_fd, bytes([byte]))
            time.sleep(0.002)

    assert start(work).receive_message("fetch_status", FRAME_CONTROL_BYTES, soon()) == {"status": 200}


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGXCPU, 0])
def test_death_by_each_signal(start: Start, number: int) -> None:
    def work(channel: Channel) -> None:
        if number:
            signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
            os.kill(os.getpid(), number)
        os._exit(3)

    assert refusal_of(start(work)) == "child_crashed"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGXCPU])
def test_a_limit_met_while_reading_content_is_the_contents_fault(start: Start, number: int) -> None:
    child = start(lambda channel: os.kill(os.getpid(), number))
    child.blame_content()
    assert refusal_of(child) == "resource_limit"


def test_silence_ends_at_the_deadline(start: Start) -> None:
    child = start(lambda channel: time.sleep(60))
    before = time.monotonic()
    assert refusal_of(child, soon(0.3)) == "parse_deadline"
    assert 0.25 < time.monotonic() - before < 1.5


def test_a_child_that_stops_reading_does_not_block_the_broker(start: Start) -> None:
    child = start(lambda channel: time.sleep(60))
    with pytest.raises(Refusal) as caught:
        child.send(frames.BYTES, b"x" * 10_000_000, soon(0.3))
    assert caught.value.code == "parse_deadline"


def test_closed_pipe_but_living_child_is_killed(start: Start) -> None:
    def work(channel: Channel) -> None:
        os.close(channel.write_fd)
        time.sleep(60)

    before = time.monotonic()
    assert refusal_of(start(work)) == "child_crashed"
    assert time.monotonic() - before < 2


def test_child_inherits_no_descriptor_and_no_terminal(start: Start, tmp_path: os.PathLike[str]) -> None:
    secret = os.open(os.path.join(tmp_path, "secret"), os.O_RDWR | os.O_CREAT)
    os.set_inheritable(secret, True)

    def work(channel: Channel) -> None:
        links = {name: os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _open(int(name))}
        channel.send_message({"fds": links, "session": os.getsid(0) == os.getpid()})

    found = strict_json.loads(start(work).receive(ONE_MESSAGE, soon()).payload)
    os.close(secret)
    others = [target for name, target in found["fds"].items() if int(name) > 2]
    assert {found["fds"][name] for name in "012"} == {"/dev/null"}
    assert len(others) == 2 and all(target.startswith("pipe:") for target in others)
    assert found["session"]


def _open(fd: int) -> bool:
    """Whether `fd` is still open (listing a folder opens one more for a moment)."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def test_children_die_with_the_broker() -> None:
    """Without PR_SET_PDEATHSIG a child busy in a C library would outlive a killed broker."""
    reader, writer = os.pipe()
    broker = os.fork()
    if broker == 0:
        os.close(reader)

        def main(channel: Channel, lock: Lock) -> None:
            time.sleep(60)

        child = spawn("parser", main)
        os.write(writer, str(child._pid).encode())
        time.sleep(60)
        os._exit(0)
    os.close(writer)
    child_pid = int(os.read(reader, 20))
    os.kill(broker, signal.SIGKILL)
    os.waitpid(broker, 0)
    assert _gone_within(child_pid, 2.0)


def _gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_every_failure_list_names_real_reasons() -> None:
    assert FAILURES.keys() == {"resolver", "fetcher", "parser", "sanitizer"}
