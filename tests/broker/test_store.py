"""Records land in a private folder, whole, and never through a link."""

import errno
import os
import stat
from pathlib import Path

import pytest

from guarded_webfetch.broker import store as store_module
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.store import DEFAULT_FOLDER, Store, shown_path
from guarded_webfetch.core.limits import MAX_PARALLEL_FETCHES
from guarded_webfetch.core.reasons import Refusal


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def refused(out: str | None = None) -> str:
    with pytest.raises(Refusal) as caught:
        Store.open(out)
    return caught.value.code


def test_folder_and_file_are_private(here: Path) -> None:
    store = Store.open(None)
    store.write("result-0123456789abcdef.json", b"{}")
    folder = here / DEFAULT_FOLDER
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "result-0123456789abcdef.json").stat().st_mode) == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"
    assert store.path("x.json") == ".temp/guarded-webfetch/x.json"
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "result-0123456789abcdef.json"]


def test_existing_folder_and_gitignore_stay_as_they_are(here: Path) -> None:
    folder = here / DEFAULT_FOLDER
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    (folder / ".gitignore").write_text("mine\n")
    Store.open(None)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert (folder / ".gitignore").read_text() == "mine\n"


@pytest.mark.parametrize("part", [".temp", ".temp/guarded-webfetch"])
def test_a_committed_link_is_not_followed(here: Path, tmp_path: Path, part: str) -> None:
    outside = tmp_path / "outside"
    (outside / "guarded-webfetch").mkdir(parents=True)
    link = here / part
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    assert refused() == "store_unavailable"
    assert [path.name for path in outside.rglob("*")] == ["guarded-webfetch"]


def test_gitignore_link_is_not_followed(here: Path, tmp_path: Path) -> None:
    folder = here / DEFAULT_FOLDER
    folder.mkdir(parents=True, mode=0o700)
    (folder / ".gitignore").symlink_to(tmp_path / "victim")
    Store.open(None)
    assert not (tmp_path / "victim").exists()


def test_swapping_the_folder_while_open_changes_nothing(here: Path, tmp_path: Path) -> None:
    store = Store.open(None)
    outside = tmp_path / "outside"
    outside.mkdir()
    (here / ".temp" / "guarded-webfetch").rename(here / ".temp" / "moved")
    (here / ".temp" / "guarded-webfetch").symlink_to(outside)
    store.write("result-0123456789abcdef.json", b"{}")
    assert not list(outside.iterdir())
    assert (here / ".temp" / "moved" / "result-0123456789abcdef.json").exists()


def test_a_file_in_the_way_and_a_folder_others_write(here: Path) -> None:
    (here / ".temp").write_text("a file")
    assert refused() == "store_unavailable"
    (here / "open").mkdir()
    (here / "open").chmod(0o777)
    assert refused("open") == "store_unavailable"


def test_full_disk_leaves_no_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(None)

    def full(fd: int, data: bytes) -> None:
        os.write(fd, data[:1])
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(store_module, "_write_all", full)
    with pytest.raises(Refusal) as caught:
        store.write("result-0123456789abcdef.json", b"{}")
    assert caught.value.code == "store_unavailable"
    assert [path.name for path in (here / DEFAULT_FOLDER).iterdir()] == [".gitignore"]


def test_sixth_run_waits_and_then_is_busy(here: Path) -> None:
    stores = [Store.open(None) for _ in range(MAX_PARALLEL_FETCHES + 1)]
    for store in stores[:-1]:
        store.take_slot(Deadline.after(1, "fetch_deadline"))
    with pytest.raises(Refusal) as caught:
        stores[-1].take_slot(Deadline.after(0.2, "fetch_deadline"))
    assert caught.value.code == "busy"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("results", "results"),
        ("./a/../results", "results"),
        ("a/b", "a/b"),
        (".", "."),
        ("../x", None),
        ("/x/y", "/x/y"),
    ],
)
def test_shown_path(here: Path, given: str, shown: str | None) -> None:
    assert shown_path(given) == (shown or str(here.parent / "x"))


@pytest.mark.parametrize("path", ["", "a\nb", "a\x1b[31m", "\x7f"])
def test_path_with_control_character(here: Path, path: str) -> None:
    with pytest.raises(Refusal) as caught:
        shown_path(path)
    assert caught.value.code == "path_invalid"
