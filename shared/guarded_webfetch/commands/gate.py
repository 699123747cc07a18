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
from guarded_webfetch.commands import terminal, visible
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.outcome import refuse
from guarded_webfetch.core.limits import MAX_ANSWER_BYTES, MAX_URLS_PER_RUN
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import Url, parse_url
from guarded_webfetch.evidence import gate, quotes
from guarded_webfetch.evidence.evidence import Evidence, canonical
from guarded_webfetch.evidence.own_records import believed, record_evidence, record_paths
from guarded_webfetch.evidence.providers import read_answer

SCHEMA: Final = "guarded-webfetch/gate@1"
QUOTES_SCHEMA: Final = "guarded-webfetch/quotes@1"
_PROVIDERS: Final = ("auto", "gemini", "anthropic", "openai", "records")


def run(argv: list[str]) -> int:
    """0 passed, 10 own fetch needed, 11 needs review; the verdict's path on stdout in each case.

    Raises Refusal usage_invalid, path_invalid, answer_invalid, store_unavailable and the reasons of parse_url.
    """
    actions: dict[str, Callable[[list[str]], int]] = {"check": _check, "quotes": _quotes}
    if argv and argv[0] in actions:
        return actions[argv[0]](argv[1:])
    if argv and argv[0] in ("--help", "-h"):
        terminal.write("usage: guarded-webfetch gate check|quotes ...   (each has --help)\n")
        return 0
    raise Refusal("usage_invalid")


def _check(argv: list[str]) -> int:
    arguments = Arguments("gate check", "Say whether each required URL was really fetched for an answer.")
    arguments.add_argument(
        "response", metavar="RESPONSE", help="a provider's response as JSON, a record, or a folder of records"
    )
    arguments.add_argument(
        "--require", action="append", required=True, metavar="URL", help="a source the answer must rest on"
    )
    arguments.add_argument("--provider", choices=_PROVIDERS, default="auto")
    arguments.add_argument("--min", default="all", metavar="all|majority|N", help="how many of them (default: all)")
    arguments.add_argument("--level", type=int, choices=(2, 3), default=2, help="2: the provider says so, 3: own fetch")
    arguments.add_argument("--records", action="append", default=[], metavar="PATH", help="own records that count too")
    arguments.add_argument(
        "--record-sha256", action="append", default=[], metavar="HASH", help="a record the job vouches for"
    )
    arguments.add_argument("--out", metavar="DIR", help="where the verdict goes")
    chosen = arguments.parse_args(argv)
    _check_paths([chosen.response, *chosen.records, chosen.out or ""])
    required = _required(chosen.require)
    try:
        policy = gate.Policy(chosen.level, gate.needed(chosen.min, len(required)))
    except ValueError:
        raise Refusal("usage_invalid") from None
    provider, evidence = _evidence(chosen)
    verdict = gate.decide(required, evidence, policy)
    path = _write(chosen.out, "gate", _verdict_record(verdict, policy, provider))
    return _end(verdict.result, path)


def _required(texts: Sequence[str]) -> list[Url]:
    """The different URLs in `texts`, as they are compared. Raises the reasons of parse_url."""
    required: dict[Url, None] = {}
    for text in texts:
        url = canonical(text) or parse_url(text)  # parse_url says why it is none
        required[url] = None
    if len(required) > MAX_URLS_PER_RUN:
        raise Refusal("usage_invalid")
    return list(required)


def _evidence(chosen: Namespace) -> tuple[str, list[Evidence]]:
    known = frozenset(chosen.record_sha256)
    paths = [path for place in chosen.records for path in record_paths(place)]
    own = [row for path in paths if (row := record_evidence(path, known)) is not None]
    if chosen.provider == "records" or (chosen.provider == "auto" and os.path.isdir(chosen.response)):
        found = [record_evidence(path, known) for path in record_paths(chosen.response)]
        return "records", [*own, *(row for row in found if row is not None)]
    if chosen.provider == "auto" and (row := record_evidence(chosen.response, known)) is not None:
        return "records", [*own, row]
    answer = read_answer(read_json(chosen.response), chosen.provider)
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
    _check_paths([chosen.answer, *chosen.records, chosen.out or ""])
    claims = quotes.read_claims(read_json(chosen.answer))
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


def read_json(path: str) -> Any:
    """The value in the file; Refusal path_invalid or answer_invalid (too large, no JSON, a key twice)."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            data = file.read(MAX_ANSWER_BYTES + 1)
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    if len(data) > MAX_ANSWER_BYTES:
        raise Refusal("answer_invalid")
    try:
        return json.loads(data, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise Refusal("answer_invalid") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):  # two readers would see two answers
        raise ValueError
    return result


def _check_paths(paths: Sequence[str]) -> None:
    if any(visible.line(path) != path for path in paths):
        raise Refusal("path_invalid")


def _write(out: str | None, kind: str, record: dict[str, Any]) -> str:
    store = Store.open(out)
    name = f"{kind}-{secrets.token_hex(8)}.json"
    store.write(name, json.dumps(record, indent=1).encode() + b"\n")
    return store.path(name)


def _end(result: str, path: str) -> int:
    terminal.write(f"{path}\n")
    return 0 if result == gate.PASSED else refuse(result, path)
