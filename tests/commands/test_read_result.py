"""The reader: stage 1 for everybody, page text in a fence, and what is held back only after a person's word."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.commands import read_result
from guarded_webfetch.core.reasons import Refusal
from tests.conftest import REPOSITORY
from tests.records.samples import SAMPLES, write

ENVIRONMENT = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/guarded-webfetch").mkdir(parents=True)
    return tmp_path


def known(name: str, folder: Path) -> str:
    """A sample record with its line in the ledger."""
    path = str(write(folder, SAMPLES[name]))
    files = read_record(path)
    assert ledger.append({"record_sha256": files.record_sha256, "links_sha256": files.links_sha256})
    return path


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    assert read_result.run_agent(list(argv)) == 0
    return capsys.readouterr().out.splitlines()


def refusal_of(*argv: str) -> str:
    with pytest.raises(Refusal) as caught:
        read_result.run_agent(list(argv))
    return caught.value.code


def record_of(path: str) -> dict[str, Any]:
    return json.loads(Path(path).read_bytes())


def test_the_summary_is_stage_1(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = known("safe", folders)
    record = record_of(path)
    (line,) = printed(capsys, path, "summary")
    assert json.loads(line) == {name: value for name, value in record.items() if name not in ("raw_text", "raw_html")}


def test_the_outline_has_a_number_for_each_section(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = known("safe", folders)
    lines = [json.loads(line) for line in printed(capsys, path, "outline")]
    assert [line["n"] for line in lines] == list(range(1, len(lines) + 1))
    record = record_of(path)
    entry = lines[0]
    first, *text, last = printed(capsys, path, "section", "1")
    assert (first, last) == (record["fence"]["begin"], record["fence"]["end"])
    assert "\n".join(text) == record["raw_text"][entry["offset"] : entry["offset"] + entry["chars"]]


@pytest.mark.parametrize(("view", "field"), [("text", "raw_text"), ("html", "raw_html")])
def test_text_and_html_stand_in_the_fence(
    folders: Path, capsys: pytest.CaptureFixture[str], view: str, field: str
) -> None:
    path = known("safe", folders)
    record = record_of(path)
    read_result.run_agent([path, view])
    out = capsys.readouterr().out
    assert out == f"{record['fence']['begin']}\n{record[field]}\n{record['fence']['end']}\n"


def test_the_view_may_come_first(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = known("safe", folders)
    assert printed(capsys, "section", "1", path) == printed(capsys, path, "section", "1")
    assert printed(capsys, "summary", path) == printed(capsys, path, "summary")


@pytest.mark.parametrize(
    "argv",
    [
        [], ["R"], ["R", "everything"], ["R", "section"], ["R", "section", "-1"], ["R", "section", "１"], ["R", "text", "2"],
        ["R", "summary", "text"], ["summary", "R", "text"], ["summary", "text"],
    ],
)  # fmt: skip
def test_another_command_line_is_refused(argv: list[str]) -> None:
    assert refusal_of(*argv) in ("usage_invalid", "record_unusable")


@pytest.mark.parametrize("number", ["0", "999"])
def test_a_section_that_is_not_there(folders: Path, number: str) -> None:
    assert refusal_of(known("safe", folders), "section", number) == "section_unknown"


@pytest.mark.parametrize("view", read_result.VIEWS[:1] + read_result.VIEWS[3:])
def test_a_record_without_its_ledger_line_is_not_believed(folders: Path, view: str) -> None:
    assert refusal_of(str(write(folders, SAMPLES["safe"])), view) == "record_unknown"


@pytest.mark.parametrize("view", ["outline", "text", "html"])
def test_held_words_wait_for_a_person(folders: Path, view: str) -> None:
    assert refusal_of(known("confirm", folders), view) == "held_back"


def test_the_summary_of_a_held_page_has_none_of_its_words(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(printed(capsys, known("confirm", folders), "summary")[0])
    assert (shown["verdict"], shown["title"], shown["summary"], shown["outline"]) == ("confirm", None, None, None)


def test_a_client_that_asks_has_asked(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = known("confirm", folders)
    (folders / "config/guarded-webfetch/config.toml").write_text("client_asks = true\n")
    held = json.loads(Path(path.replace(".json", ".held.json")).read_bytes())
    read_result.run_agent([path, "text"])
    assert held["raw_text"] in capsys.readouterr().out
    assert refusal_of(path, "outline") == "held_back"


def on_terminal(path: str, answer: bytes) -> tuple[int, str]:
    """The reader on a terminal, and a person who types `answer`."""
    boot = REPOSITORY / "shared/guarded_webfetch/boot.py"
    ours, theirs = pty.openpty()
    environment = {name: os.environ[name] for name in ENVIRONMENT}
    argv = [sys.executable, "-I", "-S", str(boot), "read-result", path, "text"]
    process = subprocess.Popen(argv, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    os.write(ours, answer)
    out, _ = process.communicate(timeout=20)
    os.close(ours)
    return process.returncode, out.decode()


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 4), (b"\n", 4), (b"\x04", 4)])
def test_a_person_at_the_terminal_decides(folders: Path, answer: bytes, code: int) -> None:
    path = known("confirm", folders)
    returned, out = on_terminal(path, answer)
    assert returned == code
    assert bool(out) == (code == 0)


def test_a_failure_has_a_summary_and_no_text(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = known("not_found", folders)
    assert json.loads(printed(capsys, path, "summary")[0])["verdict"] is None
    assert refusal_of(path, "text") == "record_unusable"
