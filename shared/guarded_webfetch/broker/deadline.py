"""One point in time by which everything must have ended, and the reason code it ends with."""

import time

from guarded_webfetch.core.reasons import Refusal


class Deadline:
    """`at_s` is in seconds of the monotonic clock; `code` is the reason raised once it has passed."""

    def __init__(self, at_s: float, code: str) -> None:
        self.at_s = at_s
        self.code = code

    @classmethod
    def after(cls, seconds: float, code: str) -> "Deadline":
        return cls(time.monotonic() + seconds, code)

    def named(self, code: str, *, within_s: float | None = None) -> "Deadline":
        """The same end (or an earlier one, `within_s` from now) under another reason."""
        at_s = self.at_s if within_s is None else min(self.at_s, time.monotonic() + within_s)
        return Deadline(at_s, code)

    def remaining_s(self) -> float:
        """Seconds left, always positive; raises Refusal(code) when none are."""
        left = self.at_s - time.monotonic()
        if left <= 0:
            raise Refusal(self.code)
        return left

    def remaining_ms(self) -> int:
        """The same for poll(2), rounded up so that a wait never spins."""
        return int(self.remaining_s() * 1000) + 1
