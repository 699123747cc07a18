"""The product, unmodified, in the sealed internet: one command, one URL, one record."""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.contract import validator
from guarded_webfetch.core import verdict
from guarded_webfetch.core.reasons import REASONS
from tests.conftest import REPOSITORY
from tests.internet.client import Result, SealedInternet

LAUNCHER = REPOSITORY / "skills/guarded-webfetch/scripts/quarantine-fetch.sh"
STDERR_LINE = re.compile(r"guarded-webfetch: ([a-z_]+): [^\n]+\n")
MAX_STDERR_BYTES = 300


@dataclass(frozen=True)
class Fetched:
    """A finished run: what it printed, and the files it wrote."""

    result: Result
    folder: Path
    path: Path | None
    record: dict[str, Any]

    @property
    def code(self) -> int:
        return self.result.returncode

    @property
    def reason(self) -> str:
        found = STDERR_LINE.fullmatch(self.result.stderr)
        return found[1] if found else ""

    def beside(self, name: str) -> Any:
        """The file `.links.json`, `.trace.json` … beside the record."""
        assert self.path is not None
        return json.loads(self.path.with_suffix(f".{name}.json").read_text(encoding="utf-8"))

    @property
    def stage_1(self) -> str:
        """What `jq -c 'del(.raw_text,.raw_html)'` prints."""
        shown = {key: value for key, value in self.record.items() if key not in ("raw_text", "raw_html")}
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


Fetch = Callable[..., Fetched]


@pytest.fixture(scope="session")
def environment() -> str:
    """The launcher's environment, built outside the sealed internet, where a package index can be reached: its Python."""
    script = REPOSITORY / "shared/guarded_webfetch/setup/environment.sh"
    built = subprocess.run(["bash", str(script), "runtime"], stdout=subprocess.PIPE, text=True, check=True)
    return built.stdout.strip()


@pytest.fixture
def fetch(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> Fetch:
    """`fetch(URL, *options)`: runs the launcher, by `wrapper` if given, and checks what must hold after every run."""

    def run(*arguments: str, timeout: float = 60.0, wrapper: tuple[str, ...] = ()) -> Fetched:
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        result = sealed_internet.run([*wrapper, "bash", str(LAUNCHER), *arguments], cwd=folder, timeout=timeout)
        return check(result, folder)

    return run


def check(result: Result, folder: Path) -> Fetched:
    """The promises of every run: one path or nothing on stdout, one short line on stderr, a valid record, no trap touched."""
    assert "Traceback" not in result.stderr
    assert not result.log.traps
    if result.returncode == 0:
        assert result.stderr == ""
        assert result.stdout.count("\n") == 1
        path: Path | None = folder / result.stdout.strip()
    else:
        assert result.stdout == ""
        line = STDERR_LINE.fullmatch(result.stderr)
        assert line, result.stderr
        assert REASONS[line[1]].exit_code == result.returncode
        printed = re.search(r" \(record: (.+)\)\n", result.stderr)
        path = folder / printed[1] if printed else None
        assert len(result.stderr.encode()) <= MAX_STDERR_BYTES + len(printed[0] if printed else "")
        assert (path is None) == (result.returncode in (2, 3, 70))
    record = json.loads(path.read_bytes()) if path else {}
    if path:
        assert validator.load("record")(record)
        if record["outcome"] == "ok":
            assert (record["verdict"], record["verdict_reasons"]) == verdict.decide(record["flags"], record["network"])
        assert not list(path.parent.glob(".tmp-*"))
    return Fetched(result, folder, path, record)
