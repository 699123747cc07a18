"""The console: exit codes and one line, whatever goes wrong inside."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from guarded_webfetch.boot import ALLOWED_ENVIRONMENT
from guarded_webfetch.commands import cli, fetch, outcome
from guarded_webfetch.core.reasons import REASONS, Refusal
from tests.conftest import REPOSITORY

BOOT = REPOSITORY / "shared/guarded_webfetch/boot.py"


def boot(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(BOOT), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("code", REASONS)
def test_every_reason_is_one_short_line(code: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert outcome.refuse(code, ".temp/guarded-webfetch/failure-0123456789abcdef.json") == REASONS[code].exit_code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"guarded-webfetch: {code}: ")
    assert len(err.partition(" (record")[0].encode()) < 300


def test_a_bug_prints_no_traceback(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(argv: list[str]) -> int:
        raise RuntimeError("<script>chosen by a page</script>")

    monkeypatch.setattr(fetch, "run_agent", broken)
    assert cli.main(["agent", "https://example.com/"]) == 70
    assert capfd.readouterr().err == f"guarded-webfetch: internal_error: {REASONS['internal_error'].sentence}\n"


@pytest.mark.parametrize(
    "argv", [["unknown"], ["fetch"], ["fetch", "--no-such"], ["show"], ["sanitize", "x"], ["purge", "x"]]
)
def test_usage(argv: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(argv) == 2
    assert "usage_invalid" in capfd.readouterr().err


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    assert f"guarded-webfetch {name}" in capfd.readouterr().out


def test_overview_names_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    out = capfd.readouterr().out
    assert all(name in out for name in cli.COMMANDS)


def test_version(tmp_path: Path) -> None:
    done = boot("--version", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("guarded-webfetch 0.")


def test_closed_stdout_is_no_traceback(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -I -S "{BOOT}" rules | head -n 1'
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""


def test_closed_standard_streams_do_no_harm(tmp_path: Path) -> None:
    """A pipe to a child must never land on 0, 1 or 2, which the child replaces."""
    (tmp_path / "page.txt").write_text("The level was read from the painted staff.")
    command = f'"{sys.executable}" -I -S "{BOOT}" sanitize page.txt --type text <&- >&- 2>&-'
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env={"HOME": str(tmp_path / "home")}, timeout=60, check=False
    )
    assert done.returncode == 0
    assert len(list(tmp_path.glob(".temp/guarded-webfetch/result-????????????????.json"))) == 1


def test_agent_options_are_a_closed_list() -> None:
    """The set itself: whoever adds an option has to change this line and think."""
    assert {
        "--timeout", "--summary", "--links", "--allow-origin", "--redirects", "--no-raw-html", "--quiet", "--ca-bundle",
        "--out", "--require-isolation", "--from", "--summary-language",
    } == fetch.AGENT_OPTIONS  # fmt: skip
    for option in fetch.AGENT_OPTIONS - {"--from"}:
        assert option in fetch._parser(person=False).format_help()
    for option in ("--resolver-profile", "--ports", "--allow-secret"):
        assert option not in fetch._parser(person=False).format_help()
        with pytest.raises(Refusal) as caught:
            fetch.run_agent(["https://example.com/", option])
        assert caught.value.code == "option_not_allowed"


def test_module_level_environment_is_dropped(tmp_path: Path) -> None:
    """The console script starts over without the caller's secrets; the C environment of the new process has none."""
    probe = (
        "import sys; sys.argv = ['guarded-webfetch', '--version']; "
        "import os; os.execve = lambda path, argv, env: print(sorted(env), argv[1:3]); "
        f"sys.path.insert(0, {str(REPOSITORY / 'shared')!r}); from guarded_webfetch.boot import console; console()"
    )
    environment = {
        "HOME": "/h",
        "PATH": os.environ["PATH"],
        "API_KEY": "s3cret",
        "HTTPS_PROXY": "http://u:p@proxy",
        "LANG": "C",
    }
    done = subprocess.run(
        [sys.executable, "-c", probe], env=environment, capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout == "['GUARDED_WEBFETCH_PROXY_SEEN', 'HOME', 'LANG', 'PATH'] ['-I', '-S']\n"


def test_the_checkout_script_passes_what_the_console_script_passes() -> None:
    script = (REPOSITORY / "scripts/guarded-webfetch").read_text(encoding="utf-8")
    passed = re.search(r"^for name in (HOME .+); do$", script, re.MULTILINE)
    assert passed and {*passed[1].split(), "GUARDED_WEBFETCH_PROXY_SEEN"} == set(ALLOWED_ENVIRONMENT)
