"""The answers of this user's jobs, what waits for a person, and a log of both: one SQLite file beside the ledger.

A rollback journal and not a write-ahead log: a job writes twice, nobody reads meanwhile for long, and no second file stays behind.
"""

import contextlib
import fcntl
import json
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.job import Answer, Job, next_try

_FILE: Final = "gate.sqlite3"
_LOCK: Final = "gate.lock"
_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_VERSION: Final = 1
_BUSY_S: Final = 30.0
_LOCK_WAIT_S: Final = 0.1
_SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS jobs (
        key TEXT PRIMARY KEY, question TEXT NOT NULL, urls TEXT NOT NULL, answered_by TEXT NOT NULL, attempts INTEGER NOT NULL,
        reason TEXT, next_try_at REAL, result TEXT, changed_at REAL NOT NULL,
        CHECK ((result IS NULL) = (reason IS NOT NULL))) STRICT""",
    """CREATE TABLE IF NOT EXISTS log (
        id INTEGER PRIMARY KEY, at REAL NOT NULL, key TEXT NOT NULL, way TEXT NOT NULL, reason TEXT, sources TEXT NOT NULL) STRICT""",
)
NEEDS_REVIEW: Final = "needs_review"


class Stored(NamedTuple):
    """An answer that counted at `changed_at`, seconds since the epoch."""

    answer: Answer
    changed_at: float


class Waiting(NamedTuple):
    """A job without an answer, as `gate queue` shows it."""

    key: str
    question: str
    urls: list[str]
    attempts: int
    reason: str
    next_try_at: float | None
    changed_at: float


class Entry(NamedTuple):
    """One end of a job. `way` is provider, own_fetch or needs_review; `sources` are rows with url, status and record."""

    at: float
    key: str
    way: str
    reason: str | None
    sources: list[dict[str, Any]]


class JobStore:
    """Opens the file for every access, so that no process that is forked in between inherits it."""

    def __init__(self) -> None:
        """Raises Refusal store_unavailable where an agent might write, or the file is not a private one of this user."""
        folder = user_folders.state()
        if folder is None or user_folders.below_working_folder(folder):
            raise Refusal("store_unavailable")
        self._folder: Final = folder
        try:
            os.makedirs(folder, 0o700, exist_ok=True)
            os.close(_private(os.path.join(folder, _FILE)))
        except OSError:
            raise Refusal("store_unavailable") from None

    @contextlib.contextmanager
    def alone(self, key: str, deadline: Deadline) -> Iterator[None]:
        """Waits until no other process works on `key`. The kernel frees the place however that process ends."""
        fd = _private(os.path.join(self._folder, _LOCK))
        try:
            while True:
                try:
                    fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(key[:15], 16))
                    break
                except BlockingIOError:
                    time.sleep(min(_LOCK_WAIT_S, deadline.remaining_s()))
            yield
        finally:
            os.close(fd)

    def stored(self, key: str) -> Stored | None:
        """The answer to the job, if it has one."""
        with self._opened() as database:
            row = database.execute(
                "SELECT result, changed_at FROM jobs WHERE key = ? AND result IS NOT NULL", (key,)
            ).fetchone()
            return None if row is None else Stored(Answer(**json.loads(row[0])), row[1])

    def begin(self, job: Job, question: str) -> None:
        """Counts a try. Until it ends well the job waits for review; an answer from before stays until it is replaced."""
        now_s = time.time()
        urls = json.dumps([url.text for url in job.required])
        with self._opened() as database:
            database.execute(
                "INSERT INTO jobs VALUES (?, ?, ?, ?, 1, 'interrupted', ?, NULL, ?) ON CONFLICT (key) DO UPDATE SET"
                " attempts = attempts + 1, reason = CASE WHEN result IS NULL THEN 'interrupted' END,"
                " next_try_at = CASE WHEN result IS NULL THEN excluded.next_try_at END",
                (job.key, question, urls, job.answered_by, now_s, now_s),
            )

    def end(self, key: str, answer: Answer) -> None:
        """The answer, or why there is none, together with its line in the log."""
        now_s = time.time()
        with self._opened() as database:
            values: tuple[str | None, str | None, float | None]
            if answer.reason is None:
                values = (json.dumps(answer._asdict()), None, None)
            else:
                (attempts,) = database.execute("SELECT attempts FROM jobs WHERE key = ?", (key,)).fetchone()
                values = (None, answer.reason, next_try(answer.reason, attempts, now_s))
            database.execute(
                "UPDATE jobs SET result = ?, reason = ?, next_try_at = ?, changed_at = ? WHERE key = ?",
                (*values, now_s, key),
            )
            way = answer.way if answer.reason is None else NEEDS_REVIEW
            database.execute(
                "INSERT INTO log (at, key, way, reason, sources) VALUES (?, ?, ?, ?, ?)",
                (now_s, key, way, answer.reason, json.dumps(list(answer.sources))),
            )

    def confirm(self, key: str) -> None:
        """The pages were read again and are the same: the answer counts from now on."""
        with self._opened() as database:
            database.execute("UPDATE jobs SET changed_at = ? WHERE key = ?", (time.time(), key))

    def queue(self) -> list[Waiting]:
        """Jobs without an answer, the oldest first."""
        with self._opened() as database:
            rows = database.execute(
                "SELECT key, question, urls, attempts, reason, next_try_at, changed_at FROM jobs WHERE result IS NULL ORDER BY changed_at"
            ).fetchall()
            return [Waiting(row[0], row[1], json.loads(row[2]), *row[3:]) for row in rows]

    def log(self, limit: int) -> list[Entry]:
        """The last `limit` ends of jobs, the oldest of them first."""
        with self._opened() as database:
            rows = database.execute(
                "SELECT at, key, way, reason, sources FROM log ORDER BY id DESC LIMIT ?", (limit,)
            ).fetchall()
            return [
                Entry(at, key, way, reason, json.loads(sources)) for at, key, way, reason, sources in reversed(rows)
            ]

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """One transaction. What SQLite cannot do is store_unavailable."""
        try:
            database = sqlite3.connect(os.path.join(self._folder, _FILE), timeout=_BUSY_S, isolation_level=None)
            with contextlib.closing(database):
                for setting in ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = FULL"):
                    database.execute(f"PRAGMA {setting}")
                database.execute("BEGIN IMMEDIATE")
                _prepare(database)
                yield database
                database.execute("COMMIT")
        except (sqlite3.Error, ValueError, TypeError):  # ValueError and TypeError: rows nobody here wrote
            raise Refusal("store_unavailable") from None


def _prepare(database: sqlite3.Connection) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in _SCHEMA:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_VERSION}")
    elif version != _VERSION:
        raise sqlite3.DatabaseError("written by another version")


def _private(path: str) -> int:
    """A descriptor of an ordinary file of this user that nobody else may read or write; OSError otherwise."""
    fd = os.open(path, _OPEN, 0o600)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        os.close(fd)
        raise OSError("not a private file")
    return fd
