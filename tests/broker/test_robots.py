"""The gate between a run and robots.txt, and what is kept of an answer. What sites do is in tests/e2e/test_robots.py."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import robots
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.robots import Gate
from guarded_webfetch.broker.robots_cache import Shelf, forget_old
from guarded_webfetch.core.limits import MAX_ROBOTS_BYTES, ROBOTS_KEPT_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.robots_policy import Known, Policy
from guarded_webfetch.core.url_policy import parse_url

URL = parse_url("https://docs.example.com/a?b")
ORIGIN = "https://docs.example.com"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/guarded-webfetch/robots"


def asked(monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Any], policy: Policy) -> Gate:
    monkeypatch.setattr(robots, "_serve", serve)
    deadline = Deadline.after(5.0, "fetch_deadline")
    with Gate(Options(robots=policy)) as gate:
        time.sleep(0.02)
        gate.ask(URL, deadline)
        gate.check(deadline)
    return gate


def answers(code: str, delay_s: float = 0.0) -> Callable[..., None]:
    def serve(line: Any, _options: Options) -> None:
        assert json.loads(line.recv(4_096))["url"] == URL.text
        line.sendall(json.dumps(robots.Answer(code, delay_s)._asdict()).encode())

    return serve


@pytest.mark.parametrize("code", ["robots_disallowed", "robots_unavailable", "dns_no_answer", "sandbox_unavailable"])
def test_obeying_ends_the_run(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    with pytest.raises(Refusal, match=code):
        asked(monkeypatch, answers(code), "obey")


@pytest.mark.parametrize(
    ("code", "noted"),
    [("ok", False), ("robots_disallowed", True), ("robots_unavailable", True), ("dns_no_answer", False)],
)
def test_noting_goes_on(monkeypatch: pytest.MonkeyPatch, code: str, noted: bool) -> None:
    gate = asked(monkeypatch, answers(code, 2.5), "note")
    assert (gate.disallowed, gate.crawl_delay_s) == (noted, 2.5)


def test_a_lost_prerequisite_ends_also_a_run_that_only_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refusal, match="sandbox_unavailable"):
        asked(monkeypatch, answers("sandbox_unavailable"), "note")


@pytest.mark.parametrize("dies", [lambda line, _: None, lambda line, _: line.recv(4_096), lambda line, _: line.close()])
def test_an_asker_that_ends_without_a_word_allows_nothing(
    monkeypatch: pytest.MonkeyPatch, dies: Callable[..., Any]
) -> None:
    with pytest.raises(Refusal, match="robots_unavailable"):
        asked(monkeypatch, dies, "obey")


def test_a_silent_one_ends_with_the_url_s_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "_serve", lambda line, _: time.sleep(60))
    deadline = Deadline.after(0.1, "fetch_deadline")
    with pytest.raises(Refusal, match="fetch_deadline"), Gate(Options(robots="obey")) as gate:
        gate.ask(URL, deadline)
        gate.check(deadline)


# ---------------------------------------------------------------- what is kept


@pytest.mark.parametrize(
    "body", [b"", b"user-agent: *\n", b"\n\nguarded-webfetch/robots@1 allow_all 1\n", b"\0" * MAX_ROBOTS_BYTES + b"x"]
)
def test_bytes_come_back_as_they_were(body: bytes) -> None:
    Shelf(ORIGIN).keep(Known("rules", 1_790_000_000.0, body))
    assert (Shelf(ORIGIN).head(), Shelf(ORIGIN).body()) == (Known("rules", 1_790_000_000.0), body)
    assert Shelf("http://docs.example.com").head() is None


@pytest.mark.parametrize(
    "data", [b"", b"x", b"guarded-webfetch/robots@1 maybe 1\n", b"guarded-webfetch/robots@1 rules -1\n", b"\xff" * 200]
)
def test_what_is_no_answer_of_ours_is_none(folder: Path, data: bytes) -> None:
    Shelf(ORIGIN).keep(Known("allow_all", 1.0))
    (kept,) = folder.glob("*.robots")
    assert Shelf(ORIGIN).head() == Known("allow_all", 1.0)
    kept.write_bytes(data)
    assert Shelf(ORIGIN).head() is None


def test_nothing_is_kept_where_an_agent_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "work/state"))
    Shelf(ORIGIN).keep(Known("allow_all", 1.0))
    assert Shelf(ORIGIN).head() is None
    assert list((tmp_path / "work").iterdir()) == []
    assert forget_old() == 0


@pytest.mark.parametrize(("age_s", "gone"), [(ROBOTS_KEPT_S - 60, 0), (ROBOTS_KEPT_S + 1, 1)])
def test_old_answers_are_forgotten(folder: Path, age_s: float, gone: int) -> None:
    Shelf(ORIGIN).keep(Known("allow_all", 1.0))
    (folder / "notes").write_text("mine")
    for path in folder.iterdir():
        os.utime(path, (time.time() - age_s,) * 2)
    assert forget_old() == gone
    assert (folder / "notes").exists()
