"""The resolver as a forked process: ready first, then one frame."""

import os
import socket
from typing import Any, NoReturn

import pytest

from guarded_webfetch.core import dns_answers
from guarded_webfetch.ipc import frames, strict_json
from guarded_webfetch.ipc.channel import Channel
from guarded_webfetch.resolver.main import main


def resolve(host: str) -> list[frames.Frame]:
    """Every frame of one run."""
    child_read, write = os.pipe()
    read, child_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            main(Channel(child_read, child_write), lambda: {"level": "none"})
        finally:
            os._exit(0)
    os.close(child_read)
    os.close(child_write)
    os.write(write, frames.encode(frames.MESSAGE, strict_json.dumps({"host": host})))
    with os.fdopen(read, "rb") as stream:
        data = stream.read()
    os.close(write)
    os.waitpid(pid, 0)
    found = []
    while data:
        kind, length = frames.HEADER.unpack(data[: frames.HEADER.size])
        end = frames.HEADER.size + length
        found.append(frames.Frame(kind, data[frames.HEADER.size : end]))
        data = data[end:]
    return found


READY = frames.Frame(frames.READY, b'{"level":"none"}')


def test_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
    ready, answer = resolve("a.example")
    assert ready == READY
    assert answer.kind == frames.BYTES
    assert dns_answers.decode(answer.payload) == [bytes((192, 0, 2, 1))]


def test_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unanswered(*_: Any, **__: Any) -> NoReturn:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unanswered)
    assert resolve("a.example") == [READY, frames.Frame(frames.FAILED, b'{"reason":"dns_failed"}')]


def test_the_real_getaddrinfo_takes_the_call() -> None:
    """RFC 6761 section 6.4: .invalid never resolves; whether a machine without a network says so or fails is its own affair."""
    ready, answer = resolve("name.invalid")
    assert (ready, answer.kind) == (READY, frames.FAILED)
    assert strict_json.loads(answer.payload)["reason"] in ("dns_no_answer", "dns_failed")
