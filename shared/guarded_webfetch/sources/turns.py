"""Which source may start next: at most five at once, one at a time for a host, with a pause between two for the same host.

Pure: the clock is an argument.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

NEVER: Final = float("inf")


class Turns:
    """Hands out numbers of sources in their order, as soon as their host is free."""

    def __init__(self, hosts: Sequence[str], parallel: int, pause_s: float) -> None:
        self._waiting: Final = deque(range(len(hosts)))
        self._hosts: Final = hosts
        self._parallel: Final = parallel
        self._pause_s: Final = pause_s
        self._running: set[int] = set()
        self._free_at: dict[str, float] = {}

    @property
    def done(self) -> bool:
        return not self._waiting and not self._running

    def next(self, now: float) -> int | None:
        """The number of a source that may start now; it runs until `ended`."""
        if len(self._running) >= self._parallel:
            return None
        for number in self._waiting:
            if self._free(number) <= now:
                self._waiting.remove(number)
                self._running.add(number)
                return number
        return None

    def wait_s(self, now: float) -> float:
        """Seconds until another source may start by itself; NEVER while only the end of a running one can free it."""
        if len(self._running) >= self._parallel or not self._waiting:
            return NEVER
        return max(0.0, min(map(self._free, self._waiting)) - now)

    def ended(self, number: int, now: float, pause_s: float = 0.0) -> None:
        """`pause_s`: what the site asks for, when that is more than our own pause."""
        self._running.discard(number)
        self._free_at[self._hosts[number]] = now + max(self._pause_s, pause_s)

    def _free(self, number: int) -> float:
        host = self._hosts[number]
        busy = any(self._hosts[other] == host for other in self._running)
        return NEVER if busy else self._free_at.get(host, 0.0)
