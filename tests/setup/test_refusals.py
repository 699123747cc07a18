"""What is missing is said in one line of exit 3, with the command or setting that helps."""

import os
from pathlib import Path

import pytest

from .harness import BASE_PYTHON, Machine, calls, write_program


def test_no_python_at_all(machine: Machine) -> None:
    assert "apt-get install python3 python3-venv" in machine.refusal()


@pytest.mark.parametrize("answer", ["exit 9009", "exit 0", "echo Python was not found; run without arguments"])
def test_a_name_alone_is_no_python(machine: Machine, answer: str) -> None:
    """Old versions fail the probe; the Windows store's stub and broken shims answer something else or nothing."""
    for name in ("python3.13", "python3", "python"):
        write_program(machine.bin / name, f"#!/bin/sh\n{answer}\n")
    assert "No CPython 3.11 to 3.14" in machine.refusal()
    machine.add_uv()
    machine.add_python("python3.11")
    assert machine.report()["python"].startswith(str(machine.cache))


def test_python_without_venv_as_on_bare_debian(machine: Machine) -> None:
    """Debian's python3 has a venv module, but no ensurepip until python3-venv is installed. uv needs none."""
    machine.add_python_without_pip()
    assert "apt-get install python3-venv" in machine.refusal()
    log = machine.add_uv()
    machine.report()
    assert len(calls(log)) == 1


def test_the_network_of_an_outer_sandbox(machine: Machine) -> None:
    machine.add_python()
    machine.add_uv()
    machine.variables = {"CODEX_SANDBOX_NETWORK_DISABLED": "1"}
    assert "outside the sandbox" in machine.refusal()
    machine.variables = {}
    machine.report()
    machine.variables = {"CODEX_SANDBOX_NETWORK_DISABLED": "1"}
    machine.report()  # nothing is installed any more


def test_a_cache_that_cannot_be_made(machine: Machine) -> None:
    machine.add_python()
    machine.add_uv()
    machine.variables = {"XDG_CACHE_HOME": "/dev/null/cache"}
    assert "set XDG_CACHE_HOME" in machine.refusal()
    machine.variables = {"HOME": "/proc/nowhere"}
    assert "set XDG_CACHE_HOME" in machine.refusal()


@pytest.mark.parametrize("name", ["a:b", "a=b", "a\nb"])
def test_a_cache_with_a_name_no_environment_can_have(machine: Machine, name: str) -> None:
    machine.add_python()
    machine.add_uv()
    machine.variables = {"XDG_CACHE_HOME": str(machine.root / name)}
    assert "set XDG_CACHE_HOME" in machine.refusal()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_cache_others_can_write_to(ready: Machine, mode: int) -> None:
    """The finished environment is not used either: somebody else may have changed it."""
    for folder in (ready.cache, ready.cache.parent, ready.home):
        folder.chmod(mode)
        assert f"Others can write to {folder};" in ready.refusal()
        folder.chmod(0o1777)  # as /tmp: only owners can rename there
        ready.report()
        folder.chmod(0o755)
    ready.report()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_cache_that_belongs_to_somebody_else(ready: Machine) -> None:
    for folder in (ready.cache, ready.home):
        os.chown(folder, 12345, -1)
        assert f"Others can write to {folder};" in ready.refusal()
        os.chown(folder, 0, -1)
    ready.report()


def test_a_linked_cache_is_judged_by_where_it_leads(ready: Machine) -> None:
    shared = ready.root / "shared"
    shared.mkdir()
    os.rename(ready.cache.parent, shared / "cache")
    ready.cache.parent.symlink_to(shared / "cache")
    ready.report()
    shared.chmod(0o777)
    assert f"Others can write to {shared};" in ready.refusal()


def test_a_failed_installation_keeps_its_log(machine: Machine) -> None:
    machine.add_python_without_pip()
    machine.add_uv(exit_code=1)
    line = machine.refusal()
    assert line.endswith(f"see {machine.cache}/setup.log.")
    assert "the words of uv" in (machine.cache / "setup.log").read_text()
    assert sorted(path.name for path in machine.cache.iterdir()) == [".lock", "setup.log"]


def _environment(root: Path, *, version: str) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python").symlink_to(BASE_PYTHON)
    (root / "pyvenv.cfg").write_text(f"home = {BASE_PYTHON.parent}\n{version}\n")
    return root / "bin" / "python"


@pytest.mark.parametrize("version", ["version = 3.11.2", "version_info = 3.13.0.final.0", "version_info=3.14.1"])
def test_a_named_environment_is_used_as_it_is(machine: Machine, version: str) -> None:
    python = _environment(machine.root / "own environment", version=version)
    machine.variables = {"GUARDED_WEBFETCH_PYTHON": str(python)}
    assert machine.report()["python"] == str(python)
    assert not machine.cache.exists()


def test_anything_else_as_the_named_python_is_refused(machine: Machine, tmp_path: Path) -> None:
    old = _environment(tmp_path / "old", version="version = 3.10.13")
    good = _environment(machine.folder / "good", version="version = 3.12.1")
    machine.add_python()
    machine.add_uv()
    wrong = (str(old), str(BASE_PYTHON), "good/bin/python", "python3", str(good.parent), str(good) + "x", "/")
    for value in wrong:
        machine.variables = {"GUARDED_WEBFETCH_PYTHON": value}
        assert "GUARDED_WEBFETCH_PYTHON is not" in machine.refusal(), value
