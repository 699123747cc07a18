"""Fetches the pages a job needs, each through a broker of its own, as `fetch` would: the gate has no other way to the network."""

import json
import os
import select
import signal
import socket
import time
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker import run as broker
from guarded_webfetch.broker.options import Options
from guarded_webfetch.core.limits import MAX_PARALLEL_FETCHES, MAX_URLS_PER_RUN, SOURCES_PAUSE_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import WIDE_PORTS, parse_url
from guarded_webfetch.evidence.side_process import Line, SideFailed, SideProcess
from guarded_webfetch.isolation import process
from guarded_webfetch.sources.turns import Turns

_GRACE_S: Final = 5.0  # beyond a page's own deadline, to write its record
_POLL_S: Final = 0.2
_MAX_MESSAGE_BYTES: Final = 4_096


class Fetched(NamedTuple):
    """How one fetch ended: "ok" or a reason code, and its record, if one was written."""

    url: str
    code: str
    path: str | None


def start(options: Options) -> SideProcess:
    """The process that will fetch; it waits for `fetch`."""
    return SideProcess(lambda line: _serve(line, options))


def fetch(side: SideProcess, urls: list[str], options: Options) -> list[Fetched]:
    """The records of `urls` (at most 15). A fetch that ended without a word is internal_error."""
    limit_s = MAX_URLS_PER_RUN * (options.timeout_s + _GRACE_S + SOURCES_PAUSE_S)
    try:
        rows = side.ask({"urls": urls}, limit_s)["fetched"]
    except SideFailed:
        return [Fetched(url, "internal_error", None) for url in urls]
    return [Fetched(*row) for row in rows]


def _serve(line: Line, options: Options) -> None:
    order = line.receive()
    if order is not None:
        line.send({"fetched": _Run(order["urls"], options, line).all()})


class _Running(NamedTuple):
    pid: int
    line: socket.socket
    until: float


class _Run:
    def __init__(self, urls: list[str], options: Options, wanted_by: Line) -> None:
        self._urls: Final = urls
        self._options: Final = options
        self._wanted_by: Final = wanted_by
        self._running: dict[int, _Running] = {}
        self._found = [Fetched(url, "internal_error", None) for url in urls]
        hosts = [parse_url(url, ports=WIDE_PORTS).host for url in urls]
        self._turns = Turns(hosts, MAX_PARALLEL_FETCHES, SOURCES_PAUSE_S)

    def all(self) -> list[Fetched]:
        """Every page, one at a time for a host; ends early when nobody wants them any more."""
        while not self._turns.done and self._wanted_by.wanted():
            while (turn := self._turns.next(time.monotonic())) is not None:
                self._running[turn] = _start(self._urls[turn], self._options)
            self._wait()
        for turn in list(self._running):
            self._end(turn)
        return self._found

    def _wait(self) -> None:
        poll = select.poll()
        for running in self._running.values():
            poll.register(running.line, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(_POLL_S * 1_000)}
        for turn, running in list(self._running.items()):
            if running.line.fileno() in ready:
                data = running.line.recv(_MAX_MESSAGE_BYTES)
                if data:
                    message: dict[str, Any] = json.loads(data)
                    self._found[turn] = Fetched(self._urls[turn], message["code"], message["path"])
                self._end(turn)
            elif time.monotonic() >= running.until:
                self._found[turn] = Fetched(self._urls[turn], "fetch_deadline", None)
                self._end(turn)

    def _end(self, turn: int) -> None:
        running = self._running.pop(turn)
        running.line.close()
        os.kill(running.pid, signal.SIGKILL)
        os.waitpid(running.pid, 0)
        self._turns.ended(turn, time.monotonic())


def _start(url: str, options: Options) -> _Running:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    parent = os.getpid()
    pid = os.fork()
    if pid:
        theirs.close()
        return _Running(pid, ours, time.monotonic() + options.timeout_s + _GRACE_S)
    try:
        process.enter((theirs.fileno(),), parent)
        theirs.sendall(json.dumps(_fetched(url, options)).encode())
        os._exit(0)
    finally:
        os._exit(70)


def _fetched(url: str, options: Options) -> dict[str, Any]:
    try:
        written = broker.fetch(url, options)
    except Refusal as refusal:
        return {"code": refusal.code, "path": None}
    return {"code": written.code, "path": written.path}
