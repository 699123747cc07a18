"""Content codings as they arrive on the wire; the decoder's own table stands in test_body_decoder."""

import gzip
import socket
import zlib

import pytest

from .harness import fetch, page, respond

TEXT = b"<p>one</p>" * 20_000


@pytest.mark.parametrize(
    ("fields", "body", "decoded"),
    [
        (["Content-Encoding: gzip"], gzip.compress(TEXT), TEXT),
        (["Content-Encoding: gzip", "Content-Encoding: identity"], gzip.compress(TEXT), TEXT),
        (["Content-Encoding: gzip"], gzip.compress(TEXT) + gzip.compress(b"two"), TEXT + b"two"),
        (["Content-Encoding: deflate"], zlib.compress(TEXT), TEXT),
        (["Content-Encoding: deflate"], zlib.compress(TEXT, wbits=-15), TEXT),
        (["Content-Encoding: utf-8"], TEXT, TEXT),
        (["Content-Encoding: gzip"], b"", b""),
    ],
)
def test_read(fields: list[str], body: bytes, decoded: bytes) -> None:
    answer = fetch(respond(page(body, *fields)))
    assert (answer.failure, answer.body, answer.end) == (None, decoded, {"length_unknown": False})


@pytest.mark.parametrize(
    ("coding", "body", "reason"),
    [
        ("br", b"\x0b\x02\x80hello\x03", "content_encoding"),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT)), "content_encoding"),
        ("gzip", gzip.compress(TEXT)[:-9], "body_incomplete"),
        ("gzip", TEXT, "content_encoding"),
    ],
)
def test_refused(coding: str, body: bytes, reason: str) -> None:
    answer = fetch(respond(page(body, f"Content-Encoding: {coding}")))
    assert (answer.status, answer.failure, answer.end) == (200, reason, None)


def test_a_coding_is_not_judged_before_the_go() -> None:
    """The body of an error page or a redirect is never read, so how it is coded does not matter."""
    answer = fetch(respond(page(b"x", "Content-Encoding: br", status="HTTP/1.1 404 Gone")), go=False)
    assert (answer.status, answer.failure) == (404, None)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_ends_at_the_limit_and_fits_in_memory(coding: str) -> None:
    ordinary = fetch(respond(page(TEXT)))
    pack = zlib.compressobj(9, wbits=31 if coding == "gzip" else 15)
    bomb = b"".join(pack.compress(b"\0" * 1_000_000) for _ in range(200)) + pack.flush()
    answer = fetch(respond(page(bomb, f"Content-Encoding: {coding}")), max_bytes=3_000_000)
    assert (answer.failure, answer.body) == (None, b"\0" * 3_000_001)
    assert answer.peak_kb < ordinary.peak_kb + 32_000


def test_members_without_content_do_not_go_on_for_ever() -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(page(b"", "Content-Encoding: gzip", length=False))
        while True:  # ends when the fetcher hangs up
            connection.sendall(gzip.compress(b"") * 1_000)

    assert fetch(serve, max_bytes=10_000).failure == "body_too_large"


def test_a_cut_body_at_its_limit_needs_no_end() -> None:
    answer = fetch(respond(page(gzip.compress(TEXT)[:-9], "Content-Encoding: gzip")), max_bytes=1_000)
    assert (answer.failure, answer.body) == (None, TEXT[:1_001])
