"""`gate run` as a person calls it, in the sealed internet: an answer closed to a page that was really fetched, or none."""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.internet.client import SealedInternet

pytestmark = pytest.mark.sealed

ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
GONE = "https://status.canal-journal.com/404"
SECRET = "not-for-the-page-2718"


@dataclass
class Setting:
    """A person's config file with a program that answers."""

    net: SealedInternet
    base: Path

    def run(self, *urls: str) -> tuple[int, dict[str, Any]]:
        """The exit code and the file whose path is printed."""
        program = self.base / "bin/answer"
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            f'#!/bin/bash\ncat > {self.base}/seen; echo "key $MY_KEY" > {self.base}/key; echo The gates are old.\n'
        )
        program.chmod(0o755)
        config = self.base / "config/guarded-webfetch/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f'login = ["MY_KEY"]\n[commands]\nmine = ["{program}"]\n')
        work = self.base / "work"
        work.mkdir(exist_ok=True)
        (work / "question.txt").write_text("How old are the gates?")
        known = {name: os.environ[name] for name in ("HOME", "PATH", "XDG_CACHE_HOME") if name in os.environ}
        folders = {"XDG_CONFIG_HOME": str(self.base / "config"), "XDG_STATE_HOME": str(self.base / "state")}
        command = ["bash", str(REPOSITORY / "scripts/guarded-webfetch"), "gate", "run", "--prompt", "question.txt"]
        command += ["--answer-with", "command:mine", *(word for url in urls for word in ("--require", url))]
        result = self.net.run(command, cwd=work, env=known | folders | {"MY_KEY": SECRET}, timeout=60.0)
        assert result.stdout.count("\n") == 1, result.stderr
        return result.returncode, json.loads((work / result.stdout.strip()).read_text(encoding="utf-8"))


@pytest.fixture
def setting(sealed_internet: SealedInternet, environment: str) -> Iterator[Setting]:
    """Not in /tmp, where a config file that runs something is not believed."""
    with tempfile.TemporaryDirectory(prefix="guarded-webfetch-test-", dir=Path.home()) as folder:
        yield Setting(sealed_internet, Path(folder))


def test_a_page_is_fetched_and_the_answer_closed_to_it(setting: Setting) -> None:
    code, answer = setting.run(ARTICLE)
    assert (code, answer["way"], answer["answer"]) == (0, "own_fetch", "The gates are old.")
    (source,) = answer["sources"]
    assert (source["status"], source["fetch"], source["level"]) == ("success", "ok", 3)
    record = json.loads((setting.base / "work" / source["record"]).read_text(encoding="utf-8"))
    seen = (setting.base / "seen").read_text(encoding="utf-8")
    assert f"{record['fence']['begin']}\n{record['raw_text']}\n{record['fence']['end']}" in seen
    assert (setting.base / "key").read_text() == f"key {SECRET}\n" and SECRET not in seen


def test_a_page_that_is_gone_leaves_no_answer(setting: Setting) -> None:
    code, answer = setting.run(ARTICLE, GONE)
    assert (code, answer["result"], answer["answer"], answer["reason"]) == (11, "needs_review", None, "error")
    assert [source["fetch"] for source in answer["sources"]] == ["ok", "http_not_found"]
    assert not (setting.base / "seen").exists()
