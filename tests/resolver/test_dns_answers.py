import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core import dns_answers
from guarded_webfetch.core.limits import MAX_DNS_ANSWERS

V4 = bytes((192, 0, 2, 1))
V6 = bytes.fromhex("20010db8000000000000000000000001")
ADDRESS = st.binary(min_size=4, max_size=4) | st.binary(min_size=16, max_size=16)


def test_one_of_each() -> None:
    payload = b"\x04" + V4 + b"\x10" + V6
    assert dns_answers.encode([V4, V6]) == payload
    assert dns_answers.decode(payload) == [V4, V6]


@given(st.lists(ADDRESS, min_size=1, max_size=MAX_DNS_ANSWERS, unique=True))
def test_what_was_encoded_is_decoded(answers: list[bytes]) -> None:
    assert dns_answers.decode(dns_answers.encode(answers)) == answers


@given(st.binary(max_size=80))
def test_any_payload_is_canonical_or_refused(payload: bytes) -> None:
    try:
        answers = dns_answers.decode(payload)
    except ValueError:
        return
    assert dns_answers.encode(answers) == payload


FULL = [bytes((192, 0, 2, n)) for n in range(MAX_DNS_ANSWERS)]


def test_as_many_as_allowed() -> None:
    assert dns_answers.decode(dns_answers.encode(FULL)) == FULL


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x04" + V4[:3], id="IPv4 cut short"),
        pytest.param(b"\x10" + V6[:15], id="IPv6 cut short"),
        pytest.param(b"\x04" + V4 + b"\x04", id="a length without an address"),
        pytest.param(b"\x00", id="length 0"),
        pytest.param(b"\x05" + V4 + b"\0", id="length 5"),
        pytest.param(b"\x08" + V4 + V4, id="length 8"),
        pytest.param(b"\x04" + V4 + b"\x04" + V4, id="an address twice"),
        pytest.param(b"\x04" + V4 + b"\0", id="a byte too many"),
        pytest.param(b"".join(b"\x04" + a for a in [*FULL, b"\xc0\0\x03\0"]), id="one answer too many"),
    ],
)
def test_malformed(payload: bytes) -> None:
    with pytest.raises(ValueError):
        dns_answers.decode(payload)


@pytest.mark.parametrize(
    "answers",
    [[], [V4[:3]], [V4, V4], [b"192.0.2.1"], [*FULL, V4[::-1]]],
    ids=["none", "short", "twice", "text", "many"],
)
def test_nothing_malformed_is_encoded(answers: list[bytes]) -> None:
    with pytest.raises(ValueError):
        dns_answers.encode(answers)
