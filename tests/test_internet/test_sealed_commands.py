"""Running commands inside: what passes through, and that nothing is left behind."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.internet import processes
from tests.internet.client import SealedInternet, Unavailable

pytestmark = pytest.mark.sealed

LAUNCH = [sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "internet" / "launch.py")]


def eventually(holds: Callable[[], bool], limit_s: float = 5.0) -> bool:
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def alive(pid: int) -> bool:
    return processes.command_line(pid) != ""


# ---------------------------------------------------------------- the pytest side


def test_folder_environment_input_and_output_pass_through(sealed_internet: SealedInternet, tmp_path: Path) -> None:
    script = 'pwd; cat; printf %s "$WORD" >&2; exit 7'
    result = sealed_internet.run(["/bin/sh", "-c", script], cwd=tmp_path, env={"WORD": "né"}, stdin=b"in\n")
    assert (result.returncode, result.stdout, result.stderr) == (7, f"{tmp_path}\nin\n", "né")


def test_the_environment_is_the_given_one_alone(sealed_internet: SealedInternet) -> None:
    result = sealed_internet.run(["/usr/bin/env"], env={"ONLY": "this"})
    assert result.stdout == "ONLY=this\n"


def test_signals_and_missing_commands_are_told(sealed_internet: SealedInternet, tmp_path: Path) -> None:
    assert sealed_internet.run(["/bin/sh", "-c", "kill -SEGV $$"]).returncode == -signal.SIGSEGV
    assert sealed_internet.run(["/no/such/command"]).returncode == 127
    (tmp_path / "plain").write_text("not executable")
    assert sealed_internet.run([str(tmp_path / "plain")]).returncode == 126


def test_a_command_over_its_time_is_killed_with_all_below_it(sealed_internet: SealedInternet) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        sealed_internet.run(["/bin/sh", "-c", "sleep 60 & setsid sleep 60 & sleep 60"], timeout=0.4)
    assert eventually(lambda: sealed_internet.processes() == [])


def test_orphans_stay_visible_and_are_reaped(sealed_internet: SealedInternet) -> None:
    result = sealed_internet.run(["/bin/sh", "-c", "setsid sleep 0.4 >/dev/null & "])
    assert result.returncode == 0
    assert eventually(lambda: [line for _, line in sealed_internet.processes()] == ["sleep 0.4"])
    assert eventually(lambda: sealed_internet.processes() == [])


def test_commands_run_side_by_side(sealed_internet: SealedInternet) -> None:
    running = [sealed_internet.start(["/bin/sh", "-c", f"sleep 0.3; exit {n}"]) for n in range(5)]
    results = [command.wait() for command in running]
    assert [result.returncode for result in results] == [0, 1, 2, 3, 4]
    assert max(result.seconds for result in results) < 1.4


def test_two_sealed_internets_at_once_and_no_trace_of_the_second(sealed_internet: SealedInternet) -> None:
    names = ["/bin/sh", "-c", "readlink /proc/self/ns/net"]
    with SealedInternet() as second:
        assert sealed_internet.run(names).stdout != second.run(names).stdout
        left = second.start(["/bin/sh", "-c", "setsid sleep 60 & sleep 60"])
        assert eventually(lambda: len(second.processes()) == 3)
        pids = [left.pid, *(pid for pid, _ in second.processes())]
        folder = second.folder
        assert folder.is_dir()
    assert not [pid for pid in pids if alive(pid)]
    assert not folder.exists()


def test_outside_nothing_changes(sealed_internet: SealedInternet) -> None:
    inside = sealed_internet.run(["/bin/cat", "/etc/resolv.conf"], env={}).stdout
    assert inside == "nameserver 127.0.0.1\n"
    assert "sealed-internet-" in sealed_internet.run(["/bin/cat", "/proc/self/mountinfo"], env={}).stdout
    assert "sealed-internet-" not in Path("/proc/self/mountinfo").read_text()


# ---------------------------------------------------------------- scripts/sealed-internet


@pytest.fixture
def available(sealed_internet: SealedInternet) -> None:
    """The launcher starts its own; this skips where the machine cannot have one."""


@pytest.mark.usefixtures("available")
def test_the_launcher_passes_folder_environment_and_exit_code(tmp_path: Path) -> None:
    done = subprocess.run(
        [*LAUNCH, "/bin/sh", "-c", 'pwd; cat; echo "$WORD" >&2; exit 9'],
        cwd=tmp_path, env={**os.environ, "WORD": "x"}, input=b"in\n", capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (9, f"{tmp_path}\nin\n".encode(), b"x\n")


@pytest.mark.usefixtures("available")
def test_the_launcher_ends_the_way_its_command_ended() -> None:
    assert subprocess.run([*LAUNCH, "/bin/sh", "-c", "kill -TERM $$"], check=False).returncode == -signal.SIGTERM
    assert subprocess.run([*LAUNCH, "/no/such/command"], stderr=subprocess.DEVNULL, check=False).returncode == 127


@pytest.mark.usefixtures("available")
def test_without_a_command_there_is_a_shell_and_a_list() -> None:
    done = subprocess.run(
        LAUNCH, input=b"exit 5\n", capture_output=True, env={**os.environ, "SHELL": "/bin/sh"}, check=False
    )
    assert done.returncode == 5
    assert b"https://example.com/" in done.stderr
    assert done.stdout == b""


@pytest.mark.usefixtures("available")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_killed_launcher_leaves_nothing(number: int) -> None:
    script = "setsid sleep 60 & echo started; exec sleep 60"
    launcher = subprocess.Popen([*LAUNCH, "/bin/sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    assert launcher.stdout is not None
    with launcher.stdout:
        assert launcher.stdout.readline() == b"started\n"
        assert eventually(lambda: len(processes.descendants(launcher.pid)) == 4)  # keeper, servers, two sleeps
        below = processes.descendants(launcher.pid)
        launcher.send_signal(number)
        assert launcher.wait(10) == -number
    assert eventually(lambda: not [pid for pid in below if alive(pid)])


@pytest.mark.usefixtures("available")
def test_ctrl_c_reaches_the_command_once() -> None:
    script = "trap 'n=$((n+1))' INT; echo started; sleep 0.7; sleep 0.3; echo interrupts: $n"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(LAUNCH[0], [*LAUNCH, "/bin/sh", "-c", script])
    said = b""
    pressed = False
    while select.select([terminal], [], [], 10)[0]:
        try:
            said += os.read(terminal, 4096)
        except OSError:  # the terminal is closed when its last user ends
            break
        if b"started" in said and not pressed:
            os.write(terminal, b"\x03")
            pressed = True
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"interrupts: 1" in said


@pytest.mark.usefixtures("available")
def test_refused_user_namespaces_are_named() -> None:
    inner = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    done = subprocess.run(
        ["unshare", "-Ur", "/bin/sh", "-c", inner, "sh", *LAUNCH, "true"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "sysctl -w user.max_user_namespaces=" in done.stderr


@pytest.mark.parametrize(("tool", "package"), [("unshare", "util-linux"), ("ip", "iproute2"), ("openssl", "openssl")])
def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tool: str, package: str) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: None if name == tool else f"/usr/bin/{name}")
    with pytest.raises(Unavailable, match=f"{tool} is missing; install the package {package}"):
        SealedInternet()


@pytest.mark.usefixtures("available")
@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="the tests do not run in an environment the script accepts")
def test_the_script_runs_its_command_in_the_callers_folder(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "sealed-internet"
    done = subprocess.run(
        ["bash", str(script), "/bin/sh", "-c", "pwd; cat /etc/resolv.conf; exit 4"],
        cwd=tmp_path,
        env={**os.environ, "GUARDED_WEBFETCH_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, f"{tmp_path}\nnameserver 127.0.0.1\n", "")
