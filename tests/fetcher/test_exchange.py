"""The exchange in this process, over a socketpair: fast enough for generated answers."""

import os
import socket
from typing import NoReturn

import httpcore
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guarded_webfetch.core.reasons import REASONS
from guarded_webfetch.fetcher import exchange
from guarded_webfetch.fetcher.transport import open_connection, ordered_request
from guarded_webfetch.fetcher.wire_meter import WireMeter
from guarded_webfetch.ipc.channel import Channel

from .harness import an_order, chunked, page


class FailedError(Exception):
    pass


class RecordingChannel(Channel):
    """Says go to everything and keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(-1, -1)
        self.messages: list[object] = []
        self.body = b""

    def receive_message(self, limit_bytes: int = 0) -> object:
        return {"go": True}

    def send_message(self, value: object) -> None:
        self.messages.append(value)

    def send_bytes(self, data: bytes) -> None:
        self.body += data

    def fail(self, code: str) -> NoReturn:
        assert code in REASONS
        self.messages.append(code)
        raise FailedError(code)


def answered(raw: bytes) -> tuple[RecordingChannel, str | None]:
    """What a fetcher makes of a server that sends `raw` (at most 100 kB) and closes."""
    ours, theirs = socket.socketpair()
    channel = RecordingChannel()
    theirs.sendall(raw)
    theirs.shutdown(socket.SHUT_WR)
    try:
        exchange.run(channel, {"scheme": "http", "ca_bundle": None}, None, ours.detach(), an_order(max_bytes=5_000))
    except FailedError as failed:
        return channel, str(failed)
    finally:
        theirs.close()
    return channel, None


SEEDS = [
    page(b"abc", "Content-Type: text/html", "Content-Encoding: gzip"),
    chunked(b"3\r\nabc\r\n2;e\r\nde\r\n0\r\nT: u\r\n\r\n"),
    b"HTTP/1.1 103 Hint\r\nLink: </a>\r\n\r\n" + page(b"abc", "Set-Cookie: a=b"),
    page(b"abc", status="HTTP/1.0 302 Found", length=False),
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_a_damaged_answer_is_read_or_refused(seed: bytes, data: st.DataObject) -> None:
    raw = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    channel, failure = answered(bytes(raw))
    assert failure is not None or "length_unknown" in str(channel.messages[-1])
    assert len(channel.body) <= 5_001


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_refused(raw: bytes) -> None:
    _, failure = answered(raw)
    assert failure in ("http_protocol", "connect_failed")


@pytest.mark.parametrize("cut", range(1, len(SEEDS[1])))
def test_a_chunked_answer_cut_anywhere_is_no_success(cut: int) -> None:
    assert answered(SEEDS[1][:-cut])[1] in ("body_incomplete", "http_protocol", "connect_failed")


def test_the_socket_serves_its_own_origin_only() -> None:
    ours, theirs = socket.socketpair()
    request = ordered_request("http", an_order())
    with theirs, open_connection(ours.detach(), WireMeter(), None, request.url.origin) as connection:
        theirs.sendall(page(b"one", "Connection: keep-alive") + page(b"two"))
        assert connection.handle_request(request).read() == b"one"
        with pytest.raises(RuntimeError):
            connection.handle_request(ordered_request("http", an_order(host="other.example")))


def test_the_transport_follows_and_stores_nothing() -> None:
    """Only the transport of httpx is used, so there are no redirects, cookies, netrc or proxies to switch off."""
    raw = page(b"", "Location: http://[", "Set-Cookie: a=b", status="HTTP/1.1 302 Found")
    channel, failure = answered(raw)
    assert failure is None
    assert channel.messages[0] == {"status": 302}


def test_descriptors_are_closed() -> None:
    before = os.listdir("/proc/self/fd")
    for seed in SEEDS:
        answered(seed)
        answered(seed[:20])
    assert len(os.listdir("/proc/self/fd")) == len(before)


@pytest.mark.parametrize("host", ["site.example", "xn--fsq.example", "a_b.example", "192.0.2.7", "2001:db8::7"])
def test_hosts_reach_the_request_unchanged(host: str) -> None:
    request = ordered_request("https", an_order(host=host, port=8443))
    assert isinstance(request, httpcore.Request)
    assert request.url.origin == httpcore.Origin(b"https", host.encode(), 8443)
    assert request.headers[0] == (b"Host", b"site.example")
