"""`gate run`, for a person or a job: an answer that rests on sources that were fetched, or an entry in the queue."""

import json
import os
from typing import Any, Final

from guarded_webfetch import __version__
from guarded_webfetch.broker.assemble import fence
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.store import Store, shown_path
from guarded_webfetch.broker.url_check import check_url
from guarded_webfetch.commands import config, gate_input, terminal
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.outcome import refuse
from guarded_webfetch.core.limits import MAX_QUESTION_CHARS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence import job_run
from guarded_webfetch.evidence.job import SCHEMA, Answer, Job
from guarded_webfetch.summary import settings

_PROVIDERS: Final = ("auto", "gemini", "anthropic", "openai")
_MAX_AGE_HOURS: Final = 24.0


def run(argv: list[str]) -> int:
    """0 with an answer, 11 without one; the path of the file that says so on stdout in both cases.

    Raises Refusal usage_invalid, path_invalid, answer_invalid, config_invalid, store_unavailable, busy, the reasons of parse_url, and
    those of exit code 3.
    """
    chosen = _parser().parse_args(argv)
    gate_input.check_paths([chosen.prompt, chosen.response or "", *chosen.records])
    required = gate_input.required_urls(chosen.require)
    options = config.apply(Options())
    for url in required:
        check_url(url.text, options)
    policy = gate_input.policy(chosen, required)
    known = options.summaries or settings.Settings()
    summarizer = settings.choose(known, chosen.answer_with, os.environ.get("PATH", ""))
    out = shown_path(chosen.out) if chosen.out else options.out
    options = options._replace(out=out, summaries=None, summary="none", raw_html=False, quiet=True)
    job = Job(_question(chosen.prompt), required, policy, chosen.answer_with, chosen.quotes)
    if not 0 <= chosen.max_age <= 24 * 365:
        raise Refusal("usage_invalid")
    response = (lambda: gate_input.read_json(chosen.response)) if chosen.response else None
    given = job_run.Given(
        response, chosen.provider, chosen.records, frozenset(chosen.record_sha256), chosen.max_age * 3_600
    )
    answer = job_run.run(job, chosen.prompt, given, summarizer, options)
    path = _write(out, job, answer)
    terminal.write(f"{path}\n")
    return 0 if answer.reason is None else refuse("needs_review", path)


def _parser() -> Arguments:
    arguments = Arguments(
        "gate run", "Answer a question from sources that were really fetched, or say that nobody could."
    )
    arguments.add_argument("--prompt", required=True, metavar="FILE", help="the question, UTF-8 text")
    gate_input.add_policy(arguments)
    arguments.add_argument(
        "--answer-with", required=True, metavar="WHO", help="codex, claude or command:NAME of the config file"
    )
    arguments.add_argument("--response", metavar="FILE", help="what a provider answered already, as JSON")
    arguments.add_argument("--provider", choices=_PROVIDERS, default="auto")
    arguments.add_argument("--quotes", action="store_true", help="every claim must quote a page word for word")
    arguments.add_argument(
        "--max-age", type=float, default=_MAX_AGE_HOURS, metavar="HOURS",
        help="an older answer counts only if its pages are read again and are the same (default: 24)",
    )  # fmt: skip
    arguments.add_argument("--out", metavar="DIR", help="where the answer and the records go")
    return arguments


def _question(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            data = file.read(4 * MAX_QUESTION_CHARS + 1)
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("usage_invalid") from None
    if not 0 < len(text.strip()) <= MAX_QUESTION_CHARS:
        raise Refusal("usage_invalid")
    return text


def _write(out: str | None, job: Job, answer: Answer) -> str:
    """One file for a job, so that the same job writes the same one: nothing is doubled."""
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "result": "passed" if answer.reason is None else "needs_review",
        "reason": answer.reason,
        "way": answer.way,
        "key": job.key,
        "answered_by": job.answered_by,
        "sources": answer.sources,
        "claims": answer.claims,
        "tool_version": __version__,
        "fence": fence(os.urandom(8).hex()),
        "answer": answer.text,
    }
    store = Store.open(out)
    name = f"answer-{job.key[:16]}.json"
    store.write(name, json.dumps(record, ensure_ascii=False, indent=1).encode() + b"\n")
    return store.path(name)
