"""`purge` removes files of our own patterns that are old enough, and nothing else."""

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from guarded_webfetch.commands import environments, purge
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources.index import Entry, Index

DAY_S = 86_400
STEM = "result-00000000000000a1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    results = tmp_path / ".temp" / "guarded-webfetch"
    results.mkdir(parents=True)
    return results


def make(folder: Path, name: str, age_s: float = 2 * DAY_S) -> Path:
    path = folder / name
    path.write_text("{}", encoding="utf-8")
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def removed(capsys: pytest.CaptureFixture[str], *argv: str) -> int:
    assert purge.run(list(argv)) == 0
    return int(capsys.readouterr().out)


def names(folder: Path) -> set[str]:
    return set(os.listdir(folder))


def test_old_results_go_with_everything_beside_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in ("", ".links", ".hidden", ".trace", ".held"):
        make(folder, f"{STEM}{suffix}.json")
    make(folder, "failure-00000000000000a2.json")
    for kind in ("gate", "quotes", "answer"):
        make(folder, f"{kind}-00000000000000a3.json")
    make(folder, ".tmp-0123456789abcdef")
    assert removed(capsys) == 10
    assert names(folder) == set()


def test_everything_else_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = {
        ".gitignore", ".slot-1", "notes.json", "result-00000000000000A1.json", "result-00000000000000a.json", f"{STEM}.other.json",
        f"{STEM}.json.bak", f"my-{STEM}.json", ".tmp-0123", "index.json", f"{STEM}.links.json.json", "answer-a3.json",
        "gate-00000000000000a3.links.json",
    }  # fmt: skip
    for name in others:
        make(folder, name)
    assert removed(capsys) == 0
    assert names(folder) == others


def test_links_and_folders_with_our_names_stay(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    precious = make(tmp_path, "precious")
    (folder / f"{STEM}.json").symlink_to(precious)
    os.utime(folder / f"{STEM}.json", (0, 0), follow_symlinks=False)
    (folder / "result-00000000000000a2.json").mkdir()
    os.utime(folder / "result-00000000000000a2.json", (0, 0))
    assert removed(capsys) == 0
    assert precious.exists()
    assert names(folder) == {f"{STEM}.json", "result-00000000000000a2.json"}


def test_files_of_another_user_stay(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = make(folder, f"{STEM}.json").stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert removed(capsys) == 0


@pytest.mark.parametrize(
    ("argv", "age_s", "count"),
    [
        ([], DAY_S + 60, 1),
        ([], DAY_S - 60, 0),
        (["--older-than", "90s"], 100, 1),
        (["--older-than", "90s"], 80, 0),
        (["--older-than", "5m"], 301, 1),
        (["--older-than", "5m"], 290, 0),
        (["--older-than", "12h"], 12 * 3_600 + 60, 1),
        (["--older-than", "12h"], 12 * 3_600 - 60, 0),
        (["--older-than", "0s"], 1, 1),
    ],
)
def test_the_age(folder: Path, capsys: pytest.CaptureFixture[str], argv: list[str], age_s: float, count: int) -> None:
    make(folder, f"{STEM}.json", age_s)
    assert removed(capsys, *argv) == count


def test_a_record_stays_while_a_file_beside_it_is_young(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(folder, f"{STEM}.json")
    make(folder, f"{STEM}.trace.json", 10)
    assert removed(capsys) == 0


def test_what_a_running_fetch_is_writing_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(folder, ".tmp-0123456789abcdef", 100)
    assert removed(capsys, "--older-than", "0s") == 0
    make(folder, ".tmp-0123456789abcdef", 130)
    assert removed(capsys, "--older-than", "0s") == 1


def test_another_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "a" / "b"
    other.mkdir(parents=True)
    for place in (folder, other):
        make(place, f"{STEM}.json")
    assert removed(capsys, "--bodies", "a/b") == 1
    assert names(folder) == {f"{STEM}.json"}
    make(other, f"{STEM}.json")
    assert removed(capsys, "--bodies", str(other)) == 1


def test_nothing_was_ever_fetched_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert removed(capsys) == 0
    assert names(tmp_path) == set()


def test_a_folder_behind_a_link_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere" / "guarded-webfetch"
    elsewhere.mkdir(parents=True)
    precious = make(elsewhere, f"{STEM}.json")
    (tmp_path / ".temp").symlink_to(elsewhere.parent)
    for argv in (
        [],
        ["--bodies", ".temp/guarded-webfetch"],
        ["--bodies", str(tmp_path / ".temp" / "guarded-webfetch")],
    ):
        with pytest.raises(Refusal) as refusal:
            purge.run(argv)
        assert refusal.value.code == "path_invalid"
    assert precious.exists()


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["--bodies", "missing"], "path_invalid"),
        (["--bodies", "a\0b"], "path_invalid"),
        (["--older-than", "1"], "usage_invalid"),
        (["--older-than", "1w"], "usage_invalid"),
        (["--older-than", "-1d"], "usage_invalid"),
        (["--older-than", "１d"], "usage_invalid"),
        (["--older-than", ""], "usage_invalid"),
        (["everything"], "usage_invalid"),
    ],
)
def test_a_wrong_command_line(folder: Path, argv: list[str], code: str) -> None:
    path = make(folder, f"{STEM}.json")
    with pytest.raises(Refusal) as refusal:
        purge.run(argv)
    assert refusal.value.code == code
    assert path.exists()


# ---------------------------------------------------------------- environments


@pytest.fixture
def cache(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache = tmp_path / "cache" / "guarded-webfetch"
    cache.mkdir(parents=True)
    return cache


def environment(cache: Path, name: str) -> Path:
    (cache / name / "bin").mkdir(parents=True)
    for file in ("pyvenv.cfg", "bin/python", "bin/activate"):
        (cache / name / file).touch()
    return cache / name


def test_environments_of_other_locks_go(cache: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    current = hashlib.sha256(environments.LOCKS[0].read_bytes()).hexdigest()[:16]
    for name in (
        f"{current}-x86_64-cpython-311",
        "0123456789abcdef-x86_64-cpython-311",
        "fedcba9876543210-aarch64-cpython-314",
    ):
        environment(cache, name)
    make(folder, f"{STEM}.json")
    assert removed(capsys, "--environments") == 7
    assert names(cache) == {f"{current}-x86_64-cpython-311"}


def test_environments_stay_unless_asked_for(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment(cache, "0123456789abcdef-x86_64-cpython-311")
    assert removed(capsys) == 0


def test_the_environment_that_runs_stays(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    running = environment(cache, "0123456789abcdef-x86_64-cpython-311")
    monkeypatch.setattr("sys.executable", str(running / "bin" / "python"))
    assert removed(capsys, "--environments") == 0


def test_other_names_in_the_cache_stay(cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = {
        ".build.0123456789",
        "0123456789abcdef",
        "0123456789ABCDEF-x86_64-cpython-311",
        "x0123456789abcdef-x86_64-cpython-311",
    }
    for name in others:
        environment(cache, name)
    (cache / ".lock").touch()
    (cache / "0123456789abcdef-i686-cpython-311").touch()
    target = environment(tmp_path, "target")
    (cache / "0123456789abcdef-x86_64-cpython-312").symlink_to(target)
    before = names(cache)
    assert removed(capsys, "--environments") == 0
    assert names(cache) == before
    assert (target / "pyvenv.cfg").exists()


def test_links_inside_an_environment_are_not_followed(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    precious = make(tmp_path, "precious")
    old = environment(cache, "0123456789abcdef-x86_64-cpython-311")
    (old / "lib").mkdir()
    (old / "lib" / "out").symlink_to(tmp_path)
    assert removed(capsys, "--environments") >= 3
    assert precious.exists()
    assert not old.exists()


def test_without_a_home_there_are_no_environments(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    assert removed(capsys, "--environments") == 0


@pytest.fixture
def sources(folder: Path) -> Path:
    """A folder as `sources` leaves it, with a record and a file of somebody else beside it; an hour old."""
    there = folder.parent / "guarded-webfetch-sources"
    there.mkdir()
    rows = [Entry("https://example.com/", file="01-example.com.txt"), Entry("https://example.com/2", file=None)]
    index = Index("2026-11-30T00:00:00Z", "1", 1, "en", rows)
    for name in ("01-example.com.txt", "02-example.com.txt", f"{STEM}.json", "notes.txt"):
        make(there, name, 3_600)
    make(there, "index.json", 3_600).write_bytes(index.dumps())
    return there


def test_bodies_go_at_once_and_the_index_stays(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert removed(capsys, "--bodies", str(sources)) == 2
    assert names(sources) == {"index.json", "notes.txt", "02-example.com.txt"}
    assert removed(capsys, "--bodies", str(sources)) == 0


@pytest.mark.parametrize(("age", "count"), [([], 0), (["--older-than", "2h"], 0), (["--older-than", "50m"], 2)])
def test_bodies_of_the_default_folder_go_by_age(
    sources: Path, capsys: pytest.CaptureFixture[str], age: list[str], count: int
) -> None:
    assert removed(capsys, *age) == count
    assert "index.json" in names(sources)


@pytest.mark.parametrize("name", ["../precious.txt", "/etc/hostname", "index.json", ".gitignore", "notes.txt", 7])
def test_an_index_names_no_file_that_is_not_ours(
    sources: Path, capsys: pytest.CaptureFixture[str], name: object
) -> None:
    data = json.loads((sources / "index.json").read_bytes())
    data["sources"][0]["file"] = name
    (sources / "index.json").write_text(json.dumps(data), encoding="utf-8")
    make(sources.parent, "precious.txt")
    removed(capsys, "--bodies", str(sources))
    assert (sources.parent / "precious.txt").exists()
    assert {"index.json", "notes.txt", "01-example.com.txt"} <= names(sources)
