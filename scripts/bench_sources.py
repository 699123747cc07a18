"""What fifteen pages of 50 KB cost together: CPU of each page beyond the first, and the wall clock against the slowest page alone.

Every page has a host of its own; the slowest takes SLOW_S to answer. `obey` asks each host for its robots.txt first, which is the
default; `ignore` does not. The program is started without its launcher: `scripts/bench start` has what that costs.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

PAGES = 15
SLOW_S = 2.0
HOSTS = [f"page{number}.canal-journal.com" for number in range(PAGES)]
URLS = [f"https://{host}/" for host in HOSTS]
SLOW = f"https://{HOSTS[0]}/slow"


def sites() -> list[Any]:
    """The hosts, for the sealed internet."""
    from tests.internet.replies import Site
    from tests.internet.sites import page

    fast = page("lock-gates.html")
    return [Site(host, "one page", {"/": fast, "/slow": replace(fast, delay_s=SLOW_S)}) for host in HOSTS]


def costs(runs: int, python: str, root: Path, measure: Callable[..., Any]) -> dict[str, dict[str, float]]:
    """{"obey" and "ignore": {cpu_ms_per_page, cpu_ms_first, wall_over_slowest, n}}; medians over rounds in turns."""
    results = {}
    for policy in ("obey", "ignore"):
        rounds = []
        for number in range(runs + 1):  # the first warms caches
            one = _round(policy, python, root, measure)
            if number:
                rounds.append(one)
            print(f"\r{policy}: {number + 1}/{runs + 1}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        names = ("cpu_ms_per_page", "cpu_ms_first", "wall_over_slowest")
        results[policy] = {name: round(statistics.median(one[name] for one in rounds), 2) for name in names}
        results[policy]["n"] = len(rounds)
    return results


def _round(policy: str, python: str, root: Path, measure: Callable[..., Any]) -> dict[str, float]:
    start = [
        python,
        "-I",
        "-S",
        str(root / "shared/guarded_webfetch/boot.py"),
        "sources",
        "--quiet",
        "--robots",
        policy,
    ]
    found = []
    for urls in ([URLS[0]], URLS, [SLOW], [SLOW, *URLS[1:]]):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
            os.environ["XDG_STATE_HOME"] = state  # a robots.txt is kept for a day
            found.append(measure([*start, "--min-ok", str(len(urls)), *urls], folder))
    first, all_pages, slowest, all_and_slowest = found
    return {
        "cpu_ms_per_page": (all_pages.cpu_ms - first.cpu_ms) / (PAGES - 1),
        "cpu_ms_first": first.cpu_ms,
        "wall_over_slowest": all_and_slowest.wall_ms / slowest.wall_ms,
    }
