"""A run, with processes that behave as no page can make them: its index tells the truth about each."""

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import side_line
from guarded_webfetch.broker.options import Options
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources import job, run, template
from guarded_webfetch.sources.run import Plan

Work = Callable[[socket.socket, job.Order], None]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(template, "warm", lambda tls: None)


def index_of(monkeypatch: pytest.MonkeyPatch, work: Work, count: int = 1, timeout_s: float = 20.0) -> dict[str, Any]:
    monkeypatch.setattr(job, "start", lambda order, options: side_line.fork(lambda line: work(line, order)))
    urls = [f"https://site{n}.example.com/" for n in range(count)]
    plan = Plan(urls, "out", None, "en", 1_000, 0.0, False)
    run.run(plan, Options(timeout_s=timeout_s), lambda number, state: None)
    found: dict[str, Any] = json.loads(Path("out/index.json").read_bytes())
    assert found["finished"]
    return found


def said(**found: Any) -> Work:
    return lambda line, order: line.sendall(
        json.dumps(job.Found("ok", 200, "safe", False, 5)._replace(**found)._asdict()).encode()
    )


def writes(line: socket.socket, order: job.Order) -> None:
    said()(line, order)
    nonce = json.loads(line.recv(4_096))["nonce"]
    Path(order.folder or "", order.file).write_text(nonce)
    line.sendall(b'{"written": true}')


def test_a_process_that_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = index_of(monkeypatch, lambda line, order: None)["sources"]
    assert (row["outcome"], row["ok"], row["file"], row["nonce"]) == ("internal", False, None, None)


def test_one_that_ends_before_its_file_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(monkeypatch, said())
    assert (index["sources"][0]["outcome"], index["sources"][0]["file"], index["chars"]) == ("internal", None, 0)


def test_one_that_never_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "GRACE_S", 0.1)
    (row,) = index_of(monkeypatch, lambda line, order: time.sleep(30), timeout_s=0.2)["sources"]
    assert row["outcome"] == "timeout"


@pytest.mark.parametrize(
    ("code", "outcome"),
    [("resource_limit", "resource_limit"), ("child_crashed", "internal"), ("busy", "resource_limit")],
)
def test_reasons_become_outcomes(monkeypatch: pytest.MonkeyPatch, code: str, outcome: str) -> None:
    (row,) = index_of(monkeypatch, said(code=code, status=None, verdict=None, chars=0))["sources"]
    assert (row["outcome"], row["http_status"]) == (outcome, None)


def test_files_are_named_with_their_nonces(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = index_of(monkeypatch, writes, count=6)["sources"]
    assert len({row["nonce"] for row in rows}) == 6
    assert all(Path("out", row["file"]).read_text() == row["nonce"] for row in rows)


def test_the_budget_is_the_run_s(monkeypatch: pytest.MonkeyPatch) -> None:
    def large(line: socket.socket, order: job.Order) -> None:
        said(chars=400)(line, order)
        if line.recv(4_096):
            line.sendall(b'{"written": true}')

    index = index_of(monkeypatch, large, count=3)
    assert sorted(row["outcome"] for row in index["sources"]) == ["budget_exhausted", "ok", "ok"]
    assert index["chars"] == 800


def test_where_nothing_can_be_fetched_the_index_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refusal, match="sandbox_unavailable"):
        index_of(monkeypatch, said(code="sandbox_unavailable"), count=7)
    index = json.loads(Path("out/index.json").read_bytes())
    assert index["finished"] is False
    assert {(row["outcome"], row["file"], row["ok"]) for row in index["sources"]} == {("not_finished", None, False)}
    assert not list(Path("out").glob("*.txt"))
