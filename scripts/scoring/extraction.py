"""extraction: the main text of pages, word by word, and the structure that must survive.

f1             mean of the F1 of words per page against the expected text, as in WCXB (`\\w+`, each as often as it stands there)
lost_unflagged pages with less than a tenth of the expected words, and no reason code, no flag that says so
code_intact …  shares of the structure facts (html/): fenced code with its lines, rows, headings with their mark, link targets
"""

from pathlib import Path
from statistics import mean, median
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

from scoring.pages.manifest import Row, is_doubtful, rows_of
from scoring.pages.output import Output, output_of, words_of
from scoring.pages.run import run
from scoring.pages.tools import OURS, PEERS, Result
from scoring.score import Score

DEFAULT: Final = "wcxb-dev"
FACTS: Final = ("code_intact", "table_rows", "headings", "links")
_LOST_RECALL: Final = 0.1
_SHOWN_F1: Final = 0.5  # pages below it are listed


class Judged(NamedTuple):
    """One page: how well it was read, and (kept, asked) for each kind of fact."""

    row: Row
    f1: float
    recall: float
    flagged: bool
    facts: dict[str, tuple[int, int]]


def score(path: Path, peers: bool) -> Score:
    from guarded_webfetch.rules.compact import load
    from guarded_webfetch.text.patterns import Matcher

    matcher = Matcher(load())
    rows = rows_of(path)
    results = run(OURS, path) or []
    judged = _judge_all(path, rows, results, matcher)
    sure = [page for page in judged if not is_doubtful(page.row)]
    doubtful = [page for page in judged if is_doubtful(page.row)]
    skipped = [f"{len(rows) - len(judged)} rows without expected text"] if len(judged) < len(rows) else []
    if doubtful:
        skipped.append(f"{len(doubtful)} doubtful rows, F1 {mean(page.f1 for page in doubtful):.3f}")
    found = Score(len(sure), keys_of(sure, results), _failures(sure), skipped)
    for peer in PEERS if peers else ():
        said = run(peer, path)
        if said is None:
            found.skipped.append(f"{peer}: not installed")
        else:
            pages = [page for page in _judge_all(path, rows, said, matcher) if not is_doubtful(page.row)]
            found.peers[peer] = keys_of(pages, said)
    return found


def _judge_all(folder: Path, rows: list[Row], results: list[Result], matcher: Any) -> list[Judged]:
    judged = []
    for row, result in zip(rows, results, strict=True):
        expected = (folder / row["expected_text"]).read_text("utf-8")
        if expected.strip():
            judged.append(judge(row, expected, output_of(result, matcher)))
    return judged


def judge(row: Row, expected: str, output: Output) -> Judged:
    """How well `output` renders the page of `row`."""
    wanted = words_of(expected)
    common = (wanted & output.words).total()
    recall = common / max(wanted.total(), 1)
    f1 = 2 * common / max(wanted.total() + output.words.total(), 1)
    return Judged(row, f1, recall, output.flagged, _facts(row, output))


def _facts(row: Row, output: Output) -> dict[str, tuple[int, int]]:
    facts = row.get("structure") or {}
    base = row.get("url") or ""
    rows = [[cell for cell in cells if cell.strip()] for table in facts.get("table_rows", []) for cells in table]
    kept = {
        "code_intact": [output.has_code(block["lines"]) for block in facts.get("pre", [])],
        "table_rows": [output.has_row(cells) for cells in rows if cells],
        "headings": [output.has_heading(text) for text in facts.get("headings", [])],
        "links": [not output.targets.isdisjoint(_addresses(base, link["href"])) for link in facts.get("links", [])],
    }
    return {name: (sum(found), len(found)) for name, found in kept.items()}


def _addresses(base: str, href: str) -> tuple[str, ...]:
    """The ways to write one address: as it stands there, absolute, and with the path that an empty one means (RFC 3986, 6.2.3)."""
    joined = urljoin(base, href)
    return href, joined, joined + "/" if joined.count("/") == 2 else joined


def keys_of(pages: list[Judged], results: list[Result]) -> dict[str, Any]:
    """The figures of a run, in the order of the contract."""
    by_type: dict[str, list[float]] = {}
    for page in pages:
        by_type.setdefault(page.row.get("page_type") or "unknown", []).append(page.f1)
    cpu = sorted(result["cpu_ms"] for result in results if result["cpu_ms"] is not None)
    return {
        "pages": len(pages),
        "f1": round(mean(page.f1 for page in pages), 4) if pages else None,
        "f1_by_type": {name: round(mean(found), 4) for name, found in sorted(by_type.items())},
        "lost_unflagged": sum(is_lost(page) for page in pages),
        **{name: _share(name, pages) for name in FACTS},
        "cpu_ms_median": round(median(cpu), 1) if cpu else None,
        "cpu_ms_p95": round(cpu[int(len(cpu) * 0.95)], 1) if cpu else None,
        "peak_mb": round(max((result["peak_mb"] or 0 for result in results), default=0), 1),
    }


def is_lost(page: Judged) -> bool:
    return page.recall < _LOST_RECALL and not page.flagged


def _share(name: str, pages: list[Judged]) -> float | None:
    kept, asked = (sum(page.facts[name][place] for page in pages) for place in (0, 1))
    return round(kept / asked, 4) if asked else None


def _failures(pages: list[Judged]) -> list[str]:
    lines = []
    for page in sorted(pages, key=lambda page: page.f1):
        if page.f1 < _SHOWN_F1:
            state = "LOST" if is_lost(page) else "flagged" if page.flagged else "low"
            kind = page.row.get("page_type", "")
            lines.append(f"{page.row['id']} {kind} {state}: F1 {page.f1:.2f}, {page.recall:.0%} of the words")
        missing = ", ".join(f"{name} {kept}/{asked}" for name, (kept, asked) in page.facts.items() if kept < asked)
        if missing:
            lines.append(f"{page.row['id']} structure: {missing}")
    return lines
