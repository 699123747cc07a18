"""`guarded-webfetch setup` does the launcher's first run ahead of time, with the launcher's own script."""

from pathlib import Path

import pytest

from guarded_webfetch.commands import setup
from guarded_webfetch.core.reasons import Refusal

from .harness import Machine


@pytest.fixture
def here(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """This process sees the machine's HOME and PATH."""
    for name in ("GUARDED_WEBFETCH_PYTHON", "XDG_CACHE_HOME", "CODEX_SANDBOX_NETWORK_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    return machine


def test_the_launcher_then_starts_at_once(here: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    here.add_python()
    here.add_uv()
    assert setup.run([]) == 0
    stdout, stderr = capfd.readouterr()
    assert (stdout, stderr.count("\n")) == ("", 1)
    (here.bin / "python3").unlink()
    assert Path(here.report()["python"]).is_relative_to(here.cache)
    assert setup.run([]) == 0
    assert capfd.readouterr() == ("", "")


def test_what_is_missing_is_said_by_the_script(here: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    assert setup.run([]) == 3
    assert capfd.readouterr().err.startswith("guarded-webfetch: prerequisite_missing: No CPython")


def test_it_takes_no_arguments() -> None:
    with pytest.raises(Refusal, match="usage_invalid"):
        setup.run(["--force"])


def test_without_bash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "BASH_FOLDERS", "/nowhere")
    with pytest.raises(Refusal, match="prerequisite_missing"):
        setup.run([])
