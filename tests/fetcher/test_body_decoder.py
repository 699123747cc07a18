import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core.limits import FRAME_CHUNK_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.fetcher.body_decoder import BodyDecoder

TEXT = "本文 text\n".encode() * 15_000  # more than one piece
GZIP = gzip.compress(TEXT)
ZLIB = zlib.compress(TEXT)


def raw_deflate(data: bytes) -> bytes:
    deflate = zlib.compressobj(wbits=-15)
    return deflate.compress(data) + deflate.flush()


def decode(encodings: list[str], data: bytes, step: int = 65_536) -> bytes:
    decoder = BodyDecoder(encodings)
    pieces = [piece for at in range(0, len(data), step) for piece in decoder.decode(data[at : at + step])]
    decoder.finish()
    assert all(0 < len(piece) <= FRAME_CHUNK_BYTES for piece in pieces)
    return b"".join(pieces)


@pytest.mark.parametrize("step", [1, 7, 65_536])
@pytest.mark.parametrize(
    ("encodings", "data"),
    [
        pytest.param([], TEXT, id="no field"),
        pytest.param(["identity"], TEXT, id="identity"),
        pytest.param(["none"], TEXT, id="none"),
        pytest.param([""], TEXT, id="empty"),
        pytest.param(["utf-8"], TEXT, id="a charset is no coding (locustio/locust#1233)"),
        pytest.param(["UTF8, ISO-8859-1"], TEXT, id="two charsets"),
        pytest.param(["Shift_JIS"], TEXT, id="a Japanese charset"),
        pytest.param(["gzip"], GZIP, id="gzip"),
        pytest.param([" X-GZip "], GZIP, id="x-gzip"),
        pytest.param(["gzip, identity"], GZIP, id="one layer beside identity (urllib3/urllib3#5189)"),
        pytest.param(["utf-8", "gzip"], GZIP, id="two fields, one layer"),
        pytest.param(["gzip"], gzip.compress(TEXT[:7]) + gzip.compress(TEXT[7:]), id="two members (oven-sh/bun#33708)"),
        pytest.param(["gzip"], gzip.compress(TEXT[:-7]) + gzip.compress(TEXT[-7:]), id="a long member first"),
        pytest.param(["gzip"], gzip.compress(b"") * 50 + GZIP, id="empty members first"),
        pytest.param(["gzip"], GZIP + b"\0" * 512, id="zero padding"),
        pytest.param(["gzip"], GZIP + b"\x1f", id="half a magic number"),
        pytest.param(["gzip"], GZIP + b"<!-- cached -->" * 50, id="garbage behind the end"),
        pytest.param(["deflate"], ZLIB, id="deflate, zlib format (encode/httpx#756)"),
        pytest.param(["deflate"], raw_deflate(TEXT), id="deflate, raw (request/request#2197)"),
        pytest.param(["deflate"], zlib.compress(TEXT, 0), id="deflate, stored"),
        pytest.param(["deflate"], ZLIB + b"\r\n", id="deflate, garbage behind the end"),
    ],
)
def test_decoded(encodings: list[str], data: bytes, step: int) -> None:
    assert decode(encodings, data, step) == TEXT


@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity"])
def test_no_bytes_at_all_are_an_empty_body(coding: str) -> None:
    assert decode([coding], b"") == b""


@pytest.mark.parametrize(
    "encodings",
    [["br"], ["zstd"], ["compress"], ["gzip, gzip"], ["gzip", "gzip"], ["deflate, gzip"], ["gzip, br"],
     ["x-unheard-of"], ["gzip;q=1"], ["aes128gcm"], ["utf-8x"]],
)  # fmt: skip
def test_refused_by_name(encodings: list[str]) -> None:
    with pytest.raises(Refusal) as caught:
        BodyDecoder(encodings)
    assert caught.value.code == "content_encoding"


def test_two_layers_under_one_name_are_decoded_once() -> None:
    assert decode(["gzip"], gzip.compress(GZIP)) == GZIP


@pytest.mark.parametrize(
    ("coding", "data", "code"),
    [
        pytest.param("gzip", GZIP[:-1], "body_incomplete", id="gzip without its last byte"),
        pytest.param("gzip", GZIP[:-8], "body_incomplete", id="gzip without its trailer (node-fetch/node-fetch#239)"),
        pytest.param("gzip", GZIP[:60], "body_incomplete", id="gzip cut early"),
        pytest.param("gzip", GZIP[:1], "body_incomplete", id="gzip of one byte"),
        pytest.param("gzip", GZIP + GZIP[:30], "body_incomplete", id="second member cut"),
        pytest.param("deflate", ZLIB[:-1], "body_incomplete", id="zlib cut"),
        pytest.param("deflate", raw_deflate(TEXT)[:-1], "body_incomplete", id="raw deflate cut"),
        pytest.param("deflate", ZLIB[:1], "body_incomplete", id="deflate of one byte"),
        pytest.param("gzip", TEXT, "content_encoding", id="not gzip at all"),
        pytest.param("gzip", ZLIB, "content_encoding", id="zlib called gzip"),
        pytest.param("gzip", GZIP[:-8] + b"\0" * 8, "content_encoding", id="wrong checksum"),
        pytest.param("deflate", b"\xff" * 50, "content_encoding", id="not deflate"),
    ],
)
@pytest.mark.parametrize("step", [1, 65_536])
def test_a_bad_body_is_never_a_success(coding: str, data: bytes, code: str, step: int) -> None:
    with pytest.raises(Refusal) as caught:
        decode([coding], data, step)
    assert caught.value.code == code


@given(st.integers(min_value=1, max_value=len(GZIP) - 1))
def test_every_cut_of_gzip_is_noticed(length: int) -> None:
    with pytest.raises(Refusal):
        decode(["gzip"], GZIP[:length])


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(min_value=1, max_value=400))
def test_members_in_any_number_and_steps(parts: list[bytes], step: int) -> None:
    assert decode(["gzip"], b"".join(map(gzip.compress, parts)), step) == b"".join(parts)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.binary(max_size=40))
def test_any_bytes_decode_or_are_refused(data: bytes, coding: str, start: bytes) -> None:
    for sample in (start + data, GZIP[:20] + data, ZLIB[:4] + data):
        try:
            decode([coding], sample, 11)
        except Refusal as refusal:
            assert refusal.code in ("content_encoding", "body_incomplete")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_never_fills_memory(coding: str) -> None:
    """100 MB of zeros in about 100 kB: at most one chunk is in memory at a time."""
    pack = zlib.compressobj(wbits=31 if coding == "gzip" else 15)
    bomb = b"".join(pack.compress(b"\0" * 1_000_000) for _ in range(100)) + pack.flush()
    decoder = BodyDecoder([coding])
    tracemalloc.start()
    try:
        total = sum(len(piece) for piece in decoder.decode(bomb))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 100_000_000
    assert peak < 2_000_000
