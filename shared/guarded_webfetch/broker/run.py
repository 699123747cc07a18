"""One run from a checked command line to a written record. The only place that knows the order of things."""

import hashlib
import os
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Level, Options
from guarded_webfetch.broker.store import Store
from guarded_webfetch.broker.url_check import check_url
from guarded_webfetch.core.limits import BROKER_MEMORY_BYTES
from guarded_webfetch.core.messages import ContentKind, ParseOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, WIDE_PORTS, parse_url
from guarded_webfetch.isolation import process

if TYPE_CHECKING:  # what is needed after the fork is loaded while the children import theirs
    from guarded_webfetch.broker import content, network
    from guarded_webfetch.broker.assemble import Result, Run
    from guarded_webfetch.broker.robots import Gate
    from guarded_webfetch.core.url_policy import Url

_NO_RECORD_EXITS: Final = frozenset({2, 3, 70})
_ABOUT_CONTENT: Final = frozenset({5, 6})  # exit codes of reasons that speak of the site and its page
_SUFFIX_KINDS: Final[dict[str, ContentKind]] = {
    "pdf": "pdf", "json": "text", "txt": "text", "csv": "text", "md": "text", "xml": "text", "rss": "text",
}  # fmt: skip
Mode = Literal["direct", "proxy", "none"]  # how the record names the way to the network
_UNSHOWN: Final = frozenset({"url_secret", "url_userinfo", "url_too_long"})


class Written(NamedTuple):
    """How a run ended and where its record is."""

    code: str  # "ok" or a reason code
    path: str
    verdict: str | None
    crawl_delay_s: float = 0.0  # what the site asks for between two requests, where its robots.txt was asked


class LocalFile(NamedTuple):
    """Input of `sanitize`: bytes, and what the person says about them."""

    content: bytes
    kind: ContentKind
    base_url: str
    charset: str | None


def fetch(url_text: str, options: Options) -> Written:
    """Fetches one URL and writes its record, also for a failure. Raises Refusal only where none is written (exit 2, 3, 70)."""
    return _fetch(_Session(options, _mode(options)), url_text, options)


def follow(record_path: str, link: str, options: Options) -> Written:
    """Fetches what link `link` ("L3") of an earlier record leads to; that gives the URL no privilege over a typed one."""
    from guarded_webfetch.broker import link_source

    session = _Session(options, _mode(options))
    try:
        url_text = link_source.url_of(record_path, link)
    except Refusal as refusal:
        return session.fail(refusal, None, None)
    return _fetch(session, url_text, options)


def _mode(options: Options) -> Mode:
    return "proxy" if options.proxy else "direct"


def _fetch(session: "_Session", url_text: str, options: Options) -> Written:
    try:
        url = check_url(url_text, options)
    except Refusal as refusal:
        return session.fail(refusal, None, _shown(url_text, refusal.code))
    progress = None
    try:
        session.store.take_slot(session.deadline)
        look_up = bool(options.proxy) or not url.is_literal
        with session.gate(url) as gate, session.crew(_guess_kind(url.target), look_up=look_up) as crew:
            from guarded_webfetch.broker import network

            progress = network.Progress(url)
            body = network.fetch(progress, options, crew, session.deadline, gate)
            session.mark("fetched", "reading …")
            order: ParseOrder = {
                "kind": body.kind,
                "content_type": body.essence,
                "charset_header": body.charset,
                "base_url": progress.url.text,
                "truncated": body.truncated,
            }
            code, read = session.judge(body, order, network.chosen_urls(progress), crew)
    except Refusal as refusal:
        return session.fail(refusal, progress, url.text)
    if code != "ok" or read is None:
        return session.fail(Refusal(code), progress, url.text, read)
    return session.succeed(url.text, progress, body, read)


def sanitize(file: LocalFile, options: Options) -> Written:
    """Reads a local file with the same parser and sanitizer and no network; its record names no URL."""
    from guarded_webfetch.broker import network

    session = _Session(options, "none")
    digest = hashlib.sha256(file.content).hexdigest()
    body = network.Body(file.content, digest, file.kind, file.kind == "text", "", file.charset, False, False)
    order: ParseOrder = {
        "kind": file.kind,
        "content_type": "",
        "charset_header": file.charset,
        "base_url": file.base_url,
        "truncated": False,
    }
    try:
        with session.crew(file.kind, network=False) as crew:
            read = session.read(body, order, [], crew)
    except Refusal as refusal:
        return session.fail(refusal, None, None)
    return session.succeed(None, None, body, read)


class _Session:
    """What the broker knows of its own run: start, deadline, folder, timings, isolation."""

    def __init__(self, options: Options, mode: Mode) -> None:
        process.protect_broker(BROKER_MEMORY_BYTES)
        self._started_s: Final = time.time()
        self._options: Final = options
        self._network: Final = {"mode": mode, "ip_pinned": None if mode == "none" else mode == "direct"}
        self._timings_ms: Final[dict[str, float]] = {}
        self._crew: Crew | None = None
        self._gate: Gate | None = None
        self.deadline: Final = Deadline.after(
            options.timeout_s, "parse_deadline" if mode == "none" else "fetch_deadline"
        )
        self.store: Final = Store.open(options.out)

    def gate(self, url: "Url") -> "AbstractContextManager[Gate | None]":
        """What asks robots.txt, where the run heeds it; it is at work on `url` while the crew starts."""
        if self._options.robots == "ignore":
            return nullcontext()
        from guarded_webfetch.broker.robots import Gate

        self._gate = Gate(self._options)
        self._gate.ask(url, self.deadline)
        return self._gate

    def crew(self, kind: ContentKind, *, network: bool = True, look_up: bool = True) -> Crew:
        self.show("fetching …" if network else "reading …")
        required = self._options.require_isolation
        self._crew = Crew(kind, required, self.deadline, network=network, look_up=look_up)
        from guarded_webfetch.broker import files  # noqa: F401 - while the children import what they need

        return self._crew

    def read(self, body: "network.Body", order: ParseOrder, urls: list[str], crew: Crew) -> "content.Content":
        from guarded_webfetch.broker import content

        source = content.Source(body.content, body.verbatim, order)
        read = content.read(source, urls, self._options, crew, self.deadline.named("parse_deadline"))
        self.mark("read")
        return read

    def judge(
        self, body: "network.Body", order: ParseOrder, urls: list[str], crew: Crew
    ) -> tuple[str, "content.Content | None"]:
        """("ok", the content), or the reason code of an answer that is an error and what could be read of its page.

        Such a page may say that it is a challenge or a form to log in, and it is matched; it is never delivered.
        """
        if body.refused is None:
            return "ok", self.read(body, order, urls, crew)
        from guarded_webfetch.core import http_status

        try:
            return body.refused, self.read(body, order, [], crew)
        except Refusal as refusal:
            if refusal.reason.exit_code not in _ABOUT_CONTENT:
                raise
            return (refusal.code if refusal.code in http_status.TOLD_BY_PAGE else body.refused), None

    def mark(self, stage: str, next_stage: str = "") -> None:
        """Notes the milliseconds since the start at which `stage` was done, and shows a person what comes next."""
        self._timings_ms[stage] = round((time.time() - self._started_s) * 1000, 1)
        self.show(next_stage)

    def show(self, stage: str) -> None:
        """One line on a terminal, replaced by the next one; nothing where stderr is read by a program."""
        if not self._options.quiet and os.isatty(2):
            os.write(2, f"\r\x1b[K{stage}".encode())

    def succeed(
        self,
        requested_url: str | None,
        progress: "network.Progress | None",
        body: "network.Body",
        read: "content.Content",
    ) -> Written:
        from guarded_webfetch.broker import assemble

        result = assemble.success(self._run(requested_url), progress, body, read)
        return self._write("result", result, read)

    def fail(
        self,
        refusal: Refusal,
        progress: "network.Progress | None",
        requested_url: str | None,
        page: "content.Content | None" = None,
    ) -> Written:
        from guarded_webfetch.broker import assemble

        if refusal.reason.exit_code in _NO_RECORD_EXITS:
            self.show("")
            raise refusal
        return self._write("failure", assemble.failure(self._run(requested_url), progress, refusal.code, page), None)

    def _run(self, requested_url: str | None) -> "Run":
        from guarded_webfetch.broker.assemble import Run

        return Run(
            requested_url=requested_url,
            started_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started_s)),
            level=self._level(),
            network=self._network,
            loosened=self._options.loosened(),
            allowed_origins=self._options.allowed_origins,
            nonce=os.urandom(8).hex(),
            robots_disallowed=self._gate is not None and self._gate.disallowed,
        )

    def _level(self) -> Level:
        return self._crew.level() if self._crew else self._options.require_isolation

    def _write(self, prefix: Literal["result", "failure"], result: "Result", read: "content.Content | None") -> Written:
        from guarded_webfetch.broker import files

        self.show("")
        isolation: dict[str, Any] = dict(self._crew.isolation) if self._crew else {}
        cpu_ms = {f"{role}_cpu": spent for role, spent in self._crew.cpu_ms().items()} if self._crew else {}
        trace = files.trace(self._timings_ms | cpu_ms, isolation, self._options, read)
        path = files.write(self.store, prefix, result, trace, self._options)
        crawl_delay_s = self._gate.crawl_delay_s if self._gate else 0.0
        return Written(result.record.outcome, path, result.record.verdict, crawl_delay_s)


def _guess_kind(target: str) -> ContentKind:
    """What a URL looks like it leads to, so that a parser can warm up for it; a wrong guess costs time, nothing else."""
    return _SUFFIX_KINDS.get(target.partition("?")[0].rpartition(".")[2].lower(), "html")


def _shown(url_text: str, code: str) -> str | None:
    """A refused URL as the record keeps it: percent-encoded as typed, or only its origin when it may carry a credential."""
    if code == "url_secret":
        return parse_url(url_text, ports=DEFAULT_PORTS | WIDE_PORTS).origin
    if code in _UNSHOWN or "@" in url_text:
        return None
    encoded = "".join(char if "!" <= char <= "~" else _percent(char) for char in url_text)
    return encoded if 0 < len(encoded) <= 6_000 else None


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
