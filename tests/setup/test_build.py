"""Building an environment: once, whole or not at all, and never seen half-done. uv is a stand-in that installs nothing."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from .harness import BASE_PYTHON, BASH, COMMANDS, URL, Machine, calls, write_program


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.02)


def _hold_uv(machine: Machine) -> tuple[Path, Path]:
    """A uv that says it is there and waits for a word. Returns both files."""
    started, word = machine.root / "started", machine.root / "word"
    log = machine.root / "uv.log"
    write_program(
        machine.bin / "uv",
        f"#!{BASE_PYTHON} -IS\nimport os, time\nopen({str(log)!r}, 'a').write('{{}}' + chr(10))\nopen({str(started)!r}, 'w')\n"
        f"while not os.path.exists({str(word)!r}): time.sleep(0.02)\n",
    )
    return started, word


def _names(machine: Machine) -> list[str]:
    return sorted(path.name for path in machine.cache.iterdir())


def test_the_second_run_builds_nothing(machine: Machine) -> None:
    machine.add_python()
    log = machine.add_uv()
    first = machine.run(URL)
    assert (first.returncode, first.stderr.count("\n")) == (0, 1)
    (machine.bin / "uv").unlink()
    (machine.bin / "python3").unlink()
    second = machine.run(URL)
    assert (second.returncode, second.stderr, second.stdout) == (0, "", first.stdout)
    assert len(calls(log)) == 1


def test_uv_is_called_with_nothing_but_what_it_needs(machine: Machine) -> None:
    machine.add_python()
    log = machine.add_uv()
    index = {
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "HTTPS_PROXY": "http://proxy:1",
        "SSL_CERT_FILE": "/ca.pem",
    }
    machine.variables = index | {
        "UV_PYTHON": "x",
        "UV_CONFIG_FILE": "x",
        "PIP_CONFIG_FILE": "x",
        "VIRTUAL_ENV": "x",
        "TOKEN": "x",
    }
    (machine.folder / "a file").touch()
    machine.report()
    call = calls(log)[0]
    assert call["folder"] == []
    own = {"PATH", "TMPDIR", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS", "HOME"}
    assert set(call["environment"]) - {"LC_CTYPE"} == own | set(index)
    options = {"--no-config", "--require-hashes", "--no-deps", "--only-binary"}
    assert options <= set(call["argv"])
    assert os.path.isabs(call["argv"][call["argv"].index("--python") + 1])


def test_every_python_is_isolated(machine: Machine) -> None:
    log, fake = machine.root / "python.log", machine.bin / "python3"
    answer = f"printf '%s\\n' '{fake}' cpython-311 without-pip"
    write_program(
        fake,
        f'#!/bin/sh\necho "$*" | head -n 1 >>\'{log}\'\nif [ "$2" = -c ]; then {answer}; else exec {BASE_PYTHON} "$@"; fi\n',
    )
    (machine.bin / "head").symlink_to(shutil.which("head") or "")
    machine.add_uv()
    machine.report()
    lines = log.read_text().splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["-I", "-c"], ["-I", "-m"]]
    assert len(lines) == 3 and lines[2].startswith("-I /") and "finish.py" in lines[2]


def test_two_at_once_build_one_environment(machine: Machine) -> None:
    machine.add_python()
    started, word = _hold_uv(machine)
    first = machine.start(URL)
    _wait_for(started)
    second = machine.start(URL)
    assert second.stderr is not None
    assert "waiting for another set-up" in second.stderr.readline()
    word.touch()
    outputs = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert outputs[0] == outputs[1]
    assert len(calls(machine.root / "uv.log")) == 1


def test_what_a_killed_build_left_is_never_used_and_goes_with_the_next(machine: Machine) -> None:
    machine.add_python()
    started, word = _hold_uv(machine)
    machine.cache.mkdir(parents=True, mode=0o700)
    (machine.cache / "a file of somebody").touch()
    process = machine.start(URL)
    _wait_for(started)
    for child in _descendants(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    process.communicate()
    assert [name for name in _names(machine) if name.startswith(".build.")]
    word.touch()
    python = Path(machine.report()["python"])
    assert _names(machine) == sorted([".lock", "a file of somebody", python.parent.parent.name])


def _descendants(pid: int) -> list[int]:
    """The process and all below it, parents first."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(grandchild for child in children for grandchild in _descendants(int(child)))]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing(machine: Machine, number: signal.Signals) -> None:
    machine.add_python()
    started, _ = _hold_uv(machine)
    process = machine.start(URL)
    _wait_for(started)
    for child in reversed(_descendants(process.pid)):  # as a terminal does, to all of them
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert _names(machine) == [".lock"]


def test_an_environment_whose_python_has_gone_is_built_again(ready: Machine) -> None:
    """The base Python was upgraded or removed: the link in the environment leads nowhere."""
    python = Path(ready.report()["python"])
    base = python.resolve()
    (python.parent / "python3").unlink(missing_ok=True)
    python.unlink()
    python.symlink_to("/nowhere/python")
    assert ready.report()["python"] == str(python)
    assert python.resolve() == base


def test_an_unfinished_environment_is_not_used(ready: Machine) -> None:
    python = Path(ready.report()["python"])
    (python.parent.parent / "guarded-webfetch.finished").unlink()
    ready.report()
    assert (python.parent.parent / "guarded-webfetch.finished").exists()


def test_inside_a_user_namespace_root_shows_as_nobody(ready: Machine) -> None:
    """As in a sandbox or the sealed internet: only the caller is mapped, everybody else has the overflow owner."""
    inside = [shutil.which("unshare") or "unshare", "--user", "--map-root-user"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces")
    if os.geteuid() == 0:  # root owns all parents here; an ordinary user sees / itself that way
        os.chown(ready.home, 12345, -1)
    command = [*inside, BASH, os.fspath(ready.launcher), URL]
    done = subprocess.run(command, env=ready.environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_lock_gets_an_environment_of_its_own(ready: Machine) -> None:
    before = ready.report()["python"]
    lock = ready.launcher.parent.parent / "lib" / "guarded_webfetch" / "setup" / "runtime.lock"
    lock.write_text(lock.read_text() + "# another\n")
    assert ready.report()["python"] != before
    assert Path(before).exists()


def test_nobody_else_can_read_or_write_what_was_built(ready: Machine) -> None:
    environment = Path(ready.report()["python"]).parent.parent
    for folder in (ready.cache.parent, ready.cache, environment):
        assert folder.stat().st_mode & 0o777 == 0o700
    for path in environment.rglob("*"):
        assert path.is_symlink() or not path.stat().st_mode & 0o022, path


def test_everything_is_compiled_and_scripts_name_the_final_place(machine: Machine) -> None:
    machine.add_python()
    write_program(
        machine.bin / "uv",
        f"#!{BASE_PYTHON} -IS\nimport sys, pathlib\npython = pathlib.Path(sys.argv[sys.argv.index('--python') + 1])\n"
        "root = python.parent.parent\nmodule = next(root.glob('lib/python3*/site-packages')) / 'one.py'\nmodule.write_text('')\n"
        "(root / 'bin' / 'tool').write_text(f'#!{python}')\n",
    )
    python = Path(machine.report()["python"])
    module = next(python.parent.parent.glob("lib/python3*/site-packages")) / "one.py"
    assert Path(cache_from_source(os.fspath(module))).exists()
    boot = machine.launcher.parent.parent / "lib" / "guarded_webfetch" / "boot.py"
    assert Path(cache_from_source(os.fspath(boot))).exists()
    assert (python.parent / "tool").read_text() == f"#!{python}"


def test_without_flock_a_folder_is_the_lock(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", tuple(name for name in COMMANDS if name != "flock"))
    machine.add_python()
    started, word = _hold_uv(machine)
    first = machine.start(URL)
    _wait_for(started)
    second = machine.start(URL)
    word.touch()
    assert [process.communicate(timeout=60) and process.returncode for process in (first, second)] == [0, 0]
    assert len(calls(machine.root / "uv.log")) == 1
    assert not (machine.cache / ".lock.d").exists()


def test_without_flock_the_lock_of_a_dead_process_does_not_hold(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", tuple(name for name in COMMANDS if name != "flock"))
    machine.add_python()
    machine.add_uv()
    left = machine.cache / ".lock.d"
    left.mkdir(parents=True)
    for folder in (machine.cache.parent, machine.cache, left):
        folder.chmod(0o700)
    (left / "pid").write_text("4194304\n")  # above the largest process id
    machine.report()
    assert not left.exists()
