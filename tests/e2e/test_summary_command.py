"""A summary by a command of the person's own: what it gets, what becomes of its answer, and that it never outlives the fetch."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.internet.client import Running, SealedInternet

from .conftest import LAUNCHER, Fetched, check

pytestmark = pytest.mark.sealed

ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
SUMMARY = 'summary = "command:mine"\n'
CONSOLE = (str(REPOSITORY / "scripts/guarded-webfetch"), "fetch")
SECRET = "not-for-the-page-3141"


@dataclass
class Setting:
    """A launcher with a config file that names a program of the person's."""

    net: SealedInternet
    base: Path

    @property
    def folder(self) -> Path:
        return self.base / "work"

    def start(
        self,
        program: str,
        *options: str,
        url: str = ARTICLE,
        launcher: tuple[str, ...] = (str(LAUNCHER),),
        default: bool = True,
    ) -> Running:
        path = self.base / "bin/summarise"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{program}\n")
        path.chmod(0o755)
        config = self.base / "config/guarded-webfetch/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            f'{SUMMARY if default else ""}login = ["MY_KEY", \'MY_HOST\']\n[commands]\nmine = ["{path}", "-x"]\n'
        )
        self.folder.mkdir(exist_ok=True)
        known = {name: os.environ[name] for name in ("HOME", "PATH", "XDG_CACHE_HOME") if name in os.environ}
        folders = {"XDG_CONFIG_HOME": str(self.base / "config"), "XDG_STATE_HOME": str(self.base / "state")}
        secrets = {"MY_KEY": SECRET, "MY_HOST": "a=b", "OTHER_KEY": "never-handed-over"}
        return self.net.start(["bash", *launcher, url, *options], cwd=self.folder, env=known | folders | secrets)

    def run(self, program: str, *options: str, url: str = ARTICLE) -> Fetched:
        return check(self.start(program, *options, url=url).wait(), self.folder)


@pytest.fixture
def setting(sealed_internet: SealedInternet, environment: str) -> Iterator[Setting]:
    """Not in /tmp, where a config file that runs something is not believed."""
    with tempfile.TemporaryDirectory(prefix="guarded-webfetch-test-", dir=Path.home()) as folder:
        yield Setting(sealed_internet, Path(folder))


def test_it_gets_the_text_its_login_and_little_else(setting: Setting) -> None:
    shown = 'env | cut -d= -f1 | sort | tr "\\n" " "; echo "key $MY_KEY host $MY_HOST; $1; $(pwd); $(head -c 40)"'
    found = setting.run(shown, "--summary-language", "ja")
    summary = found.record["summary"]
    names = summary.partition("key")[0].split()
    assert set(names) - {"PWD", "SHLVL", "_"} == {
        "GUARDED_WEBFETCH_TASK", "HOME", "LANG", "MY_HOST", "MY_KEY", "PATH", "TERM", "TMPDIR",
    }  # fmt: skip
    assert f"key {SECRET} host a=b; -x; {setting.base}/state/guarded-webfetch/summary-" in summary
    assert (found.record["summary_source"], found.record["loosened"]) == ("command", ["model_summary"])
    assert not list((setting.base / "state/guarded-webfetch").glob("summary-*"))


def test_the_record_and_its_files_hold_no_login(setting: Setting) -> None:
    setting.run("echo A plain summary.")
    files = [path for path in setting.base.rglob("*") if path.is_file() and "bin" not in path.parts]
    assert len(files) > 3 and not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_a_link_can_be_followed_from_the_record_written_anew(setting: Setting) -> None:
    first = setting.run("echo A plain summary.", url="https://news.canal-journal.com/")
    assert first.record["summary"] == "A plain summary." and first.path
    found = setting.run("echo Another.", str(first.path.relative_to(setting.folder)), "L1", url="--from")
    assert found.code == 0 and found.record["summary"] == "Another."


@pytest.mark.parametrize("option", ["extractive", "none"])
def test_an_agent_may_do_without(setting: Setting, option: str) -> None:
    found = setting.run("echo A plain summary.", "--summary", option)
    assert found.record["summary_source"] == ("extractive" if option == "extractive" else None)
    assert found.record["loosened"] == []


@pytest.mark.parametrize("program", ["exit 1", "true", "kill -9 $$"])
def test_a_command_that_fails_is_told(setting: Setting, program: str) -> None:
    flags = setting.run(program).record["flags"]
    assert flags["summary_failed"] is True and flags["summary_missing"] is False


def test_a_failed_fetch_starts_no_command(setting: Setting) -> None:
    found = setting.run(f"touch {setting.base}/started", url="https://status.canal-journal.com/404")
    assert found.code == 5 and not (setting.base / "started").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_does_not_outlive_the_fetch(setting: Setting, number: signal.Signals) -> None:
    running = setting.start(f"touch {setting.base}/started; setsid sleep 4712 & exec sleep 4711")
    end = time.monotonic() + 30
    while not (setting.base / "started").exists() and time.monotonic() < end:
        time.sleep(0.05)
    running.signal(number)
    running.wait()
    while left := [line for _, line in setting.net.processes() if "sleep 471" in line or "boot.py" in line]:
        assert time.monotonic() < end, left
        time.sleep(0.05)
    (path,) = (
        path for path in (setting.folder / ".temp/guarded-webfetch").glob("result-*.json") if path.name.count(".") == 1
    )
    assert b'"summary_source": "extractive"' in path.read_bytes()


def test_a_person_names_it_on_the_console(setting: Setting) -> None:
    running = setting.start('echo "key $MY_KEY"', "--summary", "command:mine", launcher=CONSOLE, default=False)
    found = check(running.wait(), setting.folder)
    assert (found.record["summary"], found.record["summary_source"]) == (f"key {SECRET}", "command")


@pytest.mark.parametrize("choice", ["command:mine", "claude", "codex", "/bin/sh"])
def test_an_agent_cannot_name_one(setting: Setting, choice: str) -> None:
    found = check(setting.start("echo no", "--summary", choice, default=False).wait(), setting.folder)
    assert (found.code, found.reason) == (2, "usage_invalid")
