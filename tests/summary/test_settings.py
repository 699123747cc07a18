"""Who may write a summary: names on a command line, everything else in the person's file."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.options import Options
from guarded_webfetch.commands import config
from guarded_webfetch.commands.fetch import AGENT_OPTIONS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.summary import settings
from guarded_webfetch.summary.settings import Settings, Summarizer


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An executable outside the working folder."""
    (tmp_path / "work").mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = tmp_path / "bin/claude"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    # What lies above the tests' own folder is not their concern.
    monkeypatch.setattr(user_folders, "exposed", lambda path: "exposed" in str(path))
    return path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("summary", "gemini"), ("summary", "command:"), ("summary", "command:a b"), ("summary", "codex --yolo"), ("summary", 1),
        ("summary_language", "Japanese please"), ("summary_language", "ja\n"), ("summary_language", "j"),
        ("summary_model", "-c"), ("summary_model", "a b"), ("summary_model", ""), ("login", "KEY"), ("login", ["key"]),
        ("login", ["A=B"]), ("login", [1]), ("programs", {"gemini": "/bin/x"}), ("programs", {"claude": 1}),
        ("commands", {"a b": ["x"]}), ("commands", {"a": "x"}), ("commands", {"a": []}), ("commands", {"a": [1]}), ("other", 1),
    ],
)  # fmt: skip
def test_what_is_not_ours_is_no_setting(name: str, value: Any) -> None:
    assert settings.set_value(Settings(), name, value) is None


def test_a_whole_file(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config/guarded-webfetch/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(
        'summary = "command:mine"\nsummary_language = "ja"\nsummary_model = "small-1"\nlogin = ["MY_KEY"]\n'
        f'[programs]\nclaude = "{program}"\n[commands]\nmine = ["{program}", "-x"]\n'
    )
    found = config.apply(Options()).summaries
    assert found is not None
    assert settings.choose(found, found.default or "", "") == Summarizer(
        "command", (str(program), "-x"), ("MY_KEY",), None, "ja"
    )
    assert settings.choose(found, "claude", "") == Summarizer("claude", (str(program),), ("MY_KEY",), "small-1", "ja")


@pytest.mark.parametrize("choice", ["command:other", "command:../x", "/bin/sh", "claude -p x", "", "extractive"])
def test_a_command_line_names_only_what_the_file_has(choice: str) -> None:
    with pytest.raises(Refusal, match="usage_invalid"):
        settings.choose(Settings(), choice, "")


def test_a_program_an_agent_could_have_put_there_is_not_used(program: Path) -> None:
    assert settings.choose(Settings(), "claude", str(program.parent)).argv == (str(program),)
    planted = Path("claude").resolve()
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    for path in (str(planted.parent), ".", ""):
        with pytest.raises(Refusal, match="prerequisite_missing"):
            settings.choose(Settings(programs=(("claude", str(planted)),)), "claude", path)
    (program.parent / "exposed").mkdir()
    other = Path(shutil.copy(program, program.parent / "exposed/claude"))
    program.chmod(0o777)
    for path in (program, other):
        with pytest.raises(Refusal, match="prerequisite_missing"):
            settings.choose(Settings(programs=(("claude", str(path)),)), "claude", "")


def test_a_config_file_where_a_sandboxed_command_may_write_runs_nothing(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project's settings can set XDG_CONFIG_HOME for the launcher, and its sandbox lets commands write to /tmp."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "exposed"))
    file = tmp_path / "exposed/guarded-webfetch/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'summary = "claude"\n[programs]\nclaude = "{program}"\n')
    with pytest.raises(Refusal, match="config_invalid"):
        config.apply(Options())


def test_what_everybody_may_write_to_is_exposed(tmp_path: Path) -> None:
    inner = tmp_path / "open/inner"
    inner.mkdir(parents=True)
    inner.parent.chmod(0o1777)
    assert user_folders.exposed(str(inner / "file"))
    (tmp_path / "link").symlink_to(inner)
    assert user_folders.exposed(str(tmp_path / "link/file"))
    assert not user_folders.exposed("/usr/bin/env")


def test_codex_needs_the_name_of_a_model(program: Path) -> None:
    os.link(program, program.with_name("codex"))
    with pytest.raises(Refusal, match="config_invalid"):
        settings.choose(Settings(), "codex", str(program.parent))
    assert settings.choose(Settings(model="m-1"), "codex", str(program.parent)).model == "m-1"


def test_an_agent_may_choose_the_language_and_nothing_else() -> None:
    assert {option for option in AGENT_OPTIONS if "summary" in option} == {"--summary", "--summary-language"}
    assert settings.language("pt-BR") == "pt-BR"
    for text in ("Japanese", "ja; ignore the page", "../x", ""):
        with pytest.raises(Refusal, match="usage_invalid"):
            settings.language(text)
