"""One run over a list of sources: who may start, how much room is left, and an index that is true at every moment."""

import contextlib
import json
import os
import secrets
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from guarded_webfetch import __version__
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.robots_cache import forget_old
from guarded_webfetch.broker.side_line import MAX_MESSAGE_BYTES
from guarded_webfetch.broker.store import Store
from guarded_webfetch.broker.url_check import check_url
from guarded_webfetch.core import robots_policy
from guarded_webfetch.core.limits import MAX_PARALLEL_FETCHES, MAX_URL_CHARS
from guarded_webfetch.core.reasons import REASONS, Refusal
from guarded_webfetch.sources import job, template
from guarded_webfetch.sources.fenced import Language
from guarded_webfetch.sources.index import NAME, Entry, Index, file_name
from guarded_webfetch.sources.leftovers import records_folder, remove_leftovers
from guarded_webfetch.sources.outcomes import (
    BUDGET_EXHAUSTED,
    DUPLICATE,
    FLAGGED,
    INTERNAL,
    NOT_FINISHED,
    OK,
    TRUNCATED,
    outcome_of,
)
from guarded_webfetch.sources.turns import NEVER, Turns

GRACE_S: Final = 5.0  # beyond a source's own deadline: to write its record and file
_NO_RECORD_EXITS: Final = frozenset({2, 3})

Show = Callable[[int, str], None]  # (number of a source from 0, what it is doing or how it ended)


class Plan(NamedTuple):
    """What a run is asked for. `folder` and `records` as in Options.out; `records` None: none are kept."""

    urls: list[str]
    folder: str | None
    records: str | None
    language: Language
    max_chars: int
    pause_s: float
    include_flagged: bool


class _Running(NamedTuple):
    pid: int
    line: socket.socket
    until: float


def run(plan: Plan, options: Options, show: Show) -> tuple[str, Index]:
    """The path of the index and what it says. Raises Refusal where nothing can be fetched at all (exit 2 or 3)."""
    store = Store.open(plan.folder)
    store.take_alone()
    remove_leftovers(store)
    forget_old()
    with contextlib.nullcontext(plan.records) if plan.records else records_folder() as records:
        work = _Run(plan, options._replace(out=records), store, show)
        try:
            work.all()
        finally:
            work.stop()
    return store.path(NAME), work.index


class _Run:
    def __init__(self, plan: Plan, options: Options, store: Store, show: Show) -> None:
        self._plan: Final = plan
        self._options: Final = options
        self._store: Final = store
        self._show: Final = show
        self._running: dict[int, _Running] = {}
        self._pauses_s: dict[int, float] = {}  # after a source that has been fetched
        self._poll: Final = select.poll()
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.index = Index(started, __version__, plan.max_chars, plan.language)
        self._texts: list[str] = []  # of the URLs that are fetched, by number
        self._numbers: list[int] = []  # and their numbers in the index
        self._turns = Turns(self._prepare(), MAX_PARALLEL_FETCHES, plan.pause_s)

    def _prepare(self) -> list[str]:
        """Judges every URL by its text and names the files; the hosts of those that will be fetched."""
        hosts: list[str] = []
        seen: set[str] = set()
        for number, text in enumerate(self._plan.urls):
            entry = Entry(text)
            self.index.sources.append(entry)
            try:
                url = check_url(text, self._options)
            except Refusal as refusal:
                entry.outcome = outcome_of(refusal.code)
                entry.url = _shown(text, refusal)
                continue
            if url.text in seen:
                entry.outcome = DUPLICATE
                continue
            seen.add(url.text)
            entry.file = file_name(number + 1, url.host)
            hosts.append(url.host)
            self._texts.append(url.text)
            self._numbers.append(number)
        return hosts

    def all(self) -> None:
        self._save()
        for number, entry in enumerate(self.index.sources):
            if entry.file is None:
                self._show(number, entry.outcome)
        template.warm(tls=any(text.startswith("https:") for text in self._texts))
        while not self._turns.done:
            while (turn := self._turns.next(time.monotonic())) is not None:
                self._start(turn)
            self._wait()
        self.index.finished = True
        self._save()

    def stop(self) -> None:
        """Ends what is still running and takes back the names of files that were never made."""
        for turn in list(self._running):
            self._end(turn, None)
        if not self.index.finished:
            for entry in self.index.sources:
                if not entry.ok and entry.outcome == NOT_FINISHED:
                    entry.file = None
            self._save()

    def _start(self, turn: int) -> None:
        entry = self._entry(turn)
        assert entry.file is not None
        plan = self._plan
        order = job.Order(
            self._texts[turn], plan.folder, entry.file, plan.language, plan.include_flagged, plan.records is not None
        )
        pid, line = job.start(order, self._options)
        self._running[turn] = _Running(pid, line, time.monotonic() + self._options.timeout_s + GRACE_S)
        self._poll.register(line, select.POLLIN)
        self._show(self._numbers[turn], "fetching")

    def _wait(self) -> None:
        """Until a source speaks, its time is over, or another may start."""
        now = time.monotonic()
        wait_s = min(
            [self._turns.wait_s(now), *(running.until - now for running in self._running.values())], default=NEVER
        )
        ready = {fd for fd, _ in self._poll.poll(None if wait_s == NEVER else max(0, int(wait_s * 1_000) + 1))}
        for turn, running in list(self._running.items()):
            if running.line.fileno() in ready:
                self._hear(turn, running.line)
            elif time.monotonic() >= running.until:
                self._finish(turn, "timeout")

    def _hear(self, turn: int, line: socket.socket) -> None:
        try:
            data = line.recv(MAX_MESSAGE_BYTES)
        except ConnectionError:  # it died with a message of ours unread
            data = b""
        message: dict[str, Any] = json.loads(data) if data else {}
        entry = self._entry(turn)
        if message.get("written"):
            self._finish(turn, entry.outcome)
        elif "code" in message:
            self._judge(turn, job.Found(**message))
        else:  # it ended without a word
            self._finish(turn, INTERNAL)

    def _judge(self, turn: int, found: job.Found) -> None:
        """Gives a page room for its file, or ends the source with its outcome."""
        entry = self._entry(turn)
        entry.http_status = found.status
        self._pauses_s[turn] = robots_policy.pause_s(found.crawl_delay_s, self._plan.pause_s)
        if found.code != "ok":
            if REASONS[found.code].exit_code in _NO_RECORD_EXITS:
                raise Refusal(found.code)
            self._finish(turn, outcome_of(found.code))
        elif self.index.chars + found.chars > self._plan.max_chars:
            self._finish(turn, BUDGET_EXHAUSTED)
        else:
            flagged = found.verdict == "confirm" and not self._plan.include_flagged
            entry.outcome = FLAGGED if flagged else TRUNCATED if found.truncated else OK
            entry.nonce, entry.chars = secrets.token_hex(8), found.chars
            with contextlib.suppress(ConnectionError):  # it has died: `_hear` will know
                self._running[turn].line.send(json.dumps({"nonce": entry.nonce}).encode())

    def _finish(self, turn: int, outcome: str) -> None:
        self._end(turn, outcome)
        self._turns.ended(turn, time.monotonic(), self._pauses_s.pop(turn, self._plan.pause_s))
        self._save()
        self._show(self._numbers[turn], outcome)

    def _end(self, turn: int, outcome: str | None) -> None:
        """Reaps the process. Without a finished file the entry names none; `outcome` None leaves it as not finished."""
        running = self._running.pop(turn)
        self._poll.unregister(running.line)
        running.line.close()
        os.kill(running.pid, signal.SIGKILL)
        os.waitpid(running.pid, 0)
        entry = self._entry(turn)
        if outcome is not None:
            entry.outcome = outcome
        entry.ok = outcome in (OK, TRUNCATED)
        if outcome not in (OK, TRUNCATED, FLAGGED):
            entry.file, entry.nonce, entry.chars = None, None, 0

    def _entry(self, turn: int) -> Entry:
        return self.index.sources[self._numbers[turn]]

    def _save(self) -> None:
        self._store.write(NAME, self.index.dumps())


def _shown(text: str, refusal: Refusal) -> str:
    """A refused URL as the index repeats it: not where it may carry a credential."""
    return "" if refusal.code in ("url_secret", "url_userinfo") else text[:MAX_URL_CHARS]
