"""Runs a tool over a folder of pages and collects what it said about each."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from scoring.pages import runner
from scoring.pages.manifest import rows_of
from scoring.pages.tools import Result


def run(tool: str, folder: Path) -> list[Result] | None:
    """One result for each row of the manifest; None when the tool is not installed."""
    with TemporaryDirectory() as out:
        command = [sys.executable, "-I", runner.__file__, tool, str(folder.resolve()), out]
        code = subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode
        if code == runner.MISSING:
            return None
        if code:
            raise RuntimeError(f"{tool} ended with {code}")
        return [_result(Path(out) / f"{number}.json") for number in range(len(rows_of(folder)))]


def _result(file: Path) -> Result:
    """A child that was killed left nothing: that is an answer too."""
    return (
        json.loads(file.read_text("utf-8")) if file.exists() else {"reason": "killed", "cpu_ms": None, "peak_mb": None}
    )
