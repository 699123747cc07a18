"""The gate: an answer counts only if every source it must rest on was really fetched. A pure function of the evidence.

Matching is per required URL: two successes for one URL are one, and a success for another URL is none.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from guarded_webfetch.core.redirect_policy import relate
from guarded_webfetch.core.url_policy import Url
from guarded_webfetch.evidence.evidence import OWN_FETCH, REVIEWED, Evidence, Status, canonical, same_page

PASSED: Final = "passed"
OWN_FETCH_NEEDED: Final = "own_fetch_needed"
NEEDS_REVIEW: Final = "needs_review"

# Of several statuses for one URL the first of these counts: what a person must see, then success, then the plainest failure.
ORDER: Final[tuple[Status, ...]] = (
    "unsafe", "flagged", "paywall", "success", "record_unknown", "not_allowed", "too_large", "unsupported", "rate_limited",
    "unavailable", "error", "unknown_status", "not_attempted",
)  # fmt: skip


class Policy(NamedTuple):
    """`level`: the least evidence that counts. `needed`: how many required URLs must have it."""

    level: int
    needed: int


class Finding(NamedTuple):
    """What is known of one required URL. `level`: of its best successful evidence, -1 without any."""

    url: str
    status: Status
    level: int
    passed: bool


class Verdict(NamedTuple):
    """`result` is PASSED, OWN_FETCH_NEEDED or NEEDS_REVIEW."""

    result: str
    findings: list[Finding]
    attempted: int  # pieces of evidence, also for URLs nobody required


def needed(minimum: str, required: int) -> int:
    """The number behind `--min`: all, majority (more than half), or a number of at most `required`. ValueError otherwise."""
    if minimum == "all":
        return required
    if minimum == "majority":
        return required // 2 + 1
    count = int(minimum) if minimum.isascii() and minimum.isdecimal() else 0
    if not 0 < count <= required:
        raise ValueError(minimum)
    return count


def decide(required: Sequence[Url], evidence: Sequence[Evidence], policy: Policy) -> Verdict:
    """Passed, or what must happen next. A page a person must look at is never outvoted."""
    found = [(canonical(row.url), canonical(row.asked), row) for row in evidence]
    findings = [
        _finding(url, [row for at, asked, row in found if _speaks_of(url, at, asked, row)], policy.level)
        for url in required
    ]
    if any(finding.status in REVIEWED for finding in findings):
        result = NEEDS_REVIEW
    elif sum(finding.passed for finding in findings) >= policy.needed:
        result = PASSED
    else:
        result = OWN_FETCH_NEEDED
    return Verdict(result, findings, len(evidence))


def _speaks_of(required: Url, at: Url | None, asked: Url | None, row: Evidence) -> bool:
    """Evidence names the page itself, or was asked for by its URL and ended where our own redirects would be followed."""
    if same_page(required, at):
        return True
    if asked is None or not same_page(required, asked):
        return False
    if row.level == OWN_FETCH or row.status != "success":  # our redirects were checked; a failure needs no place
        return True
    return at is not None and bool(relate(asked, at))


def _finding(required: Url, rows: Sequence[Evidence], level: int) -> Finding:
    best = max((row.level for row in rows if row.status == "success"), default=-1)
    statuses = {row.status for row in rows if row.status != "success" or row.level >= level}
    status: Status = next((status for status in ORDER if status in statuses), "not_attempted")
    return Finding(required.text, status, best, status == "success")
