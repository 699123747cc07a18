"""HTTP/1.1 as servers really speak it, and as they should not: one table each."""

import contextlib
import socket
import struct
import time

import pytest

from guarded_webfetch.core.limits import MAX_HEADER_BYTES, MAX_HEADER_FIELDS, MAX_INFORMATIONAL_HEADS

from .harness import chunked, fetch, page, respond

EARLY_HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"


def test_a_plain_page() -> None:
    answer = fetch(respond(page(b"<p>hello</p>", "Content-Type: text/html", "X-Two: a", "x-two: b")))
    assert (answer.status, answer.body, answer.end) == (200, b"<p>hello</p>", {"length_unknown": False})
    assert answer.headers == [
        ["content-type", "text/html"],
        ["x-two", "a"],
        ["x-two", "b"],
        ["content-length", "12"],
    ]
    assert answer.isolation == {"level": "none"}
    assert answer.exit_code == 0


def test_the_request_is_the_order_byte_for_byte() -> None:
    target = "/a%2fb/%e2%82%ac/../c//d?q=1+2&amp;=&x=%26&empty="
    answer = fetch(
        respond(page(b"x")),
        host_header="site.example:8080",
        target=target,
        headers=[["User-Agent", "tester/1"], ["accept", "a/b"], ["Cookie", "a=1; b=2"]],
    )
    assert (
        answer.sent_to_server
        == (
            f"GET {target} HTTP/1.1\r\nHost: site.example:8080\r\n"
            "User-Agent: tester/1\r\naccept: a/b\r\nCookie: a=1; b=2\r\n\r\n"
        ).encode()
    )


def test_without_go_no_body_is_sent() -> None:
    answer = fetch(respond(page(b"secret")), go=False)
    assert (answer.status, answer.body, answer.end) == (200, b"", None)


@pytest.mark.parametrize(
    ("raw", "body", "length_unknown"),
    [
        pytest.param(page(b"abc", "Content-Length: 3"), b"abc", False, id="equal lengths (python-hyper/h11#92)"),
        pytest.param(b"HTTP/1.1 204 No Content\r\n\r\n", b"", False, id="204 has no body, so its length is known"),
        pytest.param(page(b"abc", status="HTTP/1.0 200 OK", length=False), b"abc", True, id="HTTP/1.0"),
        pytest.param(page(b"abc", "Connection: close", length=False), b"abc", True, id="HTTP/1.1 without a length"),
        pytest.param(chunked(b"3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nTrailer: x\r\n\r\n"),
                     b"abcde", False, id="chunks with an extension and a trailer"),
        pytest.param(page(b"3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), b"abc", False,
                     id="length beside chunked: chunked wins (RFC 9112 6.3)"),
        pytest.param(page(b"abc and bytes beyond the length", "Content-Length: 3", length=False), b"abc", False,
                     id="bytes beyond the length are not the body"),
        pytest.param(EARLY_HINT + page(b"abc"), b"abc", False, id="an early hint before the answer"),
        pytest.param(b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", b"x", False, id="no reason phrase"),
        pytest.param(b"HTTP/1.1 200 OK\nContent-Length: 1\n\nx", b"x", False, id="bare line feeds"),
        pytest.param(page(b""), b"", False, id="an empty body"),
    ],
)  # fmt: skip
def test_read(raw: bytes, body: bytes, length_unknown: bool) -> None:
    answer = fetch(respond(raw))
    assert (answer.failure, answer.body, answer.end) == (None, body, {"length_unknown": length_unknown})


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(b"", "connect_failed", id="closed without a byte"),
        pytest.param(b"HTTP/1.1 20", "http_protocol", id="ends inside the status line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Le", "http_protocol", id="ends inside the head"),
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "http_protocol", id="not HTTP"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", "http_protocol", id="TLS on a plain port"),
        pytest.param(b"<html>HTTP/0.9</html>\n\n", "http_protocol", id="HTTP/0.9"),
        pytest.param(b"HTTP/1.1 042 Odd\r\n\r\n", "http_protocol", id="status below 100"),
        pytest.param(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "http_protocol", id="unasked upgrade"),
        pytest.param(page(b"abc", "Content-Length: 4"), "http_protocol", id="differing lengths"),
        pytest.param(page(b"", "Content-Length: -1", length=False), "http_protocol", id="negative length"),
        pytest.param(page(b"abc", "X: a\x00b"), "http_protocol", id="NUL in a value"),
        pytest.param(page(b"x", "Transfer-Encoding: gzip, chunked"), "http_protocol", id="gzip as transfer coding"),
        pytest.param(chunked(b"0\r\n\r\n", "Transfer-Encoding: chunked"), "http_protocol",
                     id="chunked twice (encode/httpx#1862)"),
        pytest.param(page(b"abc", "Text / Html: x"), "http_protocol", id="slash and space (encode/httpx#1363)"),
        pytest.param(page(b"abc", *(["a: b"] * 9_999)), "headers_too_large", id="10,000 tiny fields"),
        pytest.param(page(b"abc", "X: " + "y" * 100_000), "headers_too_large", id="100 kB in one field"),
        pytest.param(EARLY_HINT * 10_000, "headers_too_large", id="a flood of early hints"),
        pytest.param(page(b"abc", "Content-Length: 9000", length=False), "body_incomplete", id="short of its length"),
        pytest.param(chunked(b"3\r\nabc\r\n"), "body_incomplete", id="no last chunk"),
        pytest.param(chunked(b"30\r\nabc"), "body_incomplete", id="ends inside a chunk"),
        pytest.param(chunked(b"0x3\r\nabc\r\n0\r\n\r\n"), "http_protocol",
                     id="a chunk size that is none"),
        pytest.param(chunked((b"1;" + b"x" * 50_000 + b"\r\na\r\n") * 20),
                     "http_protocol", id="a megabyte of chunk extensions around 20 bytes"),
    ],
)  # fmt: skip
def test_refused(raw: bytes, reason: str) -> None:
    answer = fetch(respond(raw))
    assert (answer.failure, answer.end, answer.exit_code) == (reason, None, 0)


def test_one_byte_chunks_are_not_too_much_framing() -> None:
    body = b"1\r\na\r\n" * 40_000 + b"0\r\n\r\n"
    answer = fetch(respond(chunked(body)))
    assert (answer.failure, answer.body) == (None, b"a" * 40_000)


@pytest.mark.parametrize(("surplus", "refused"), [(-1, False), (0, False), (1, True)])
def test_the_head_is_counted_exactly(surplus: int, refused: bool) -> None:
    bare = page(b"", "X: ", "Content-Length: 100000", length=False)
    head = bare.replace(b"X: ", b"X: " + b"y" * (MAX_HEADER_BYTES - len(bare) + surplus))
    answer = fetch(respond(head + b"b" * 100_000))
    assert answer.failure == ("headers_too_large" if refused else None)
    assert len(answer.body) == (0 if refused else 100_000)


@pytest.mark.parametrize(("fields", "refused"), [(MAX_HEADER_FIELDS, False), (MAX_HEADER_FIELDS + 1, True)])
def test_fields_are_counted_exactly(fields: int, refused: bool) -> None:
    answer = fetch(respond(page(b"x", *(f"X-{n}: y" for n in range(fields - 1)))))
    assert answer.failure == ("headers_too_large" if refused else None)
    assert len(answer.headers) == (0 if refused else fields)


@pytest.mark.parametrize(("hints", "refused"), [(MAX_INFORMATIONAL_HEADS, False), (MAX_INFORMATIONAL_HEADS + 1, True)])
def test_informational_answers_are_counted(hints: int, refused: bool) -> None:
    answer = fetch(respond(EARLY_HINT * hints + page(b"x")))
    assert answer.failure == ("headers_too_large" if refused else None)


def test_every_latin1_byte_of_a_value_arrives() -> None:
    value = "".join(map(chr, range(0x80, 0x100))) + ' "\\ud800 \x01'
    answer = fetch(respond(page(b"x", f"X-Odd: {value}".replace("\x85", "").replace("\xa0", ""))))
    assert ["x-odd", value.replace("\x85", "").replace("\xa0", "")] in answer.headers


def test_a_head_byte_by_byte() -> None:
    raw = EARLY_HINT + page(b"abc", "X: y")

    def serve(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(raw)):
            connection.sendall(raw[at : at + 1])
            time.sleep(0.0005)

    answer = fetch(serve)
    assert (answer.failure, answer.body) == (None, b"abc")


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_a_reset_before_the_head() -> None:
    assert fetch(_reset).failure == "connect_failed"


@pytest.mark.parametrize("length", [True, False])
def test_a_reset_inside_the_body(length: bool) -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(page(b"abc", *(["Content-Length: 9000"] if length else []), length=False))
        time.sleep(0.05)  # a reset overtakes what was not read yet
        _reset(connection)

    assert fetch(serve).failure == "body_incomplete"


def test_an_answer_before_the_request_is_read() -> None:
    """A server may refuse early and close; the answer still counts (it does for browsers)."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(page(b"too busy", status="HTTP/1.1 503 Busy"))
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(OSError):
            while connection.recv(65536):
                pass

    answer = fetch(serve, early=True)
    assert (answer.status, answer.body) == (503, b"too busy")


@pytest.mark.parametrize(("size", "sent"), [(999, 999), (1_000, 1_000), (1_001, 1_001), (5_000_000, 1_001)])
def test_the_body_stops_one_byte_beyond_its_limit(size: int, sent: int) -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(page(b"", f"Content-Length: {size}", length=False))
        connection.sendall(b"z" * size)  # fails when the fetcher hangs up, as it should

    answer = fetch(serve, max_bytes=1_000)
    assert (answer.failure, len(answer.body), answer.end) == (None, sent, {"length_unknown": False})
