"""One job from its question to an answer that counts: the provider's answer, else an own fetch and an answer closed to it, else nothing."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.record_reader import RecordFiles, read_record
from guarded_webfetch.core.limits import MAX_JOB_S
from guarded_webfetch.core.reasons import REASONS, Refusal
from guarded_webfetch.evidence import answering, gate, own_fetch, quotes
from guarded_webfetch.evidence.evidence import OWN_FETCH, Evidence
from guarded_webfetch.evidence.job import Answer, Job, Way
from guarded_webfetch.evidence.job_store import JobStore, Stored
from guarded_webfetch.evidence.own_fetch import Fetched
from guarded_webfetch.evidence.own_records import record_evidence, record_paths
from guarded_webfetch.evidence.provider_texts import answer_text
from guarded_webfetch.evidence.providers import read_answer
from guarded_webfetch.evidence.side_process import SideProcess
from guarded_webfetch.summary.settings import Summarizer

_STOPPING_EXITS: Final = frozenset({2, 3})  # reasons that speak of this machine and not of a page


class Given(NamedTuple):
    """What the caller has already. `response` is called once, after every fork; `max_age_s`: of an answer that is not checked again."""

    response: Callable[[], Any] | None
    provider: str
    records: Sequence[str]
    known_sha256: frozenset[str]
    max_age_s: float


class _Page(NamedTuple):
    path: str
    files: RecordFiles
    evidence: Evidence


def run(job: Job, question_name: str, given: Given, summarizer: Summarizer, options: Options) -> Answer:
    """The job's answer. Of several processes with the same job one works, and the others take its answer.

    Raises Refusal store_unavailable, busy, answer_invalid, and those of exit code 3.
    """
    store = JobStore()
    with store.alone(job.key, Deadline.after(MAX_JOB_S, "busy")):
        stored = store.stored(job.key)
        if stored is not None and time.time() - stored.changed_at < given.max_age_s:
            return stored.answer
        store.begin(job, question_name)
        with contextlib.ExitStack() as processes:
            model = processes.enter_context(answering.start(summarizer, options))
            cleaner = processes.enter_context(answering.start(summarizer, options)) if given.response else None
            network = processes.enter_context(own_fetch.start(options))
            answer = _Work(job, given, _Sides(model, cleaner, network), options).answer(stored)
        if stored is not None and answer is stored.answer:
            store.confirm(job.key)
        else:
            store.end(job.key, answer)
        return answer


class _Sides(NamedTuple):
    """The processes of a run, forked before it reads anything; `cleaner` is for a provider's words."""

    model: SideProcess
    cleaner: SideProcess | None
    network: SideProcess


class _Work:
    def __init__(self, job: Job, given: Given, sides: _Sides, options: Options) -> None:
        self._job: Final = job
        self._given: Final = given
        self._sides: Final = sides
        self._options: Final = options
        self._outcomes: dict[str, str] = {}  # of own fetches, by URL

    def answer(self, stored: Stored | None) -> Answer:
        """`stored` itself where the pages have not changed since."""
        pages = [page for page in self._given_pages() if page.evidence.status in ("success", "flagged")]
        if self._given.response and self._sides.cleaner:
            found = self._from_provider(self._given.response(), self._sides.cleaner, pages)
            if found is not None:
                return found
        pages += self._fetched([url.text for url in self._job.required if _page_of(url, pages) is None])
        return self._from_pages(pages, stored)

    def _given_pages(self) -> list[_Page]:
        paths = [path for place in self._given.records for path in record_paths(place)]
        return [page for path in paths if (page := self._page(path)) is not None]

    def _fetched(self, urls: list[str]) -> list[_Page]:
        fetched: list[Fetched] = own_fetch.fetch(self._sides.network, urls, self._options) if urls else []
        for row in fetched:
            self._outcomes[row.url] = row.code
            if row.path is None and REASONS[row.code].exit_code in _STOPPING_EXITS:
                raise Refusal(row.code)
        return [page for row in fetched if row.path and (page := self._page(row.path)) is not None]

    def _page(self, path: str) -> _Page | None:
        evidence = record_evidence(path, self._given.known_sha256)
        try:
            return None if evidence is None else _Page(path, read_record(path), evidence)
        except Refusal:
            return None

    def _from_provider(self, response: Any, cleaner: SideProcess, pages: Sequence[_Page]) -> Answer | None:
        """The provider's answer, or that a person must look; None when pages have to be fetched."""
        answer = read_answer(response, self._given.provider)
        if answer is None:
            raise Refusal("answer_invalid")
        verdict = gate.decide(
            self._job.required, [*answer.evidence, *(page.evidence for page in pages)], self._job.policy
        )
        if verdict.result == gate.NEEDS_REVIEW:
            return self._none(_reason(verdict), verdict, pages)
        text = answer_text(response, answer.provider)
        if verdict.result != gate.PASSED or not text:
            return None
        said = _said(answering.sanitized(cleaner, text))
        if said.outcome == "answer_flagged":
            return self._none(said.outcome, verdict, pages)
        claims = self._claims(said, pages)
        if said.outcome != "ok" or isinstance(claims, str):
            return None
        return self._answer("provider", said, claims, verdict, pages)

    def _from_pages(self, pages: Sequence[_Page], stored: Stored | None) -> Answer:
        verdict = self._own_verdict(pages)
        if verdict.result != gate.PASSED:
            return self._none(_reason(verdict), verdict, pages)
        used = [page for url in self._job.required if (page := _page_of(url, pages)) is not None]
        used = list({page.path: page for page in used}.values())
        if stored is not None and stored.answer.way == "own_fetch" and stored.answer.content == self._content(pages):
            return stored.answer
        sources = [answering.Source(page.path, page.files.record_sha256) for page in used]
        said = _said(answering.answer(self._sides.model, self._job.question, sources, as_quotes=self._job.as_quotes))
        if said.outcome != "ok":
            return self._none(said.outcome, verdict, pages)
        again = [page for before in used if (page := self._page(before.path)) is not None]
        if self._own_verdict(again).result != gate.PASSED or self._content(again) != self._content(used):
            return self._none("source_changed", verdict, pages)
        claims = self._claims(said, used)
        if isinstance(claims, str):
            return self._none(claims, verdict, pages)
        return self._answer("own_fetch", said, claims, verdict, pages)

    def _own_verdict(self, pages: Sequence[_Page]) -> gate.Verdict:
        policy = self._job.policy._replace(level=OWN_FETCH)
        return gate.decide(self._job.required, [page.evidence for page in pages], policy)

    def _claims(self, said: answering.Said, pages: Sequence[_Page]) -> list[dict[str, Any]] | str | None:
        """Each claim with the place of its quote, None for an answer in prose, or the reason why they do not count."""
        if said.quotes is None:
            return "no_quotes" if self._job.as_quotes else None
        texts = {page.path: page.files.record["raw_text"] for page in pages if page.evidence.status == "success"}
        places = quotes.find_quotes([quotes.Claim("", quote) for quote in said.quotes], texts)
        if any(place.found != "found" for place in places):
            return "quote_missing"
        return [
            {"claim": text, "record": place.record, "offset": place.offset, "chars": place.chars}
            for text, place in zip(said.paragraphs, places, strict=True)
        ]

    def _content(self, pages: Sequence[_Page]) -> dict[str, str]:
        """The hash of the text of every required page that was read."""
        found = {url.text: _page_of(url, pages) for url in self._job.required}
        return {url: _text_sha256(page) for url, page in found.items() if page is not None}

    def _answer(
        self,
        way: Way,
        said: answering.Said,
        claims: list[dict[str, Any]] | None,
        verdict: gate.Verdict,
        pages: Sequence[_Page],
    ) -> Answer:
        text = "\n\n".join(said.paragraphs)
        return Answer(way, None, text, claims, self._sources(verdict, pages), self._content(pages))

    def _none(self, reason: str, verdict: gate.Verdict, pages: Sequence[_Page]) -> Answer:
        return Answer(None, reason, None, None, self._sources(verdict, pages), {})

    def _sources(self, verdict: gate.Verdict, pages: Sequence[_Page]) -> list[Mapping[str, Any]]:
        """One row for each required URL: how it is proven, by which record, and how an own fetch ended."""
        rows: list[Mapping[str, Any]] = []
        for url, finding in zip(self._job.required, verdict.findings, strict=True):
            page = _page_of(url, pages)
            rows.append(
                {
                    "url": finding.url,
                    "status": finding.status,
                    "level": None if finding.level < 0 else finding.level,
                    "fetch": self._outcomes.get(url.text),
                    "record": page.path if page else None,
                    "record_sha256": page.files.record_sha256 if page else None,
                    "text_sha256": _text_sha256(page) if page else None,
                }
            )
        return rows


def _said(said: answering.Said) -> answering.Said:
    """`said`, unless it speaks of this machine: then no job can be done here."""
    if said.outcome in REASONS:
        raise Refusal(said.outcome)
    return said


def _page_of(url: Any, pages: Sequence[_Page]) -> _Page | None:
    """The first of `pages` that proves by itself that `url` was fetched."""
    alone = gate.Policy(OWN_FETCH, 1)
    return next((page for page in pages if gate.decide([url], [page.evidence], alone).result == gate.PASSED), None)


def _text_sha256(page: _Page) -> str:
    return hashlib.sha256(page.files.record["raw_text"].encode()).hexdigest()


def _reason(verdict: gate.Verdict) -> str:
    """The status of the first source that stands in the way: one for a person before others."""
    failing = [finding.status for finding in verdict.findings if not finding.passed]
    return next((status for status in gate.ORDER if status in failing), "not_attempted")
