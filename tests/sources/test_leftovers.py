"""What a killed run leaves is gone after the next one; what a living one holds is left alone."""

import os
import signal
import time
from pathlib import Path

import pytest

from guarded_webfetch.broker.store import Store
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources.index import Entry, Index
from guarded_webfetch.sources.leftovers import TEMPORARY_AGE_S, records_folder, remove_leftovers


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "guarded-webfetch" / "sources"


def folders(state: Path) -> list[str]:
    return sorted(path.name for path in state.iterdir() if path.is_dir())


def test_records_end_with_their_run(state: Path) -> None:
    with records_folder() as mine:
        (Path(mine) / "result-0000000000000000.json").write_text("words of a page")
        with records_folder() as other:
            assert folders(state) == sorted((Path(mine).name, Path(other).name))
        assert folders(state) == [Path(mine).name]
    assert folders(state) == []


def test_records_of_a_killed_run_go_with_the_next(state: Path) -> None:
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        with records_folder() as mine:
            (Path(mine) / "result-0000000000000000.json").write_text("words of a page")
            os.write(told, b".")
            time.sleep(60)
        os._exit(0)
    os.read(ready, 1)
    with records_folder():  # the other one lives
        assert len(folders(state)) == 2
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    (state / "notes").mkdir()
    with records_folder() as mine:
        assert folders(state) == sorted((Path(mine).name, "notes"))


def test_no_records_where_an_agent_could_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "work" / "state"))
    with pytest.raises(Refusal, match="store_unavailable"), records_folder():
        pass


def test_files_of_the_last_run_and_half_written_ones() -> None:
    store = Store.open("out")
    index = Index("2026-11-30T00:00:00Z", "1", 1, "en", [Entry("https://example.com/", file="01-example.com.txt")])
    kept = {".gitignore", ".tmp-0000000000000001", "02-example.com.txt", "result-0000000000000000.json"}
    for name in (*kept, "01-example.com.txt", ".tmp-0000000000000002"):
        Path("out", name).write_text("")
    then = time.time() - TEMPORARY_AGE_S - 1
    os.utime("out/.tmp-0000000000000002", (then, then))
    store.write("index.json", index.dumps())
    assert remove_leftovers(store) == 3
    assert set(os.listdir("out")) == kept
    assert remove_leftovers(store) == 0


def test_two_runs_do_not_share_a_folder() -> None:
    first = Store.open("out")
    first.take_alone()
    with pytest.raises(Refusal, match="busy"):
        Store.open("out").take_alone()
