"""The frame: one kind byte, a four-byte big-endian length, the payload.

A reader names the kinds it accepts and the longest payload of each; a length is checked before a byte of payload is read.
"""

import struct
from typing import Final, NamedTuple

HEADER: Final = struct.Struct("!BI")

READY: Final = ord("R")  # JSON: the child has imported, warmed and locked itself
MESSAGE: Final = ord("J")  # JSON: one message
BYTES: Final = ord("B")  # raw bytes
FAILED: Final = ord("F")  # JSON {"reason": code}: the child ends with a reason of its own closed list


class FrameError(Exception):
    """The other side sent a frame it must not send."""


class Frame(NamedTuple):
    kind: int
    payload: bytes


def encode(kind: int, payload: bytes) -> bytes:
    """One frame as bytes."""
    return HEADER.pack(kind, len(payload)) + payload


def check_header(header: bytes, accepted: dict[int, int]) -> tuple[int, int]:
    """(kind, payload length) of a five-byte header; FrameError when the kind or the length is not accepted."""
    kind, length = HEADER.unpack(header)
    limit = accepted.get(kind)
    if limit is None or length > limit:
        raise FrameError
    return kind, length
