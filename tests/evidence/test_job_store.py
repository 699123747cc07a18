"""The file of jobs: private, out of an agent's reach, and nothing of it believed that this version did not write."""

import json
import os
import sqlite3
from pathlib import Path
from typing import get_args

import pytest

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import parse_url
from guarded_webfetch.evidence import job_store
from guarded_webfetch.evidence.evidence import Status
from guarded_webfetch.evidence.gate import ORDER, Policy
from guarded_webfetch.evidence.job import FOR_PEOPLE, NO_ANSWER, Answer, Job, next_try
from guarded_webfetch.evidence.job_store import JobStore
from tests.evidence.job_setting import A, B, log, queue

JOB = Job("Why?", [parse_url(A), parse_url(B)], Policy(2, 2), "codex", False)
GOOD = Answer("own_fetch", None, "Because.", None, [{"url": A, "status": "success"}], {A: "00"})
NONE = Answer(None, "error", None, None, [{"url": A, "status": "error"}], {})


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/guarded-webfetch"


def code() -> str:
    with pytest.raises(Refusal) as refused:
        JobStore().queue()
    return refused.value.code


def test_the_key_is_that_of_what_was_asked() -> None:
    assert JOB.key == JOB._replace(required=JOB.required[::-1]).key
    others = {
        JOB._replace(question="Why!").key, JOB._replace(required=JOB.required[:1]).key, JOB._replace(policy=Policy(3, 2)).key,
        JOB._replace(policy=Policy(2, 1)).key, JOB._replace(answered_by="claude").key, JOB._replace(as_quotes=True).key, JOB.key,
    }  # fmt: skip
    assert len(others) == 7


def test_a_job_from_its_first_try_to_its_answer() -> None:
    store = JobStore()
    assert store.stored(JOB.key) is None
    store.begin(JOB, "why.txt")
    assert queue() == [("interrupted", 1)] and store.stored(JOB.key) is None
    store.end(JOB.key, NONE)
    assert (queue(), log(), store.stored(JOB.key)) == ([("error", 1)], [("needs_review", "error")], None)
    store.begin(JOB, "why.txt")
    store.end(JOB.key, GOOD)
    found = store.stored(JOB.key)
    assert found and found.answer == GOOD and queue() == []
    store.begin(JOB, "why.txt")  # a try that is killed loses no answer
    assert store.stored(JOB.key) == found and queue() == []
    assert log() == [("needs_review", "error"), ("own_fetch", None)]


def test_only_this_user_reads_it(state: Path) -> None:
    JobStore().begin(JOB, "why.txt")
    assert {path.name for path in state.iterdir()} == {"gate.sqlite3"}
    assert (state / "gate.sqlite3").stat().st_mode & 0o777 == 0o600
    (state / "gate.sqlite3").chmod(0o644)
    assert code() == "store_unavailable"


def test_never_where_an_agent_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "work/state"))
    assert code() == "store_unavailable"


def test_a_link_is_not_followed(state: Path, tmp_path: Path) -> None:
    state.mkdir(parents=True)
    os.symlink(tmp_path / "elsewhere", state / "gate.sqlite3")
    assert code() == "store_unavailable"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 500])
def test_what_is_no_database(state: Path, content: bytes) -> None:
    state.mkdir(parents=True)
    (state / "gate.sqlite3").write_bytes(content)
    (state / "gate.sqlite3").chmod(0o600)
    assert code() == "store_unavailable"


def test_what_another_program_wrote_is_not_believed(state: Path) -> None:
    store = JobStore()
    store.begin(JOB, "why.txt")
    store.end(JOB.key, GOOD)
    with sqlite3.connect(state / "gate.sqlite3") as database:
        database.execute("UPDATE jobs SET result = ?", (json.dumps({"text": "no answer of ours"}),))
    with pytest.raises(Refusal) as refused:
        store.stored(JOB.key)
    assert refused.value.code == "store_unavailable"
    with sqlite3.connect(state / "gate.sqlite3") as database:
        database.execute("PRAGMA user_version = 2")
    assert code() == "store_unavailable"


def test_schemas_are_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    store = JobStore()
    seen: list[tuple[int]] = []
    monkeypatch.setattr(
        job_store, "_prepare", lambda database: seen.append(database.execute("PRAGMA trusted_schema").fetchone())
    )
    with pytest.raises(Refusal):  # without its tables
        store.queue()
    assert seen == [(0,)]


def test_a_try_is_due_later_each_time_or_after_a_person() -> None:
    waits = [next_try("error", attempts, 0.0) for attempts in (1, 2, 3, 4, 5, 6, 50)]
    assert waits == [3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400]
    assert all(next_try(reason, 1, 0.0) is None for reason in FOR_PEOPLE)


def test_every_reason_of_a_job_is_a_fixed_word() -> None:
    """What people read in the queue: a status of a source, or a word with its own sentence."""
    statuses = set(get_args(Status))
    assert not statuses & NO_ANSWER.keys()
    assert statuses | NO_ANSWER.keys() >= FOR_PEOPLE
    assert set(ORDER) == statuses
