"""One machine a test. Only tests marked `setup` install anything from the package index."""

import shutil
import sys
from pathlib import Path

import pytest

from .harness import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Nothing but the system's commands: no Python, no uv."""
    return Machine(tmp_path / "machine")


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """A machine whose environment is built, with a uv that installs nothing."""
    machine.add_python()
    machine.add_uv()
    machine.report()
    return machine


@pytest.fixture
def uv() -> Path:
    """A real uv: on PATH, or beside the Python that runs the tests."""
    found = shutil.which("uv") or shutil.which("uv", path=Path(sys.executable).parent)
    if not found:
        pytest.skip("uv is not installed")
    return Path(found)
