"""`doctor` finds what is wrong, says how to put it right, and ends with 3 exactly when a fetch cannot run."""

import os
import platform
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from guarded_webfetch.broker.store import Store
from guarded_webfetch.commands import doctor, doctor_kernel, environments, terminal
from guarded_webfetch.commands import doctor_checks as checks
from guarded_webfetch.commands.doctor_checks import Check
from guarded_webfetch.core.reasons import Refusal

RESULTS = Path(".temp/guarded-webfetch")

pytestmark = pytest.mark.usefixtures("place")


def state(check: Check) -> str:
    """The state; what failed must say what to do."""
    assert check.finding
    if check.state in ("fail", "warn"):
        assert check.fix
    return check.state


def test_a_fetch_can_run_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.run([]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\nA fetch can run here.\n")
    assert "4 start, lock and answer" in out
    assert "FAIL" not in out
    assert not RESULTS.exists()


def test_a_failed_check_is_exit_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CODEX_SANDBOX_NETWORK_DISABLED", "1")
    assert doctor.run([]) == 3
    assert "FAIL  Network" in capsys.readouterr().out


def test_the_checklist() -> None:
    found = [
        Check("ok", "One", "good"),
        Check("fail", "Two more", "bad\x1b", "do this"),
        Check("note", "Three", "so so"),
    ]
    assert doctor.render(found, terminal.Terminal()) == (
        "ok    One       good\n"
        "FAIL  Two more  bad\\u{001B}\n"
        "                -> do this\n"
        "note  Three     so so\n"
        "\n"
        "A fetch cannot run here: 1 of 3 checks failed.\n"
    )


def test_a_wrong_command_line() -> None:
    for argv in (["--client", "other"], ["--client"], ["now"]):
        with pytest.raises(Refusal) as refusal:
            doctor.run(argv)
        assert refusal.value.code == "usage_invalid"


# ---------------------------------------------------------------- the program


@pytest.mark.parametrize(("version", "expected"), [((3, 10), "fail"), ((3, 11), "ok"), ((3, 14), "ok")])
def test_python(monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], expected: str) -> None:
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    assert state(checks.python()) == expected


def test_a_python_nobody_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "python_implementation", lambda: "PyPy")
    assert checks.python().state == "warn"


@pytest.mark.parametrize(
    ("lock", "expected", "named"),
    [
        ("pytest=={version} \\\n    --hash=sha256:00\n", "ok", "1, as locked"),
        ("pytest==0.0.1 \\\n    --hash=sha256:00\n", "warn", "pytest"),
        ("no-such-package==1.0\n", "fail", "no-such-package"),
        ("pytest=={version}\nno-such-package==1.0 ; python_full_version < '3.0'\n", "ok", "2, as locked"),
    ],
)
def test_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lock: str, expected: str, named: str) -> None:
    path = tmp_path / "a.lock"
    path.write_text("# comment==1\n" + lock.format(version=pytest.__version__), encoding="utf-8")
    monkeypatch.setattr(environments, "LOCKS", (path,))
    check = checks.packages()
    assert state(check) == expected
    assert named in check.finding


def test_the_lock_of_the_product_is_read() -> None:
    check = checks.packages()
    assert state(check) in ("ok", "warn")
    assert "missing" not in check.finding


def test_a_library_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    assert state(checks.libraries()) == "ok"
    monkeypatch.setattr(checks, "LIBRARIES", ("httpx", "no_such_library"))
    check = checks.libraries()
    assert state(check) == "fail"
    assert check.finding == "cannot be imported: no_such_library"


def test_libraries_are_not_loaded_into_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LIBRARIES", ("this",))  # the Zen of Python, which nobody imports
    assert state(checks.libraries()) == "ok"
    assert "this" not in sys.modules


def test_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    from guarded_webfetch.fetcher import trust_store

    assert state(checks.certificates()) == "ok"
    monkeypatch.setattr(trust_store, "_system_bundles", lambda: ("/nowhere/ca.crt",))
    assert state(checks.certificates()) == "fail"


def test_jq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert state(checks.jq()) == "warn"
    (tmp_path / "jq").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "jq").chmod(0o755)
    assert state(checks.jq()) == "ok"


def test_children_that_do_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Refusal("sandbox_unavailable")

    monkeypatch.setattr(checks, "Crew", refuse)
    assert state(checks.children()) == "fail"


# ---------------------------------------------------------------- folders


def test_results_folder_and_the_store_agree() -> None:
    assert state(checks.results_folder()) == "ok"
    Store.open(None)
    assert state(checks.results_folder()) == "ok"
    assert os.listdir(RESULTS) == [".gitignore"]
    RESULTS.chmod(0o777)
    assert state(checks.results_folder()) == "fail"
    with pytest.raises(Refusal):
        Store.open(None)


def test_a_results_folder_behind_a_link(place: Path) -> None:
    Path(".temp").symlink_to(place / "home")
    assert state(checks.results_folder()) == "fail"
    assert os.listdir(place / "home") == []


def test_a_results_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(path: str, flags: int, *rest: object, **more: object) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system")
        return real(path, flags, *rest, **more)

    real: Callable[..., int] = os.open
    monkeypatch.setattr(os, "open", read_only)
    assert state(checks.results_folder()) == "fail"


def test_git_ignore(place: Path) -> None:
    assert checks.git_ignore().state == "note"
    (place / ".git").mkdir()
    assert state(checks.git_ignore()) == "ok"
    RESULTS.mkdir(parents=True)
    assert state(checks.git_ignore()) == "warn"
    (RESULTS / ".gitignore").write_text("*\n", encoding="utf-8")
    assert state(checks.git_ignore()) == "ok"
    (RESULTS / ".gitignore").write_text("*.log\n", encoding="utf-8")
    assert state(checks.git_ignore()) == "warn"


def test_cache_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.cache_folder().state == "note"
    cache = place / "home" / ".cache" / "guarded-webfetch"
    cache.mkdir(parents=True)
    assert state(checks.cache_folder()) == "ok"
    cache.parent.chmod(0o777)
    check = checks.cache_folder()
    assert state(check) == "fail"
    assert str(cache.parent) in check.fix
    cache.parent.chmod(0o1777)
    assert state(checks.cache_folder()) == "ok"
    monkeypatch.delenv("HOME")
    assert state(checks.cache_folder()) == "warn"


def test_a_cache_folder_of_somebody_else(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = place / "home" / ".cache" / "guarded-webfetch"
    cache.mkdir(parents=True)
    found = os.stat(cache)
    stranger = os.stat_result((found.st_mode, 0, 0, 1, 4_242, 4_242, 0, 0, 0, 0))
    monkeypatch.setattr(os, "stat", lambda path, **_: stranger)
    monkeypatch.setattr(os.path, "isdir", lambda _: True)
    assert state(checks.cache_folder()) == "fail"


def test_ledger(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state(checks.ledger()) == "ok"
    monkeypatch.setenv("XDG_STATE_HOME", str(place / "work" / "state"))
    assert state(checks.ledger()) == "warn"


def test_config_file(place: Path) -> None:
    assert state(checks.config_file()) == "ok"
    path = place / "home" / ".config" / "guarded-webfetch" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('hosts = ["example.org"]\n', encoding="utf-8")
    path.chmod(0o600)
    assert checks.config_file().state == "note"
    path.chmod(0o666)
    assert state(checks.config_file()) == "fail"


# ---------------------------------------------------------------- the machine


def test_outer_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [state(check) for check in checks.outer_sandbox()] == ["ok"]
    monkeypatch.setenv("GUARDED_WEBFETCH_PROXY_SEEN", "1")
    assert [state(check) for check in checks.outer_sandbox()] == ["ok", "note"]
    monkeypatch.setattr(doctor_kernel, "may_open_sockets", lambda: False)
    assert [state(check) for check in checks.outer_sandbox()] == ["fail", "note"]


def test_kernel_facts_are_no_failures() -> None:
    assert [check.state for check in checks.kernel()] == ["note", "note", "note"]


def test_probes_leave_no_trace_in_this_process() -> None:
    namespaces = [os.readlink(f"/proc/self/ns/{name}") for name in ("user", "net", "mnt")]
    doctor_kernel.has_user_namespaces()
    doctor_kernel.has_seccomp()
    doctor_kernel.landlock_abi()
    assert namespaces == [os.readlink(f"/proc/self/ns/{name}") for name in ("user", "net", "mnt")]
    with open("/proc/self/status", encoding="ascii") as status:
        assert "NoNewPrivs:\t0" in status.read()


def test_a_probe_that_fails_says_so() -> None:
    assert doctor_kernel.succeeds(lambda: None)
    assert not doctor_kernel.succeeds(lambda: 1 / 0)
    assert not doctor_kernel.succeeds(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_without_linux_there_are_no_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert doctor_kernel.landlock_abi() == 0
    assert not doctor_kernel.has_seccomp()
