"""The launcher: what it refuses by itself, which code it runs, what it hands over."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from guarded_webfetch import boot

from .harness import BASH, PACKAGE, REPORTING_BOOT, SKILL, URL, Machine, copy_skill


@pytest.mark.parametrize(
    "arguments", [[], [""], ["ftp://x/"], ["--quiet", URL], ["-h"], ["example.com"], ["HTTPS://x/"]]
)
def test_anything_but_a_url_first_is_a_usage_error(machine: Machine, arguments: list[str]) -> None:
    process = machine.start(*arguments)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (2, "")
    assert stderr.startswith("guarded-webfetch: usage_invalid: ") and stderr.count("\n") == 1
    assert len(stderr) < 300
    assert not machine.cache.exists()


@pytest.mark.parametrize("arguments", [[URL], ["http://x/?a=b&c='d'"], ["--from", "a b.json", "L3", "--quiet"]])
def test_arguments_arrive_word_for_word(ready: Machine, arguments: list[str]) -> None:
    assert ready.report(*arguments)["argv"] == ["agent", *arguments]


def test_the_program_is_started_isolated_in_the_callers_folder(ready: Machine) -> None:
    report = ready.report()
    assert (report["isolated"], report["no_site"]) == (1, 1)
    assert report["folder"] == str(ready.folder)
    assert report["python"].startswith(f"{ready.cache}/")


def test_only_allowed_names_reach_the_program(ready: Machine) -> None:
    ready.variables = {name: "set" for name in boot.ALLOWED_ENVIRONMENT if name not in ("HOME", "PATH")}
    ready.variables |= {
        "API_KEY": "secret",
        "PYTHONPATH": "/x",
        "LD_LIBRARY_PATH": "/x",
        "XDG_CACHE_HOME": str(ready.home / ".cache"),
    }
    names = set(ready.report()["environment"]) - {"LC_CTYPE"}  # the C locale is coerced by Python itself (PEP 538)
    assert {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_SANDBOX_NETWORK_DISABLED"} == names
    assert names < set(boot.ALLOWED_ENVIRONMENT)


@pytest.mark.parametrize("name", boot.PROXY_VARIABLES)
def test_a_proxy_is_passed_as_a_fact_without_its_value(ready: Machine, name: str) -> None:
    assert "GUARDED_WEBFETCH_PROXY_SEEN" not in ready.report()["environment"]
    ready.variables = {name: "http://user:word@proxy:1"}
    environment = ready.report()["environment"]
    assert environment["GUARDED_WEBFETCH_PROXY_SEEN"] == "1"
    assert not any("proxy:1" in value for value in environment.values())


@pytest.mark.parametrize("home", ["", "relative", None])
def test_without_a_home_the_password_database_is_asked(ready: Machine, home: str | None) -> None:
    ready.variables = {"XDG_CACHE_HOME": str(ready.home / ".cache")} | ({} if home is None else {"HOME": home})
    environment = ready.environment
    if home is None:
        del environment["HOME"]
    done = subprocess.run([BASH, ready.launcher, URL], env=environment, capture_output=True, text=True, check=True)
    assert f'"HOME": "{os.path.expanduser(f"~{_user_name()}")}"' in done.stdout


def _user_name() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name


def test_it_works_from_its_own_folder_through_a_link_and_under_sh(ready: Machine) -> None:
    link = ready.root / "link"
    link.symlink_to(ready.launcher.parent.parent)
    ways = (
        ([BASH, "quarantine-fetch.sh", URL], ready.launcher.parent),
        ([BASH, f"{link}/scripts/quarantine-fetch.sh", URL], ready.folder),
        (["/bin/sh", os.fspath(ready.launcher), URL], ready.folder),
    )
    for command, folder in ways:
        done = subprocess.run(command, cwd=folder, env=ready.environment, capture_output=True, text=True, check=True)
        assert f'"boot": "{ready.launcher.parent.parent}/lib/guarded_webfetch/boot.py"' in done.stdout


def test_in_a_checkout_the_code_is_two_levels_up(ready: Machine) -> None:
    checkout = ready.root / "checkout"
    shutil.copytree(SKILL, checkout / "skills" / "guarded-webfetch", ignore=shutil.ignore_patterns("lib"))
    package = checkout / "shared" / "guarded_webfetch"
    shutil.copytree(PACKAGE / "setup", package / "setup")
    (package / "boot.py").write_text(REPORTING_BOOT)
    ready.launcher = checkout / "skills" / "guarded-webfetch" / "scripts" / "quarantine-fetch.sh"
    assert ready.report()["boot"] == str(package / "boot.py")


@pytest.mark.parametrize("broken", ["empty", "link to nowhere", "without boot.py"])
def test_with_a_lib_folder_no_other_code_is_run(ready: Machine, tmp_path: Path, broken: str) -> None:
    """A copied skill with a damaged lib/ must not fall back to code two levels up, which may lie in a workspace."""
    workspace = tmp_path / "workspace"
    ready.launcher = copy_skill(workspace / "skills" / "copied")
    shutil.copytree(workspace / "skills" / "copied" / "lib", workspace / "shared")
    lib = workspace / "skills" / "copied" / "lib"
    if broken == "without boot.py":
        (lib / "guarded_webfetch" / "boot.py").unlink()
    else:
        shutil.rmtree(lib)
        lib.symlink_to("nowhere") if broken == "link to nowhere" else lib.mkdir()
    assert "install the whole skill folder" in ready.refusal()
