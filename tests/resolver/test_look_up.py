"""Look-ups against a replaced getaddrinfo: what is asked, and what becomes of each answer."""

import socket
from typing import Any

import pytest

from guarded_webfetch.core.limits import MAX_DNS_ANSWERS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.resolver.main import look_up

STREAM = socket.SOCK_STREAM


def row(address: str) -> tuple[Any, ...]:
    if ":" in address:
        return socket.AF_INET6, STREAM, 6, "", (address, 0, 0, 0)
    return socket.AF_INET, STREAM, 6, "", (address, 0)


def answer_with(monkeypatch: pytest.MonkeyPatch, result: list[tuple[Any, ...]] | Exception) -> list[tuple[Any, ...]]:
    asked: list[tuple[Any, ...]] = []

    def getaddrinfo(host: bytes, port: None, **options: int) -> list[tuple[Any, ...]]:
        asked.append((host, port, options))
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("host", ["example.com", "example.com."])
def test_the_name_is_asked_as_bytes_with_one_trailing_dot(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    asked = answer_with(monkeypatch, [row("192.0.2.1")])
    look_up(host)
    assert asked == [(b"example.com.", None, {"type": STREAM})]


def test_order_is_kept_and_duplicates_go(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, [row("2001:db8::1"), row("192.0.2.1"), row("2001:db8::1"), row("192.0.2.2")])
    assert look_up("a.example") == [
        bytes.fromhex("20010db8000000000000000000000001"),
        bytes((192, 0, 2, 1)),
        bytes((192, 0, 2, 2)),
    ]


def test_a_zone_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, [row("fe80::1%eth0")])
    assert look_up("a.example") == [b"\xfe\x80" + b"\0" * 13 + b"\x01"]


@pytest.mark.parametrize("surplus", [0, 1, 200])
def test_more_answers_than_allowed_are_cut(monkeypatch: pytest.MonkeyPatch, surplus: int) -> None:
    answer_with(monkeypatch, [row(f"192.0.2.{n}") for n in range(MAX_DNS_ANSWERS)] + [row("192.0.2.200")] * surplus)
    assert look_up("a.example") == [bytes((192, 0, 2, n)) for n in range(MAX_DNS_ANSWERS)]


@pytest.mark.parametrize(
    ("result", "code"),
    [
        pytest.param(socket.gaierror(socket.EAI_NONAME, ""), "dns_no_answer", id="no such name"),
        pytest.param(socket.gaierror(socket.EAI_NODATA, ""), "dns_no_answer", id="a name without an address"),
        pytest.param(socket.gaierror(socket.EAI_AGAIN, ""), "dns_failed", id="server does not answer"),
        pytest.param(socket.gaierror(socket.EAI_FAIL, ""), "dns_failed", id="server refuses"),
        pytest.param(socket.gaierror(socket.EAI_SYSTEM, ""), "dns_failed", id="system error"),
        pytest.param(PermissionError(1, ""), "dns_failed", id="an outer sandbox forbids sockets"),
        pytest.param([], "dns_no_answer", id="an empty list"),
        pytest.param([(socket.AF_UNIX, STREAM, 0, "", ("/run/x",))], "dns_no_answer", id="no internet address"),
    ],
)
def test_failures(monkeypatch: pytest.MonkeyPatch, result: Any, code: str) -> None:
    answer_with(monkeypatch, result)
    with pytest.raises(Refusal) as caught:
        look_up("a.example")
    assert caught.value.code == code
