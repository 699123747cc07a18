"""The ledger: one line for each record, private, outside the working folder, and believed only then."""

import stat
from pathlib import Path

import pytest

from guarded_webfetch.broker import ledger

LINE = {"record_sha256": "a" * 64, "links_sha256": "b" * 64, "outcome": "ok"}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "guarded-webfetch"


def test_what_was_written_is_known(state: Path) -> None:
    assert ledger.append(LINE)
    assert ledger.append({**LINE, "record_sha256": "c" * 64})
    assert ledger.knows("a" * 64, "b" * 64)
    assert ledger.knows("c" * 64, "b" * 64)
    assert not ledger.knows("a" * 64, "d" * 64), "another link table beside the same record"
    assert not ledger.knows("d" * 64, "b" * 64)
    assert stat.S_IMODE((state / "ledger.jsonl").stat().st_mode) == 0o600


def test_cut_line_is_passed_over(state: Path) -> None:
    ledger.append(LINE)
    with (state / "ledger.jsonl").open("a") as file:
        file.write('{"record_sha256":"' + "e" * 64)
    assert not ledger.knows("e" * 64, "b" * 64)
    assert ledger.knows("a" * 64, "b" * 64)


def test_no_ledger_below_the_working_folder(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.append(LINE)
    monkeypatch.chdir(tmp_path)
    assert not ledger.append(LINE)
    assert not ledger.knows("a" * 64, "b" * 64), "an agent could have written it"


def test_ledger_others_can_write_is_not_believed(state: Path) -> None:
    ledger.append(LINE)
    (state / "ledger.jsonl").chmod(0o666)
    assert not ledger.append(LINE)
    assert not ledger.knows("a" * 64, "b" * 64)


def test_linked_ledger_is_not_used(state: Path, tmp_path: Path) -> None:
    state.mkdir(parents=True)
    (state / "ledger.jsonl").symlink_to(tmp_path / "work" / "forged.jsonl")
    assert not ledger.append(LINE)
    assert not (tmp_path / "work" / "forged.jsonl").exists()


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "")
    assert not ledger.append(LINE)
