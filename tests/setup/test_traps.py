"""A hostile working folder runs nothing: not on the first run with uv or with pip, not later, not in scripts/test.sh."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .harness import BASE_PYTHON, BASH, REPOSITORY, Machine
from .locks import installed_packages, locked_packages
from .traps import COMMANDS, FUNCTIONS, MODULES, Traps


@pytest.fixture
def traps(machine: Machine) -> Traps:
    traps = Traps(machine.folder, machine.root / "marks")
    machine.variables = traps.environment(machine.bin)
    return traps


def _run(command: list[str], folder: Path, **environment: str) -> None:
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)


def test_every_trap_works_when_it_is_stepped_on(traps: Traps) -> None:
    """The positive control: what each test below relies on."""
    python = os.fspath(BASE_PYTHON)
    for name in (*MODULES, "compileall"):
        _run([python, "-m", name], traps.folder)
        assert name in traps.sprung()
    _run([python, "-c", "import shutil, one"], traps.folder, PYTHONPATH=os.fspath(traps.folder))
    assert {"sitecustomize", "usercustomize", "shutil", "one"} <= traps.sprung()
    for name in COMMANDS:
        _run(["/bin/sh", "-c", name], traps.folder, PATH=".:/usr/bin:/bin")
        assert traps.sprung() == {name}
    _run([f"{traps.folder}/.venv/bin/python"], traps.folder)
    assert traps.sprung() == {"venv-python"}
    for name in FUNCTIONS:
        function = f"BASH_FUNC_{name}%%"
        _run([BASH, "-c", f"{name} x"], traps.folder, **{function: traps.environment(Path("/bin"))[function]})
        assert traps.sprung() == {f"function-{name}"}
    _run([BASH, "-c", ":"], traps.folder, BASH_ENV=f"{traps.folder}/bash-env")
    assert traps.sprung() == {"bash-env"}


def _assert_none_sprung(traps: Traps) -> None:
    """BASH_ENV is run by the shell the caller started, before our first line; no shell of ours may run it again."""
    marked = traps.marks / "bash-env"
    assert marked.read_text() == "x\n"
    assert traps.sprung() == {"bash-env"}
    assert not (traps.folder / "uv-cache").exists()


def test_first_and_later_runs_with_a_stand_in_for_uv(machine: Machine, traps: Traps) -> None:
    machine.add_python()
    machine.add_uv()
    for _ in range(2):
        report = machine.report()
        assert report["folder"] == os.fspath(machine.folder)
        _assert_none_sprung(traps)


def test_a_folder_above_the_tools_hides_them(machine: Machine, traps: Traps) -> None:
    """An absolute PATH entry below the caller's folder is the folder's content too; so is one that a link leads to."""
    machine.add_uv()
    machine.add_python()
    inside = machine.folder / "tools"
    shutil.copytree(machine.bin, inside, symlinks=True)
    link = machine.root / "link"
    link.symlink_to(inside)
    shutil.rmtree(machine.bin)
    system = machine.root / "system"
    system.mkdir()
    for name in ("bash", "env", "find", "sha256sum", "mkdir", "mktemp", "rm", "flock"):
        (system / name).symlink_to(shutil.which(name) or "")
    machine.variables["PATH"] = f"{inside}:{link}:{system}"
    assert "No CPython 3.11 to 3.14" in machine.refusal()
    _assert_none_sprung(traps)


@pytest.mark.setup
def test_first_run_with_pip(machine: Machine, traps: Traps) -> None:
    machine.add_python()
    python = machine.report()["python"]
    _assert_none_sprung(traps)
    assert installed_packages(python) == locked_packages("runtime")


@pytest.mark.setup
def test_first_run_with_uv(machine: Machine, traps: Traps, uv: Path) -> None:
    machine.add_python("python3.11")
    (machine.bin / "uv").symlink_to(uv)
    python = machine.report()["python"]
    _assert_none_sprung(traps)
    assert installed_packages(python) == locked_packages("runtime")


def test_the_test_command(machine: Machine, traps: Traps) -> None:
    machine.variables["GUARDED_WEBFETCH_PYTHON"] = sys.executable
    command = [BASH, os.fspath(REPOSITORY / "scripts" / "test.sh"), "--version"]
    done = subprocess.run(
        command, cwd=traps.folder, env=machine.environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["pytest"]), done.stderr
    _assert_none_sprung(traps)
