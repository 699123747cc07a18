"""Whether a site's robots.txt lets a URL be fetched: asked by a process of its own, through the same locked children as a page.

An asker is forked before anything of its run has arrived from outside; it fetches robots.txt on judged addresses, has it read in a
locked parser and tells the broker a reason code and a number. So no byte of a robots.txt ever lies where a page's children are forked.
"""

import contextlib
import json
import os
import select
import signal
import socket
import time
from typing import Final, NamedTuple

from guarded_webfetch.broker import network, side_line
from guarded_webfetch.broker import route as routes
from guarded_webfetch.broker.child import Child, check_message
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.robots_cache import Shelf
from guarded_webfetch.broker.url_check import check_host
from guarded_webfetch.core import limits, redirect_policy, robots_policy
from guarded_webfetch.core.messages import RobotsOrder
from guarded_webfetch.core.reasons import REASONS, Refusal
from guarded_webfetch.core.robots_policy import Known, Verdict
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, WIDE_PORTS, Url, parse_url
from guarded_webfetch.ipc import frames

_READING_S: Final = 1.0
# The page itself cannot be reached either, and the reason for that says more than one about robots.txt.
_UNREACHED: Final = frozenset(
    {
        "dns_no_answer", "dns_failed", "connect_failed", "tls_failed", "tls_certificate", "address_not_public", "address_mixed",
        "address_fake_ip", "proxy_unreachable", "proxy_refused",
    }
)  # fmt: skip
_FATAL_EXITS: Final = frozenset({3, 70})
_DISALLOWED: Final = frozenset({"robots_disallowed", "robots_unavailable"})


class Answer(NamedTuple):
    """`code`: "ok", robots_disallowed, robots_unavailable, or why nothing of the site can be had."""

    code: str
    crawl_delay_s: float = 0.0


class Gate:
    """Asks for every URL of one run. A context manager that leaves no process behind."""

    def __init__(self, options: Options) -> None:
        """Forks the asker of the first URL."""
        self._options: Final = options
        self._free: list[tuple[int, socket.socket]] = []
        self._asked: tuple[int, socket.socket] | None = None
        self.disallowed = False
        self.crawl_delay_s = 0.0
        self.prepare(1)

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, *_: object) -> None:
        for asker in (*self._free, *([self._asked] if self._asked else [])):
            _end(*asker)

    def prepare(self, count: int = limits.MAX_REDIRECTS) -> None:
        """Forks what further hops need; once a redirect is known and before one of its headers is in memory."""
        while len(self._free) < count:
            self._free.append(side_line.fork(lambda line: _serve(line, self._options)))

    def ask(self, url: Url, deadline: Deadline) -> None:
        """Puts the question; the answer is awaited by `check`."""
        self._asked = self._free.pop(0)
        until_s = min(deadline.at_s, time.monotonic() + limits.ROBOTS_DEADLINE_S)
        with contextlib.suppress(ConnectionError):  # it has died: `check` will know
            self._asked[1].sendall(json.dumps({"url": url.text, "until_s": until_s}).encode())

    def check(self, deadline: Deadline) -> None:
        """Raises the Refusal the answer calls for; under `note` only notes it."""
        assert self._asked is not None
        answer = _receive(self._asked[1], deadline)
        _end(*self._asked)
        self._asked = None
        self.crawl_delay_s = max(self.crawl_delay_s, answer.crawl_delay_s)
        self.disallowed |= answer.code in _DISALLOWED
        if answer.code != "ok" and (self._options.robots == "obey" or REASONS[answer.code].exit_code in _FATAL_EXITS):
            raise Refusal(answer.code)


def _serve(line: socket.socket, options: Options) -> None:
    """The life of an asker: one question, one answer."""
    question = json.loads(line.recv(side_line.MAX_MESSAGE_BYTES))
    url = parse_url(question["url"], ports=DEFAULT_PORTS | WIDE_PORTS)
    answer = ask_site(url, options, Deadline(question["until_s"], "robots_unavailable"))
    line.sendall(json.dumps(answer._asdict()).encode())


def _end(pid: int, line: socket.socket) -> None:
    line.close()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _receive(line: socket.socket, deadline: Deadline) -> Answer:
    """What the asker says; a process that ends without a word has told nothing that a fetch could rest on."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    while not poll.poll(deadline.remaining_ms()):
        pass
    try:
        said = line.recv(side_line.MAX_MESSAGE_BYTES)
    except ConnectionError:
        said = b""
    return Answer(**json.loads(said)) if said else Answer("robots_unavailable")


class _Question(NamedTuple):
    """One URL and what its answer may take. `deadline` is for asking the site."""

    url: Url
    options: Options
    shelf: Shelf
    deadline: Deadline


def ask_site(url: Url, options: Options, deadline: Deadline) -> Answer:
    """The answer for one URL, from what is kept about its site or from the site; never raises a Refusal."""
    try:
        known, verdict = _consult(_Question(url, options, Shelf(url.origin), deadline))
    except Refusal as refusal:
        return Answer(refusal.code)
    delay_s = verdict.crawl_delay_s if verdict and verdict.crawl_delay_s else 0.0
    if robots_policy.may_fetch(known, verdict):
        return Answer("ok", delay_s)
    return Answer("robots_unavailable" if verdict is None else "robots_disallowed", delay_s)


def _consult(question: _Question) -> tuple[Known, Verdict | None]:
    url, options, shelf, deadline = question
    kept = shelf.head()
    fresh = kept is not None and robots_policy.is_fresh(kept, time.time())
    look_up = bool(options.proxy) or not url.is_literal
    with Crew("robots", options.require_isolation, deadline, network=not fresh, look_up=look_up) as crew:
        known = kept if kept and fresh else _renewed(question, kept, crew)
        if known.meaning != "rules":
            return known, None
        soon = Deadline(deadline.at_s + _READING_S, deadline.code)  # also when all of the time went into asking
        return known, _judge(known.body or shelf.body(), url.target, crew, soon)


def _renewed(question: _Question, kept: Known | None, crew: Crew) -> Known:
    """What is known after asking the site again; it is kept."""
    status, body = None, b""
    try:
        status, body = _download(question, crew)
    except Refusal as refusal:
        if refusal.reason.exit_code in _FATAL_EXITS or refusal.code in _UNREACHED:
            raise
    old = kept._replace(body=question.shelf.body()) if kept else None  # after the last fork
    known = robots_policy.renewed(old, status, body, time.time())
    if known.meaning != "deny_all":  # a failure may be over in a minute
        question.shelf.keep(known)
    return known


def _download(question: _Question, crew: Crew) -> tuple[int, bytes]:
    """The final status of robots.txt and, where it means rules, as much of the file as counts."""
    url, options, _, deadline = question
    route = routes.choose(options, crew)
    here = parse_url(f"{url.origin}/robots.txt", ports=DEFAULT_PORTS | {url.port})
    redirects = 0
    while True:
        try:
            fetcher = network.connected_fetcher(here, route, options, crew, deadline)
            network.order(fetcher, here, None, deadline, limits.MAX_ROBOTS_BYTES)
            status, headers = network.receive_head(fetcher, crew, deadline)
        except Refusal as refusal:
            if redirects and refusal.code in _UNREACHED:  # that is another host than the page's
                raise Refusal("robots_unavailable") from None
            raise
        if not robots_policy.follows(status, redirects):
            body = _body(fetcher, deadline) if 200 <= status < 300 else b""
            fetcher.kill()
            return status, body
        fetcher.kill()
        redirects += 1
        here = _next(here, status, headers, options)


def _next(here: Url, status: int, headers: list[list[str]], options: Options) -> Url:
    """Where robots.txt has moved: any public host (RFC 9309 section 2.3.1.2), never from https to http."""
    locations = [value.encode("latin-1") for value in network.values(headers, "location")]
    ports = WIDE_PORTS if options.wide_ports else DEFAULT_PORTS
    try:
        hop = redirect_policy.decide(here, status, locations, visited=[here.text], mode="checked", ports=ports)
        check_host(hop.url, options)
    except Refusal:
        raise Refusal("robots_unavailable") from None
    return hop.url


def _body(fetcher: Child, deadline: Deadline) -> bytes:
    fetcher.send_message({"go": True}, deadline)
    accepted = {frames.BYTES: limits.FRAME_CHUNK_BYTES, frames.MESSAGE: limits.FRAME_CONTROL_BYTES}
    content = bytearray()
    while len(content) <= limits.MAX_ROBOTS_BYTES:
        frame = fetcher.receive(accepted, deadline)
        if frame.kind == frames.MESSAGE:
            check_message(frame.payload, "fetch_end")
            break
        content += frame.payload
    return bytes(content[: limits.MAX_ROBOTS_BYTES + 1])  # one more tells the parser that the last line is cut


def _judge(body: bytes, path: str, crew: Crew, deadline: Deadline) -> Verdict | None:
    """What the rules say of `path`; None where the parser could not read them."""
    parser = crew.parser("robots", deadline)
    parser.blame_content()
    order: RobotsOrder = {"kind": "robots", "path": path, "product_token": robots_policy.PRODUCT_TOKEN}
    try:
        parser.send_message(order, deadline)
        parser.send(frames.BYTES, body, deadline)
        said = parser.receive_message("robots", limits.FRAME_CONTROL_BYTES, deadline)
    except Refusal:
        return None
    delay_ms: int | None = said["crawl_delay_ms"]
    return Verdict(said["allowed"], said["line"], delay_ms / 1_000 if delay_ms is not None else None)
