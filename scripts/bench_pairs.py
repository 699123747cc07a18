"""The measuring half of scripts/bench: pairs taken in turns, medians of ratios, a table and one line of JSON.

    latency   one cold fetch of a 50 KB page, http and https, by the skill's launcher, against two baselines:
              a bare httpx.get + readability-lxml in one Python process of the same environment, which isolates nothing, sanitizes
              nothing and writes nothing (wall_ratio, cpu_ratio);
              the same stages by the same code in one unlocked process (isolation_wall_ratio, isolation_cpu_ratio), both started
              without the launcher: bench_one_process.py
    start     what the launcher adds to the program, and with --first-run what building the environment takes: bench_start.py
    lock      what the lock costs one child, without and with namespaces: bench_lock.py
    sanitizer the sanitizer alone, on ordinary and on the worst texts: bench_sanitizer.py
    sources   fifteen pages in one run: bench_sources.py
    hostile   bodies made to exhaust, each to its end: bench_hostile.py

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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
LAUNCHER = ROOT / "skills/guarded-webfetch/scripts/quarantine-fetch.sh"
ENVIRONMENT = ROOT / "shared/guarded_webfetch/setup/environment.sh"
IN_SEALED_INTERNET = ("latency", "hostile", "sources")
RUNS = {"hostile": 3, "sources": 7}
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
Results = dict[str, dict[str, float]]


class Cost(NamedTuple):
    """One run of one command."""

    wall_ms: float
    cpu_ms: float
    peak_mb: float
    code: int


class Round(NamedTuple):
    """The four commands of one round."""

    ours: Cost
    bare: Cost
    ours_alone: Cost
    one_process: Cost


def measure(command: list[str], folder: str, accepted: Sequence[int] = (0,)) -> Cost:
    """Runs `command` once and returns what it cost; RuntimeError when it ends with another code."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    code = os.waitstatus_to_exitcode(status)
    said = process.stderr.read().decode() if process.stderr else ""
    if code not in accepted:
        raise RuntimeError(f"{command[0]} ended with {code}: {said}")
    return Cost(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1000, code)


def latency(runs: int, python: str) -> Results:
    """Inside the sealed internet: {scheme: figures}. The commands take turns, A B C D A B C D."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for scheme, url in PAGES.items():
            rounds = []
            for number in range(runs + 2):  # the first two warm caches
                one = Round(*(measure(command, folder) for command in commands(python, url)))
                if number >= 2:
                    rounds.append(one)
                print(f"\r{scheme}: {number + 1}/{runs + 2}", end="", file=sys.stderr, flush=True)
            print(file=sys.stderr)
            results[scheme] = figures(rounds)
    return results


def commands(python: str, url: str) -> tuple[list[str], ...]:
    """In the order of `Round`; all four by the same interpreter with the same packages."""
    return (
        ["bash", str(LAUNCHER), url],
        [python, "-I", "-c", BARE, url],
        [python, "-I", "-S", str(ROOT / "shared/guarded_webfetch/boot.py"), "agent", url],
        [python, "-I", "-S", str(SCRIPTS / "bench_one_process.py"), url],
    )


def figures(rounds: list[Round]) -> dict[str, float]:
    """Medians over the rounds; ratios are taken round by round."""
    median = statistics.median
    return {
        "wall_ratio": round(median(one.ours.wall_ms / one.bare.wall_ms for one in rounds), 2),
        "cpu_ratio": round(median(one.ours.cpu_ms / one.bare.cpu_ms for one in rounds), 2),
        "isolation_wall_ratio": round(median(one.ours_alone.wall_ms / one.one_process.wall_ms for one in rounds), 2),
        "isolation_cpu_ratio": round(median(one.ours_alone.cpu_ms / one.one_process.cpu_ms for one in rounds), 2),
        "wall_ms": round(median(one.ours.wall_ms for one in rounds)),
        "cpu_ms": round(median(one.ours.cpu_ms for one in rounds)),
        "bare_wall_ms": round(median(one.bare.wall_ms for one in rounds)),
        "bare_cpu_ms": round(median(one.bare.cpu_ms for one in rounds)),
        "one_process_wall_ms": round(median(one.one_process.wall_ms for one in rounds)),
        "one_process_cpu_ms": round(median(one.one_process.cpu_ms for one in rounds)),
        "peak_mb": round(median(one.ours.peak_mb for one in rounds)),
        "bare_peak_mb": round(median(one.bare.peak_mb for one in rounds)),
        "n": len(rounds),
    }


def hostile(runs: int) -> Results:
    """Inside the sealed internet, where the hostile PDFs are being served."""
    import bench_hostile

    with tempfile.TemporaryDirectory() as folder:
        endings = bench_hostile.attack(["bash", str(LAUNCHER)], Path(folder), measure, runs)
    return bench_hostile.summary(endings)


def sources(runs: int, python: str) -> Results:
    """Inside the sealed internet, where its pages are being served."""
    import bench_sources

    return bench_sources.costs(runs, python, ROOT, measure)


def lock(runs: int) -> Results:
    import bench_lock

    return bench_lock.costs(runs)


def start(runs: int, python: str, *, first_run: bool) -> Results:
    import bench_start

    results = bench_start.costs(runs, python, LAUNCHER, ROOT, measure)
    if first_run:
        results["start"]["first_run_s"] = bench_start.first_run_s(ENVIRONMENT)
    return results


def sanitizer(runs: int) -> Results:
    import bench_sanitizer

    return bench_sanitizer.costs(runs)


def table(results: Results) -> str:
    """The figures as a Markdown table."""
    names = list(next(iter(results.values())))
    lines = ["| what | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    lines += [f"| {what} | " + " | ".join(str(row[name]) for name in names) + " |" for what, row in results.items()]
    return "\n".join(lines)


def runtime_python() -> str:
    """The Python the launcher uses."""
    built = subprocess.run(["bash", "-p", str(ENVIRONMENT), "runtime"], stdout=subprocess.PIPE, text=True, check=True)
    return built.stdout.strip()


def inside(arguments: argparse.Namespace) -> int:
    """Starts the sealed internet and runs this file again in it, with the Python the launcher uses."""
    from tests.internet.client import SealedInternet, Unavailable

    try:
        net = SealedInternet()
    except Unavailable as reason:
        print(f"nothing was measured: {reason}", file=sys.stderr)
        return 1
    with net:
        if arguments.kind == "hostile":
            import bench_hostile

            net.add_site(bench_hostile.site())
        if arguments.kind == "sources":
            import bench_sources

            for site in bench_sources.sites():
                net.add_site(site)
        command = [sys.executable, "-I", __file__, *sys.argv[1:], "--inside", runtime_python()]
        result = net.run(command, cwd=str(ROOT), timeout=1800)
    print(result.stdout, end="")
    print(result.stderr, end="", file=sys.stderr)
    return 0 if result.returncode == 0 else 1


def measured(arguments: argparse.Namespace, runs: int) -> Results:
    match arguments.kind:
        case "latency":
            return latency(runs, arguments.inside)
        case "sources":
            return sources(runs, arguments.inside)
        case "start":
            return start(runs, runtime_python(), first_run=arguments.first_run)
        case "lock":
            return lock(runs)
        case "sanitizer":
            return sanitizer(runs)
        case _:
            return hostile(runs)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("kind", choices=("latency", "start", "lock", "sanitizer", "sources", "hostile"))
    parser.add_argument("--json", action="store_true", help="end with one line holding one JSON object")
    parser.add_argument("--runs", type=int, help="default: 21, of sources 7, of hostile 3")
    parser.add_argument(
        "--first-run", action="store_true", help="start: also build an environment from the package index"
    )
    parser.add_argument("--inside", metavar="PYTHON", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sys.path[:0] = [str(ROOT), str(ROOT / "shared"), str(SCRIPTS)]
    if arguments.kind in IN_SEALED_INTERNET and not arguments.inside:
        return inside(arguments)
    results = measured(arguments, arguments.runs or RUNS.get(arguments.kind, 21))
    print(table(results))
    if arguments.json:
        print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
