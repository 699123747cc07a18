"""The limits of a list of sources, one below, at, and one above."""

from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker.options import Options
from guarded_webfetch.commands import sources
from guarded_webfetch.core.limits import MAX_PARALLEL_FETCHES, MAX_TIMEOUT_S, MAX_URL_CHARS, MAX_URLS_PER_RUN
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources import run as run_module
from guarded_webfetch.sources.index import MAX_INDEX_BYTES, Entry, Index
from guarded_webfetch.sources.turns import Turns

URL = "https://example.com/?"


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The plans that came as far as a run, which then finds all it was asked for."""
    plans: list[Any] = []

    def run(plan: Any, options: Any, show: Any) -> tuple[str, Index]:
        plans.append((plan, options))
        return "index.json", Index("", "", 1, "en", [Entry(url, ok=True) for url in plan.urls])

    monkeypatch.setattr(run_module, "run", run)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return plans


def code(argv: list[str], run: Any = sources.run) -> str:
    try:
        return str(run(argv))
    except Refusal as refusal:
        return refusal.code


@pytest.mark.parametrize(("more", "ended"), [(-1, "0"), (0, "0"), (1, "usage_invalid")])
@pytest.mark.parametrize("run", [sources.run, sources.run_agent])
def test_number_of_urls(asked: list[Any], run: Any, more: int, ended: str) -> None:
    assert code([f"{URL}{n}" for n in range(MAX_URLS_PER_RUN + more)], run) == ended
    assert len(asked) == (ended == "0")


@pytest.mark.parametrize(
    ("count", "ended"), [(-1, "usage_invalid"), (0, "0"), (1, "0"), (2, "0"), (3, "usage_invalid")]
)
def test_min_ok(count: int, ended: str) -> None:
    assert code([f"{URL}1", f"{URL}2", "--min-ok", str(count)]) == ended


@pytest.mark.parametrize(
    ("seconds", "ended"),
    [(MAX_TIMEOUT_S - 1, "0"), (MAX_TIMEOUT_S, "0"), (MAX_TIMEOUT_S + 1, "usage_invalid"), (0, "usage_invalid")],
)
def test_timeout(seconds: float, ended: str) -> None:
    assert code([URL, "--timeout", str(seconds)]) == ended
    assert code([URL, "--timeout", "nan"]) == "usage_invalid"


@pytest.mark.parametrize("option", ["--max-chars", "--pause"])
@pytest.mark.parametrize("value", ["-1", "x"])
def test_numbers_that_are_none(option: str, value: str) -> None:
    assert code([URL, option, value]) == "usage_invalid"


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_bytes_of_a_list(asked: list[Any], tmp_path: Path, more: int) -> None:
    size = 4 * MAX_URL_CHARS * MAX_URLS_PER_RUN + more
    (tmp_path / "list").write_bytes(f"{URL}1\n#".encode().ljust(size, b"x"))
    assert code(["--list", "list"]) == ("usage_invalid" if more > 0 else "0")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_length_of_a_url(more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused beyond, never cut; the index repeats it whole."""
    text = URL.ljust(MAX_URL_CHARS + more, "u")
    plan = run_module.Plan([text], str(tmp_path / "out"), None, "en", 1, 0.0, False)
    work = run_module._Run(plan, Options(), run_module.Store.open("out"), lambda number, state: None)
    (entry,) = work.index.sources
    assert (entry.outcome, entry.file is None) == (("refused_by_policy", True) if more > 0 else ("not_finished", False))
    assert entry.url == text[:MAX_URL_CHARS]


def test_the_longest_index_is_read_back() -> None:
    longest = Entry("x" * MAX_URL_CHARS, True, "f" * 90, 599, "robots_unavailable", "0" * 16, 1_200_000)
    assert (
        len(Index("2026-11-30T00:00:00Z", "10.10.10", 1_200_000, "en", [longest] * MAX_URLS_PER_RUN).dumps())
        < MAX_INDEX_BYTES
    )


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_pages_at_once(more: int) -> None:
    turns = Turns([f"{n}.example.com" for n in range(MAX_PARALLEL_FETCHES + more)], MAX_PARALLEL_FETCHES, 0.0)
    started = [turns.next(0.0) for _ in range(MAX_PARALLEL_FETCHES + more)]
    assert started.count(None) == max(more, 0)


def test_an_agent_obeys_robots_txt_and_keeps_nothing(asked: list[Any]) -> None:
    code([URL], sources.run_agent)
    code([URL, "--robots", "note", "--records", "kept"])
    (mine, obeying), (other, noting) = asked
    assert (mine.records, obeying.robots, other.records, noting.robots) == (None, "obey", "kept", "note")
