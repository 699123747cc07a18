"""`doctor --client`: whether a client finds the skill, what its rules let out, and whether its hooks judge rightly."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from guarded_webfetch.commands import doctor, doctor_client, doctor_hooks
from guarded_webfetch.commands.client_files import Client
from guarded_webfetch.commands.doctor_checks import Check
from tests.conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "scripts"))

from shipping.install import Install

CLIENTS: tuple[Client, ...] = ("claude", "codex")


pytestmark = pytest.mark.usefixtures("place")

# One part at a time: the hooks take a while.
PARTS: dict[str, Callable[[Client], Iterable[Check]]] = {
    "Skill": lambda client: [doctor_client._skill(client)],
    "Built-in fetchers": lambda client: [doctor_client._fetchers(client)],
    "Sandbox rule": lambda client: [doctor_client._exemption(client)],
    "Hook": doctor_hooks.hooks,
    "Environment": lambda _: doctor_client._environment(),
}


def checks(client: Client, name: str) -> list[Check]:
    """The checks of one name; what is not right says what to do."""
    found = list(PARTS[name](client))
    for check in found:
        assert check.name == name and check.finding
        assert check.fix or check.state == "ok"
    return found


def states(client: Client, name: str) -> list[str]:
    return [check.state for check in checks(client, name)]


# ---------------------------------------------------------------- the skill


@pytest.mark.parametrize(
    ("client", "folder"),
    [
        ("claude", "work/.claude/skills"),
        ("claude", ".claude/skills"),
        ("claude", "home/.claude/skills"),
        ("codex", "work/.agents/skills"),
        ("codex", "work/.codex/skills"),
        ("codex", "home/.codex/skills"),
        ("codex", "home/.agents/skills"),
    ],
)
def test_where_a_client_finds_the_skill(place: Path, client: Client, folder: str) -> None:
    assert states(client, "Skill") == ["warn"]
    skill = place / folder / "guarded-webfetch"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: guarded-webfetch\n", encoding="utf-8")
    assert states(client, "Skill") == ["ok"]
    assert states("codex" if client == "claude" else "claude", "Skill") == ["warn"]


def test_a_skill_a_client_will_not_load(place: Path) -> None:
    skill = place / "work/.claude/skills/guarded-webfetch"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_bytes(b"\xef\xbb\xbf---\n")
    assert states("claude", "Skill") == ["warn"]
    real = place / "elsewhere"
    skill.rename(real)
    (real / "SKILL.md").write_bytes(b"---\n")
    skill.symlink_to(real)
    assert states("claude", "Skill") == ["warn"]


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", CLIENTS)
def test_after_an_install_everything_is_right(place: Path, client: Client, scope: str) -> None:
    for name in ("Built-in fetchers", "Sandbox rule", "Hook"):
        assert states(client, name) == ["warn"], name
    Install(client, scope, place / "work").install()  # type: ignore[arg-type]
    for name in ("Skill", "Built-in fetchers", "Sandbox rule", "Hook"):
        assert states(client, name) == ["ok"], (name, checks(client, name))


def test_an_exemption_that_does_not_hold(place: Path) -> None:
    def write(*commands: str) -> None:
        path = place / "home/.claude/settings.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"sandbox": {"excludedCommands": list(commands)}}))

    real = place / "a folder/guarded-webfetch/scripts/quarantine-fetch.sh"
    real.parent.mkdir(parents=True)
    real.touch()
    for command, expected in (
        (f"bash {real}:*", "ok"),
        (f'bash "{real}":*', "ok"),
        ("bash /nowhere/guarded-webfetch/scripts/quarantine-fetch.sh:*", "warn"),
        ("bash .claude/skills/guarded-webfetch/scripts/quarantine-fetch.sh:*", "warn"),
        ('bash "sub/guarded-webfetch/scripts/quarantine-fetch.sh":*', "warn"),
        ("docker", "warn"),
    ):
        write(command)
        assert states("claude", "Sandbox rule") == [expected], command
    assert "relative" not in checks("claude", "Sandbox rule")[0].finding
    write("bash .claude/skills/guarded-webfetch/scripts/quarantine-fetch.sh:*")
    assert "relative" in checks("claude", "Sandbox rule")[0].finding


def test_a_codex_rule_that_does_not_hold(place: Path) -> None:
    rules = place / "home/.codex/rules/mine.rules"
    rules.parent.mkdir(parents=True)
    for path, decision, word in (
        (".agents/skills/guarded-webfetch/scripts/quarantine-fetch.sh", "allow", "relative"),
        ("/nowhere/guarded-webfetch/scripts/quarantine-fetch.sh", "allow", "not there"),
        ("/nowhere/guarded-webfetch/scripts/quarantine-fetch.sh", "prompt", "none"),
    ):
        rules.write_text(f'prefix_rule(pattern=["bash", "{path}"], decision="{decision}")\n')
        assert word in checks("codex", "Sandbox rule")[0].finding


def test_an_environment_in_the_workspace_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert states("claude", "Environment") == []
    monkeypatch.chdir(place / "home")
    assert states("claude", "Environment") == ["warn"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"hooks": [1], "permissions": {"deny": 3}, "sandbox": []}',
        '{"hooks": {"PreToolUse": [1, {"hooks": [2]}]}}',
    ],
)
def test_settings_of_any_shape_are_read(place: Path, text: str) -> None:
    for name in (".claude/settings.json", ".codex/hooks.json", ".codex/config.toml"):
        path = place / "home" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for client in CLIENTS:
        assert states(client, "Hook") == ["warn"]


# ---------------------------------------------------------------- hooks


def installed(place: Path, scope: str = "user") -> Path:
    """The scripts of an installed skill."""
    Install("claude", scope, place / "work").install()  # type: ignore[arg-type]
    return place / ("home" if scope == "user" else "work") / ".claude/skills/guarded-webfetch/scripts"


def rewritten(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(scripts: Path) -> None:
        text = (scripts / name).read_text()
        assert old in text
        (scripts / name).write_text(text.replace(old, new))

    return change


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        (rewritten("pre-tool-use.sh", "IFS= read", "exit 0\nIFS= read"), "WebFetch"),
        (rewritten("pre-tool-use.sh", "IFS= read", "exit 1\nIFS= read"), "one call of the launcher"),
        (rewritten("pre_tool_use.py", "_deny(_COMMAND_DENIED)", "None"), "a pipe behind the launcher"),
        (rewritten("pre_tool_use.py", "tool in FETCHERS", "tool == 'WebFetch'"), "WebSearch"),
        (rewritten("pre_tool_use.py", "CALL.fullmatch(command)", "CALL.match(command)"), "a second command"),
        (lambda scripts: (scripts / "pre-tool-use.sh").unlink(), "not there"),
    ],
)
def test_a_hook_that_judges_wrongly_is_told(place: Path, broken: Callable[[Path], None], word: str) -> None:
    scripts = installed(place)
    assert states("claude", "Hook") == ["ok"]
    broken(scripts)
    check = checks("claude", "Hook")[0]
    assert check.state == "warn"
    assert word in check.finding


def test_a_hook_that_is_not_run_for_a_tool(place: Path) -> None:
    installed(place)
    path = place / "home/.claude/settings.json"
    path.write_text(path.read_text().replace("WebFetch|WebSearch|Bash|Monitor", "Bash"))
    assert "WebFetch, WebSearch" in checks("claude", "Hook")[0].finding


def test_a_script_a_repository_brought_along_is_not_run(place: Path) -> None:
    scripts = installed(place, "project")
    assert states("claude", "Hook") == ["ok"]
    (scripts / "pre-tool-use.sh").write_text(f"touch '{place}/ran'\n")
    check = checks("claude", "Hook")[0]
    assert (check.state, (place / "ran").exists()) == ("warn", False)
    assert check.finding.startswith("not run")


@pytest.mark.parametrize(
    "command",
    [
        "touch RAN",
        "bash RAN/guarded-webfetch/scripts/pre-tool-use.sh; touch RAN",
        "sh -c 'touch RAN'",
        "bash 'unclosed",
        "bash $(touch RAN)",
    ],
)
def test_nothing_else_of_a_settings_file_is_run(place: Path, command: str) -> None:
    path = place / "work/.claude/settings.json"
    path.parent.mkdir()
    handler = {"type": "command", "command": command.replace("RAN", str(place / "ran").replace(" ", "\\ "))}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}}))
    assert "none of guarded-webfetch" in checks("claude", "Hook")[0].finding
    assert not (place / "ran").exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_plugins_hook_is_found(place: Path, client: Client) -> None:
    root = place / f"home/.{client}/plugins/cache/guarded-webfetch/guarded-webfetch/0.1.0"
    for name in (".claude-plugin", "skills"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert states(client, "Hook") == ["ok"]
    (root / "skills/guarded-webfetch/scripts/pre_tool_use.py").unlink()
    assert states(client, "Hook") == ["warn"]


def test_samples_ask_for_both_answers() -> None:
    for tool in ("WebFetch", "WebSearch"):
        assert [sample.denied for sample in doctor_hooks.samples("/x") if sample.tool == tool] == [True]
    assert {sample.denied for sample in doctor_hooks.samples("/x") if sample.tool == "Bash"} == {True, False}


def test_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_general", lambda: iter([Check("ok", "One", "good")]))
    assert doctor.run(["--client", "codex"]) == 0
    out = capsys.readouterr().out
    for name in PARTS.keys() - {"Environment"}:
        assert f" {name} " in out
    assert "bash scripts/install --client codex --scope user" in out
    assert os.environ["HOME"] not in out.split("Sandbox rule")[1]
