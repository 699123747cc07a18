"""What the lock costs one child: a parser that has imported what a page needs, started by the broker's own code.

Two spans are added: from the call that forks to the first line of the child's work (fork, closing, tying), and the lock with its
canaries. What lies between, the imports, belongs to the work and not to the lock. The two ways take turns.
"""

import statistics
import time
from typing import Any

from guarded_webfetch.broker.child import spawn
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.ipc.channel import Channel, Lock
from guarded_webfetch.parser import main as parser

_SETTLE_S = 0.05  # the kernel takes namespaces down in the background, which the next child would pay for


def costs(runs: int) -> dict[str, dict[str, float]]:
    """{"lock": {ms_without_namespaces, ms_with, fork and lock of each, level_with, n}}; medians in milliseconds."""
    spans: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for number in range(runs + 2):  # the first two warm caches
        for namespaced, pairs in spans.items():
            pair = once(namespaced=namespaced)
            if number >= 2:
                pairs.append(pair)
    found: dict[str, float] = {}
    for namespaced, word in ((False, "without_namespaces"), (True, "with")):
        found[f"ms_{word}"] = round(statistics.median(map(sum, spans[namespaced])), 2)
        found[f"fork_ms_{word}"] = round(statistics.median(fork for fork, _ in spans[namespaced]), 2)
        found[f"lock_ms_{word}"] = round(statistics.median(lock for _, lock in spans[namespaced]), 2)
    return {"lock": {**found, "n": runs}}


def once(*, namespaced: bool) -> tuple[float, float]:
    """(fork, lock) in milliseconds; RuntimeError when the level that was asked for is not reached."""
    deadline = Deadline.after(20, "parse_deadline")
    started = time.perf_counter()

    def work(channel: Channel, lock: Lock) -> None:
        fork_ms = (time.perf_counter() - started) * 1000
        parser.load("html")
        before = time.perf_counter()
        report: dict[str, Any] = lock()
        lock_ms = (time.perf_counter() - before) * 1000
        channel.send_ready({**report, "fork_ms": fork_ms, "lock_ms": lock_ms})

    child = spawn("parser", work, namespaced=namespaced)
    try:
        child.await_ready(deadline)
    finally:
        child.kill()
        time.sleep(_SETTLE_S)
    if child.isolation["level"] != ("max" if namespaced else "strict"):
        raise RuntimeError("this machine does not give every layer")
    return child.isolation["fork_ms"], child.isolation["lock_ms"]
