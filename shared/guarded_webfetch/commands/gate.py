"""`gate`: an answer counts only if its sources were really fetched. Prints the path of a verdict; nothing of a page or provider."""

import json
import os
import secrets
from argparse import Namespace
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from guarded_webfetch import __version__
from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.broker.store import Store
from guarded_webfetch.commands import gate_input, terminal
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.outcome import refuse
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence import gate, quotes
from guarded_webfetch.evidence.evidence import Evidence
from guarded_webfetch.evidence.own_records import believed, record_evidence, record_paths
from guarded_webfetch.evidence.providers import read_answer

SCHEMA: Final = "guarded-webfetch/gate@1"
QUOTES_SCHEMA: Final = "guarded-webfetch/quotes@1"
_PROVIDERS: Final = ("auto", "gemini", "anthropic", "openai", "records")


def run(argv: list[str]) -> int:
    """0 passed, 10 own fetch needed, 11 needs review; the verdict's path on stdout in each case.

    Raises Refusal usage_invalid, path_invalid, answer_invalid, store_unavailable and the reasons of parse_url.
    """
    actions: dict[str, Callable[[list[str]], int]] = {
        "check": _check, "quotes": _quotes, "run": _run, "queue": _queue, "log": _log,
    }  # fmt: skip
    if argv and argv[0] in actions:
        return actions[argv[0]](argv[1:])
    if argv and argv[0] in ("--help", "-h"):
        terminal.write("usage: guarded-webfetch gate check|quotes|run|queue|log ...   (each has --help)\n")
        return 0
    raise Refusal("usage_invalid")


def _run(argv: list[str]) -> int:
    from guarded_webfetch.commands import gate_run

    return gate_run.run(argv)


def _queue(argv: list[str]) -> int:
    from guarded_webfetch.commands import gate_people

    return gate_people.queue(argv)


def _log(argv: list[str]) -> int:
    from guarded_webfetch.commands import gate_people

    return gate_people.log(argv)


def _check(argv: list[str]) -> int:
    arguments = Arguments("gate check", "Say whether each required URL was really fetched for an answer.")
    arguments.add_argument(
        "response", metavar="RESPONSE", help="a provider's response as JSON, a record, or a folder of records"
    )
    gate_input.add_policy(arguments)
    arguments.add_argument("--provider", choices=_PROVIDERS, default="auto")
    arguments.add_argument("--out", metavar="DIR", help="where the verdict goes")
    chosen = arguments.parse_args(argv)
    gate_input.check_paths([chosen.response, *chosen.records, chosen.out or ""])
    required = gate_input.required_urls(chosen.require)
    policy = gate_input.policy(chosen, required)
    provider, evidence = _evidence(chosen)
    verdict = gate.decide(required, evidence, policy)
    path = _write(chosen.out, "gate", _verdict_record(verdict, policy, provider))
    return _end(verdict.result, path)


def _evidence(chosen: Namespace) -> tuple[str, list[Evidence]]:
    known = frozenset(chosen.record_sha256)
    paths = [path for place in chosen.records for path in record_paths(place)]
    own = [row for path in paths if (row := record_evidence(path, known)) is not None]
    if chosen.provider == "records" or (chosen.provider == "auto" and os.path.isdir(chosen.response)):
        found = [record_evidence(path, known) for path in record_paths(chosen.response)]
        return "records", [*own, *(row for row in found if row is not None)]
    if chosen.provider == "auto" and (row := record_evidence(chosen.response, known)) is not None:
        return "records", [*own, row]
    answer = read_answer(gate_input.read_json(chosen.response), chosen.provider)
    if answer is None:
        raise Refusal("answer_invalid")
    return answer.provider, [*own, *answer.evidence]


def _verdict_record(verdict: gate.Verdict, policy: gate.Policy, provider: str) -> dict[str, Any]:
    """Holds what the caller named and fixed words, nothing that a provider or a page chose."""
    return {
        "schema": SCHEMA,
        "result": verdict.result,
        "provider": provider,
        "level": policy.level,
        "needed": policy.needed,
        "proven": sum(finding.passed for finding in verdict.findings),
        "required": [
            {"url": row.url, "status": row.status, "level": None if row.level < 0 else row.level, "passed": row.passed}
            for row in verdict.findings
        ],
        "attempted": verdict.attempted,
        "decided_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tool_version": __version__,
    }


def _quotes(argv: list[str]) -> int:
    arguments = Arguments("gate quotes", "Say for each claim of an answer where its quote stands in the records.")
    arguments.add_argument("answer", metavar="ANSWER", help='JSON: {"claims": [{"claim", "quote"}]}')
    arguments.add_argument("records", nargs="+", metavar="RECORD")
    arguments.add_argument(
        "--record-sha256", action="append", default=[], metavar="HASH", help="a record the job vouches for"
    )
    arguments.add_argument("--out", metavar="DIR", help="where the report goes")
    chosen = arguments.parse_args(argv)
    gate_input.check_paths([chosen.answer, *chosen.records, chosen.out or ""])
    claims = quotes.read_claims(gate_input.read_json(chosen.answer))
    places = quotes.find_quotes(claims, _texts(chosen.records, frozenset(chosen.record_sha256)))
    rows = [
        {"claim": number, "quote": place.found, "record": place.record, "offset": place.offset}
        for number, place in enumerate(places, 1)
    ]
    passed = all(place.found == "found" for place in places)
    path = _write(
        chosen.out,
        "quotes",
        {"schema": QUOTES_SCHEMA, "result": gate.PASSED if passed else gate.NEEDS_REVIEW, "claims": rows},
    )
    return _end(gate.PASSED if passed else gate.NEEDS_REVIEW, path)


def _texts(paths: Sequence[str], known: frozenset[str]) -> dict[str, str]:
    """raw_text by record name; Refusal record_unknown, or record_unusable for a failure or a held-back page."""
    texts: dict[str, str] = {}
    for place in paths:
        for path in record_paths(place):
            files = read_record(path)
            if not believed(files, known):
                raise Refusal("record_unknown")
            if files.record["raw_text"] is None:
                raise Refusal("record_unusable")
            texts[os.path.basename(path)] = files.record["raw_text"]
    return texts


def _write(out: str | None, kind: str, record: dict[str, Any]) -> str:
    store = Store.open(out)
    name = f"{kind}-{secrets.token_hex(8)}.json"
    store.write(name, json.dumps(record, indent=1).encode() + b"\n")
    return store.path(name)


def _end(result: str, path: str) -> int:
    terminal.write(f"{path}\n")
    return 0 if result == gate.PASSED else refuse(result, path)
