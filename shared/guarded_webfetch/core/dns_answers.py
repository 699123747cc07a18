"""Addresses as the resolver sends them: one length byte (4 or 16), then the packed address. Nothing else fits in."""

from collections.abc import Sequence
from typing import Final

from guarded_webfetch.core.limits import MAX_DNS_ANSWERS

ADDRESS_SIZES: Final = (4, 16)  # in_addr, in6_addr


def encode(answers: Sequence[bytes]) -> bytes:
    """One payload of 1 to MAX_DNS_ANSWERS distinct packed addresses, in order; ValueError for anything else."""
    _check(answers)
    return b"".join(bytes((len(answer),)) + answer for answer in answers)


def decode(payload: bytes) -> list[bytes]:
    """The packed addresses in `payload`, in order; ValueError unless `encode` could have written it."""
    answers: list[bytes] = []
    rest = payload
    while rest:
        size = rest[0]
        answers.append(rest[1 : 1 + size])
        if len(answers[-1]) != size:
            raise ValueError("the last address is cut short")
        rest = rest[1 + size :]
    _check(answers)
    return answers


def _check(answers: Sequence[bytes]) -> None:
    if not 1 <= len(answers) <= MAX_DNS_ANSWERS:
        raise ValueError("no address, or too many")
    if any(len(answer) not in ADDRESS_SIZES for answer in answers):
        raise ValueError("an address is neither IPv4 nor IPv6")
    if len(set(answers)) != len(answers):
        raise ValueError("an address is repeated")
