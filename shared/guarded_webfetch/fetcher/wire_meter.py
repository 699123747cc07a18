"""Counts what comes off the wire: how much head, how many 1xx answers, how much framing, and how it ended. No I/O."""

import re
from enum import Enum
from typing import Final

from guarded_webfetch.core.limits import MAX_FRAMING_RATIO, MAX_HEADER_BYTES, MAX_INFORMATIONAL_HEADS
from guarded_webfetch.core.reasons import Refusal

_HEAD_END: Final = re.compile(rb"\n\r?\n")  # as h11 finds it (h11/_receivebuffer.py), which takes bare LF too
_HEAD_END_OVERLAP: Final = 2  # "\n\r" may have come before its "\n"
_INFORMATIONAL: Final = re.compile(rb"HTTP/[0-9]\.[0-9] 1")


class Stage(Enum):
    """How far the exchange has come; the same error means another thing at each."""

    HANDSHAKE = "handshake"
    HEAD = "head"
    BODY = "body"


class WireMeter:
    """One for each connection. Bytes are those inside TLS, if there is any."""

    def __init__(self) -> None:
        self.stage = Stage.HEAD
        self.received_bytes = 0
        self.body_bytes = 0  # of them, handed on as body
        self.ended = False  # the other side has ended its direction
        self.end_proved = False  # ... and said so under TLS (close_notify), so nobody cut it short
        self._head = bytearray()  # every byte up to the end of the final head
        self._head_start = 0
        self._searched = 0
        self._informational = 0

    def allowance(self, asked: int) -> int:
        """How many bytes may be read next, at most `asked`; Refusal when a cap is reached and more is wanted."""
        if self.stage is Stage.HEAD:
            left = MAX_HEADER_BYTES - self.received_bytes
            if left <= 0:
                raise Refusal("headers_too_large")
            return min(asked, left)
        framing = self.received_bytes - self.body_bytes  # the head, chunk sizes and extensions, trailers
        if framing > 2 * MAX_HEADER_BYTES + MAX_FRAMING_RATIO * self.body_bytes:
            raise Refusal("http_protocol")
        return asked

    def count(self, data: bytes) -> None:
        """Takes note of bytes just read; Refusal when they hold one 1xx answer too many."""
        self.received_bytes += len(data)
        if self.stage is Stage.HEAD:
            self._head += data
            self._count_informational()

    def head_complete(self) -> None:
        """The final head has been parsed: the rest is body."""
        self.stage = Stage.BODY
        self._head.clear()

    def _count_informational(self) -> None:
        while end := _HEAD_END.search(self._head, max(self._head_start, self._searched - _HEAD_END_OVERLAP)):
            if not _INFORMATIONAL.match(self._head, self._head_start):
                return
            self._head_start = self._searched = end.end()
            self._informational += 1
            if self._informational > MAX_INFORMATIONAL_HEADS:
                raise Refusal("headers_too_large")
        self._searched = len(self._head)
