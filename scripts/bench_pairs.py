"""The measuring half of scripts/bench: pairs in the sealed internet, medians of ratios, a table and one line of JSON.

    latency   one cold fetch of a 50 KB page, http and https, by the skill's launcher, against a bare httpx.get + readability-lxml
              in one Python process of the same environment, which isolates nothing, sanitizes nothing and writes nothing

Whole processes are measured from outside with wait4: wall clock, CPU of the whole tree, the largest single process.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LAUNCHER = ROOT / "skills/guarded-webfetch/scripts/quarantine-fetch.sh"
PAGES = {
    "http": "http://news.canal-journal.com/articles/lock-gates",
    "https": "https://news.canal-journal.com/articles/lock-gates",
}
BARE = """
import sys, httpx
from readability import Document
answer = httpx.get(sys.argv[1], follow_redirects=True)
document = Document(answer.text)
print(len(document.title()), len(document.summary()))
"""


class Cost(NamedTuple):
    """One run of one command."""

    wall_ms: float
    cpu_ms: float
    peak_mb: float


def measure(command: list[str], folder: str) -> Cost:
    """Runs `command` once and returns what it cost; RuntimeError when it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"{command[0]} failed: {process.stderr.read().decode() if process.stderr else ''}")
    return Cost(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1000)


def latency(runs: int, python: str) -> dict[str, dict[str, float]]:
    """Inside the sealed internet: {scheme: figures}. The two commands take turns, A B A B."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for scheme, url in PAGES.items():
            ours, bare = ["bash", str(LAUNCHER), url], [python, "-I", "-c", BARE, url]
            pairs = []
            for number in range(runs + 2):  # the first two warm caches
                pair = (measure(ours, folder), measure(bare, folder))
                if number >= 2:
                    pairs.append(pair)
                print(f"\r{scheme}: {number + 1}/{runs + 2}", end="", file=sys.stderr, flush=True)
            print(file=sys.stderr)
            results[scheme] = figures(pairs)
    return results


def figures(pairs: list[tuple[Cost, Cost]]) -> dict[str, float]:
    """Medians over the pairs; ratios are taken pair by pair."""
    median = statistics.median
    return {
        "wall_ratio": round(median(a.wall_ms / b.wall_ms for a, b in pairs), 2),
        "cpu_ratio": round(median(a.cpu_ms / b.cpu_ms for a, b in pairs), 2),
        "wall_ms": round(median(a.wall_ms for a, _ in pairs)),
        "cpu_ms": round(median(a.cpu_ms for a, _ in pairs)),
        "bare_wall_ms": round(median(b.wall_ms for _, b in pairs)),
        "bare_cpu_ms": round(median(b.cpu_ms for _, b in pairs)),
        "peak_mb": round(median(a.peak_mb for a, _ in pairs)),
        "bare_peak_mb": round(median(b.peak_mb for _, b in pairs)),
        "n": len(pairs),
    }


def table(results: dict[str, dict[str, float]]) -> str:
    """The figures as a Markdown table."""
    names = list(next(iter(results.values())))
    lines = ["| page over | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    lines += [f"| {scheme} | " + " | ".join(str(row[name]) for name in names) + " |" for scheme, row in results.items()]
    return "\n".join(lines)


def inside(arguments: list[str], python: str) -> int:
    """Starts the sealed internet and runs this file again in it."""
    sys.path.insert(0, str(ROOT))
    from tests.internet.client import SealedInternet, Unavailable

    try:
        net = SealedInternet()
    except Unavailable as reason:
        print(f"nothing was measured: {reason}", file=sys.stderr)
        return 1
    with net:
        command = [sys.executable, "-I", __file__, "--inside", python, *arguments]
        result = net.run(command, cwd=str(ROOT), timeout=1800)
    print(result.stdout, end="")
    print(result.stderr, end="", file=sys.stderr)
    return 0 if result.returncode == 0 else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("kind", choices=("latency",))
    parser.add_argument("--json", action="store_true", help="end with one line holding one JSON object")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--inside", metavar="PYTHON", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        return inside(sys.argv[1:], sys.executable)
    results = latency(arguments.runs, arguments.inside)
    print(table(results))
    if arguments.json:
        print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
