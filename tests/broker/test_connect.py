"""Connecting: the order of RFC 8305, an answer from the address that was judged, or one of two reasons."""

import errno
import os
import socket
import time
from collections.abc import Iterator

import pytest

from guarded_webfetch.broker import connect as module
from guarded_webfetch.broker.connect import connect, interleave
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.reasons import Refusal

HERE = socket.inet_aton("127.0.0.1")
NOBODY = socket.inet_aton("127.0.0.2")


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def deadline(seconds: float = 3) -> Deadline:
    return Deadline.after(seconds, "fetch_deadline")


def test_families_take_turns() -> None:
    six, four = [bytes([n] * 16) for n in range(3)], [bytes([n] * 4) for n in range(2)]
    assert interleave([*six, *four]) == [six[0], four[0], six[1], four[1], six[2]]
    assert interleave([]) == []


def test_connects_to_the_first_that_answers(listener: int) -> None:
    with connect([NOBODY, HERE], listener, deadline()) as connection:
        assert connection.getpeername()[0] == "127.0.0.1"
        assert os.get_blocking(connection.fileno())


def test_refused_everywhere(listener: int) -> None:
    with pytest.raises(Refusal) as caught:
        connect([NOBODY, NOBODY], listener, deadline())
    assert caught.value.code == "connect_failed"


def test_at_most_four_attempts(listener: int) -> None:
    with pytest.raises(Refusal):
        connect([NOBODY] * 4 + [HERE], listener, deadline())


def test_no_answer_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        port = server.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        before = time.monotonic()
        with pytest.raises(Refusal) as caught:
            connect([HERE], port, deadline(0.4))
        assert caught.value.code == "fetch_deadline"
        assert time.monotonic() - before < 1.5
        for filler in fillers:
            filler.close()


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES])
def test_an_outer_sandbox_has_its_own_reason(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def forbidden(*_: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(module.socket, "socket", forbidden)
    with pytest.raises(Refusal) as caught:
        connect([HERE], 80, deadline())
    assert caught.value.code == "network_blocked"


def test_peer_that_differs_is_refused(listener: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Canary: without the comparison this would hand out a connection to somebody else."""
    monkeypatch.setattr(module.socket, "inet_pton", lambda *_: NOBODY)
    with pytest.raises(Refusal) as caught:
        connect([HERE], listener, deadline())
    assert caught.value.code == "connect_failed"
