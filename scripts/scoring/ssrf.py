"""ssrf: every case through the real product, judged by the connects it tried.

bypass         a connect was tried, be it a probe, to an address that nobody may contact
lenient        a refusal was expected, and public addresses were contacted beyond the redirects of the case
false_refusal  the page was expected and did not come
Each other promise of a case that was not kept (look-ups, attempts, the only address, the notice) counts with the class it is
about: too wide is lenient, a missing notice too.
"""

import json
import sys
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any, Final, Literal

from scoring.score import Score
from scoring.sockets.case import Case
from scoring.sockets.denied import is_denied
from scoring.sockets.world import Seen, World

DEFAULT: Final = "ssrf.jsonl"
Fault = Literal["bypass", "lenient", "false_refusal"]

# Outcomes that show that a connect was tried, for addresses on which the kernel lets no packet out (multicast, broadcast).
_AFTER_CONNECT: Final = frozenset({
    "ok", "connect_failed", "fetch_deadline", "tls_failed", "tls_certificate", "http_protocol", "http_error",
})  # fmt: skip
_AT_AN_ADDRESS: Final = frozenset({"tls_certificate", "http_not_found"})
_UNREADABLE: Final = (AttributeError, LookupError, RuntimeError, TypeError, ValueError, TimeoutExpired)
_RELATIONS: Final = {"same_origin": "same_origin", "https_upgrade": "https_upgrade", "www_prefix": "www_variant"}


def score(path: Path, peers: bool) -> Score:
    """Peers are measured in the research of the data set, in a world of their own; none is run here."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    counts: dict[str, int] = {"bypass": 0, "lenient": 0, "false_refusal": 0}
    failures: list[str] = []
    unread: list[str] = []
    with World() as world:
        for number, row in enumerate(rows, 1):
            try:
                faults = judge(world, Case(row))
            except _UNREADABLE as problem:
                unread.append(f"{row.get('id')}: not of the known form, or it could not be run: {problem!r}"[:300])
                continue
            for fault in {fault for fault, _ in faults}:
                counts[fault] += 1
            failures += [
                f"{row['id']} {fault}: {why} ({row.get('class')}: {row.get('reason')})" for fault, why in faults
            ]
            if sys.stderr.isatty():
                print(f"\r{number}/{len(rows)}", end="", file=sys.stderr, flush=True)
    inspected = len(rows) - len(unread)
    keys: dict[str, Any] = {"cases": inspected}
    skipped = ["peers: no other guard is installed here"] if peers else []
    return Score(inspected, keys | counts, failures, skipped + unread)


def judge(world: World, case: Case) -> list[tuple[Fault, str]]:
    """What is wrong with how the product took this case; empty when nothing is."""
    faults: list[tuple[Fault, str]] = []
    for urls in case.visits():
        seen = world.visit(case, urls)
        faults += _contacts(case, seen)
        faults += _ending(case, seen)
        faults += _promises(case, seen)
        if case.row.get("notice") == "mixed_script_host" and not world.tells_of_mixed_scripts(urls[0]):
            faults.append(("lenient", "no notice mixed_script_host"))
    return list(dict.fromkeys(faults))


def _contacts(case: Case, seen: list[Seen]) -> list[tuple[Fault, str]]:
    """Denied addresses that were contacted, as the wire tells, or as the outcome tells where no packet can leave."""
    allowed = case.row.get("connect_only")
    denied = set(case.row.get("never_connect", []))
    faults: list[tuple[Fault, str]] = []
    for address, port in (connect for one in seen for connect in one.tried):
        if address in denied or is_denied(address, fake_ip=case.fake_ip):
            faults.append(("bypass", f"connect to {address} port {port}"))
        elif allowed is not None and address not in allowed:
            faults.append(("lenient", f"connect to {address} port {port}, beside {', '.join(allowed)}"))
    answers = case.answers()
    silent = answers and all(is_denied(address, fake_ip=case.fake_ip) for address in answers)
    if silent and case.expects_refusal and not case.redirects and not faults and seen[-1].outcome in _AFTER_CONNECT:
        faults.append(
            ("bypass", f"ended with {seen[-1].outcome}, so a connect to {', '.join(sorted(answers))} was tried")
        )
    files = [name for one in seen for name in one.left_files]
    return faults + [("bypass", f"wrote {name}") for name in files]


def _ending(case: Case, seen: list[Seen]) -> list[tuple[Fault, str]]:
    last = seen[-1]
    if not case.expects_refusal:
        reached = last.outcome == "ok" or (last.outcome in _AT_AN_ADDRESS and _asks_an_address(last))
        return [] if reached else [("false_refusal", f"ended with {last.outcome}")]
    hops = len(case.redirects)
    if last.outcome == "ok":
        return [("lenient", "a page was delivered")]
    beyond = len(last.log.requests) > hops if case.row.get("unreachable") else len(last.tried) > hops
    return [("lenient", f"ended with {last.outcome} after {len(last.tried)} connects")] if beyond else []


def _asks_an_address(seen: Seen) -> bool:
    """A literal ends after its connect: no certificate of the sealed internet names it, and no site stands there."""
    return not seen.log.dns and bool(seen.tried)


def _promises(case: Case, seen: list[Seen]) -> list[tuple[Fault, str]]:
    row = case.row
    faults: list[tuple[Fault, str]] = []
    for one in seen:
        if one.lookups > row.get("max_lookups", one.lookups):
            faults.append(("lenient", f"{one.lookups} look-ups of one name"))
        if len(one.tried) > row.get("max_attempts", len(one.tried)):
            faults.append(("lenient", f"{len(one.tried)} connects tried"))
    missing = [notice for notice in _notices(row) if not _has_notice(seen[-1], notice)]
    return faults + [("lenient", f"no notice {notice}") for notice in missing if seen[-1].outcome == "ok"]


def _notices(row: dict[str, object]) -> list[str]:
    """Those a record holds; the one about the URL itself stands in the answer of check-url."""
    return [notice for notice in str(row.get("notice") or "").split("+") if notice not in ("", "mixed_script_host")]


def _has_notice(seen: Seen, notice: str) -> bool:
    if notice in ("meta_refresh", "refresh_header"):
        return bool(seen.record["flags"].get("meta_refresh"))
    relations = {relation for hop in seen.record["redirects"] for relation in hop["relations"]}
    return _RELATIONS.get(notice, notice) in relations
