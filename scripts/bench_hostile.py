"""Bodies made to exhaust: each must end in a record or a reason, in time, and in little memory.

Pages come from the sealed internet's own heavy site; PDFs are made here and served by a site of their own.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.internet.replies import Reply, Site
from tests.parser import test_pdf_hostile

HOST = "hostile.canal-journal.com"
HEAVY = "https://heavy.canal-journal.com"
PAGES = {
    "gzip bomb of 300 MB": f"{HEAVY}/bomb",
    "50 MB of HTML": f"{HEAVY}/50mb",
    "50 MB of HTML in chunks": f"{HEAVY}/50mb-chunked",
    "HTML without an end": f"{HEAVY}/endless",
    "60,000 nested div": f"{HEAVY}/deep",
    "one line of 3 MB": f"{HEAVY}/one-line",
    "2,000 header fields": f"{HEAVY}/many-headers",
    "headers without an end": f"{HEAVY}/endless-headers",
}
ENDINGS = (0, 4, 5, 6)  # a record, or a failure record with a reason of the content or the fetch


class Ending(NamedTuple):
    """How one case ended: exit code, reason ("ok"), seconds, megabytes of the largest process."""

    code: int
    reason: str
    seconds: float
    peak_mb: float


def cases() -> dict[str, str]:
    """{case: URL}"""
    pdfs = {f"PDF: {name}": f"https://{HOST}/{number}.pdf" for number, name in enumerate(test_pdf_hostile.HOSTILE)}
    return {**PAGES, **pdfs}


def site() -> Site:
    """A site with every hostile PDF."""
    routes: dict[str, Any] = {}
    for number, make in enumerate(test_pdf_hostile.HOSTILE.values()):
        routes[f"/{number}.pdf"] = Reply(headers=(("Content-Type", "application/pdf"),), body=make())
    return Site(HOST, "PDFs made to exhaust", routes)


def attack(command: list[str], folder: Path, measure: Callable[..., Any], runs: int) -> dict[str, Ending]:
    """{case: the median of its runs}; RuntimeError when a run neither wrote a record nor gave a reason."""
    endings = {}
    for name, url in cases().items():
        costs = [measure([*command, url], str(folder), ENDINGS) for _ in range(runs)]
        records = sorted(folder.glob(".temp/guarded-webfetch/*-????????????????.json"))
        newest = max(records, key=lambda path: path.stat().st_mtime_ns)
        outcome = json.loads(newest.read_bytes())["outcome"]
        seconds = statistics.median(cost.wall_ms for cost in costs) / 1000
        endings[name] = Ending(costs[-1].code, outcome, seconds, max(cost.peak_mb for cost in costs))
        print(f"{name}: {outcome}, {seconds:.2f} s, {endings[name].peak_mb:.0f} MB", file=sys.stderr, flush=True)
        subprocess.run(["rm", "-rf", str(folder / ".temp")], check=True)
    return endings


def summary(endings: dict[str, Ending]) -> dict[str, dict[str, float]]:
    """{"pages" and "pdf": {cases, finished, slowest_s, peak_mb}}"""
    groups: dict[str, list[Ending]] = {"pages": [], "pdf": []}
    for name, ending in endings.items():
        groups["pdf" if name.startswith("PDF") else "pages"].append(ending)
    return {
        name: {
            "cases": len(group),
            "finished": sum(ending.code in ENDINGS for ending in group),
            "slowest_s": round(max(ending.seconds for ending in group), 2),
            "peak_mb": round(max(ending.peak_mb for ending in group)),
        }
        for name, group in groups.items()
    }
