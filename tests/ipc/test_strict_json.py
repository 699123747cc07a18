"""Strict JSON: what a child may never say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.ipc import strict_json

REFUSED = {
    "duplicate key": b'{"a":1,"a":2}',
    "duplicate key, deeper": b'[{"a":{"b":1,"b":1}}]',
    "NaN": b"[NaN]",
    "infinity": b"[-Infinity]",
    "a number beyond the floats": b"1e999",
    "5,000 digits": b"1" * 5000,
    "16 digits": b"1234567890123456",
    "depth 13": b"[" * 13 + b"]" * 13,
    "depth 100,000": b"[" * 100_000 + b"]" * 100_000,
    "escaped lone surrogate": b'"\\ud800"',
    "escaped pair": b'"\\uD83D\\uDE00"',  # our own writers never escape
    "raw surrogate": b'"\xed\xa0\x80"',
    "invalid UTF-8": b'"\xff"',
    "two values": b"1 2",
    "nothing": b"",
    "cut": b'{"a":',
    "single quotes": b"{'a':1}",
}
ACCEPTED = {
    "15 digits": (b"123456789012345", 123456789012345),
    "negative 15 digits": (b"-123456789012345", -123456789012345),
    "depth 12": (b"[" * 12 + b"]" * 12, [[[[[[[[[[[[]]]]]]]]]]]]),
    "text that shows an escape": (b'"\\\\ud83d"', "\\ud83d"),
    "control character": (b'"\\u0007"', "\x07"),
    "astral": ('"🦊"'.encode(), "🦊"),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_refused(data: bytes) -> None:
    with pytest.raises(strict_json.JsonError):
        strict_json.loads(data)


@pytest.mark.parametrize(("data", "value"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(data: bytes, value: object) -> None:
    assert strict_json.loads(data) == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**15) + 1, 10**15 - 1) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_what_is_written_is_read(value: object) -> None:
    assert strict_json.loads(strict_json.dumps(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        strict_json.loads(data)
    except strict_json.JsonError:
        pass
