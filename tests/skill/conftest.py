"""Installing for real, and the real clients beside it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.conftest import place, programs, world  # noqa: F401 - fixtures
from tests.e2e.conftest import environment  # noqa: F401 - a fixture

sys.path.insert(0, str(REPOSITORY / "scripts"))  # the package `shipping`


def run_script(
    name: str, *arguments: str, home: Path, cwd: Path, expected: int = 0
) -> "subprocess.CompletedProcess[str]":
    """A script of scripts/, with the Python that runs the tests instead of an environment of its own."""
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/shipping" / f"{name}.py"), *arguments]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expected, done.stderr
    return done


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder scripts/bundle-skill writes to."""
    out = tmp_path_factory.mktemp("dist")
    run_script("bundle", "--out", str(out), home=out, cwd=out)
    return out
