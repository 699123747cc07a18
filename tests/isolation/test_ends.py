"""At the deadline every child is gone, whatever it is doing, and no zombie stays."""

import os
import time
from collections.abc import Callable

import pytest

from guarded_webfetch.broker import crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Level
from guarded_webfetch.core.limits import KILL_GRACE_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc.channel import Channel, Lock
from guarded_webfetch.isolation.syscalls import MACHINE
from tests.isolation.test_escape import namespaces_refused

pytestmark = pytest.mark.skipif(MACHINE is None, reason="the kernel layers exist for Linux on x86-64 and aarch64")


def spinning(channel: Channel, lock: Lock) -> None:
    channel.send_ready(lock())
    while True:
        pass


def deaf(channel: Channel, lock: Lock) -> None:
    """Never ready: still importing when the time is up."""
    while True:
        time.sleep(60)


def holding_memory(channel: Channel, lock: Lock) -> None:
    """Much to take down."""
    channel.send_ready(lock())
    held = bytearray(b"x") * 50_000_000
    while held:
        pass


def from_deadline_to_last_child(required: Level) -> tuple[float, list[int]]:
    """(seconds from the deadline until the crew is closed, its process ids)"""
    deadline = Deadline.after(0.5, "parse_deadline")
    with pytest.raises(Refusal) as caught, crew.Crew("html", required, deadline) as one:
        one.prepare_redirects()
        pids = [child._pid for child in one._children]
        one.check(one._parser, deadline)
        one._parser.receive({}, deadline)
    late = time.monotonic() - deadline.at_s
    assert caught.value.code == "parse_deadline"
    return late, pids


@pytest.mark.parametrize("main", [spinning, deaf, holding_memory], ids=lambda main: main.__name__)
@pytest.mark.parametrize("required", ["strict", "max"])
def test_every_child_is_gone_in_time(
    monkeypatch: pytest.MonkeyPatch, required: Level, main: Callable[[Channel, Lock], None]
) -> None:
    """The most children a run can have, all at once; the best of three, since other programs run here as well."""
    if required == "max" and namespaces_refused():
        pytest.skip("user namespaces are refused here")
    for name in ("_resolve", "_fetch", "_parse", "_sanitize"):
        monkeypatch.setattr(crew, name, main)
    lateness = []
    for _ in range(3):
        late, pids = from_deadline_to_last_child(required)
        lateness.append(late)
        assert len(pids) == 11
        assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)
    assert min(lateness) <= 3 * KILL_GRACE_S  # the figure itself is for scripts/bench, on a quiet machine
