"""scripts/install: adds its entries and nothing else, twice is once, and an uninstall leaves every byte as it was."""

import json
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

from .conftest import run_script

EVERYWHERE = [(client, scope) for client in ("claude", "codex") for scope in ("user", "project")]
Place = tuple[Path, Path]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A home and a project."""
    for name in ("home", "a project"):
        (tmp_path / name).mkdir()
    return tmp_path / "home", tmp_path / "a project"


def install(place: Place, client: str, scope: str, *more: str, expected: int = 0) -> str:
    home, project = place
    done = run_script("install", "--client", client, "--scope", scope, *more, home=home, cwd=project, expected=expected)
    return done.stdout or done.stderr


def base(place: Place, scope: str) -> Path:
    return place[scope == "project"]


def snapshot(place: Place) -> dict[str, bytes | None]:
    """Every file and folder of home and project, but for the tool's own state folder."""
    found = {}
    for top in place:
        for path in top.rglob("*"):
            if ".local" not in path.relative_to(top).parts:
                found[str(path)] = path.read_bytes() if path.is_file() else None
    return found


SETTINGS = """{
    "model": "a model",
    "permissions": {"deny": ["WebFetch", "Read(./secrets/**)"], "allow": ["Bash(ls:*)"]},
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}],
              "Stop": []},
    "日本語": "そのまま"
}
"""
CONFIG = '# mine\nmodel = "a model"\n\n[tui]\ntheme = "dark"\n'


def write_settings(place: Place, scope: str) -> None:
    for name, text in {
        ".claude/settings.json": SETTINGS,
        ".codex/config.toml": CONFIG,
        ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
        ".codex/rules/default.rules": 'prefix_rule(pattern=["ls"], decision="allow")\n',
    }.items():
        path = base(place, scope) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("client", "scope"), EVERYWHERE)
@pytest.mark.parametrize("settled", [False, True])
def test_an_uninstall_leaves_everything_as_it_was(place: Place, client: str, scope: str, settled: bool) -> None:
    if settled:
        write_settings(place, scope)
    before = snapshot(place)
    install(place, client, scope)
    once = snapshot(place)
    assert set(before) < set(once)
    assert "same" in install(place, client, scope) and snapshot(place) == once
    install(place, client, scope, "--uninstall")
    assert snapshot(place) == before
    assert "nothing was installed" in install(place, client, scope, "--uninstall", expected=3)


@pytest.mark.parametrize("scope", ["user", "project"])
def test_what_claude_code_gets(place: Place, scope: str) -> None:
    write_settings(place, scope)
    install(place, "claude", scope)
    folder = base(place, scope) / ".claude"
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    launcher = folder / "skills/guarded-webfetch/scripts/quarantine-fetch.sh"
    assert launcher.is_file()
    assert settings["permissions"]["deny"][:3] == ["WebFetch", "Read(./secrets/**)", "WebSearch"]
    assert settings["permissions"]["allow"][0] == "Bash(ls:*)"
    assert settings["model"] == "a model" and settings["日本語"] == "そのまま"
    hooks = settings["hooks"]["PreToolUse"]
    assert [hook["matcher"] for hook in hooks] == ["Bash", "WebFetch|WebSearch|Bash|Monitor"]
    exempt = settings if scope == "user" else json.loads((folder / "settings.local.json").read_text("utf-8"))
    spelled = [f'bash "{launcher}":*'] if scope == "project" else [f"bash {launcher}:*", f'bash "{launcher}":*']
    assert exempt["sandbox"]["excludedCommands"] == spelled
    assert set(exempt["permissions"]["allow"]) - {"Bash(ls:*)"} == {f"Bash({one})" for one in spelled}


def test_what_a_project_shares_names_no_path_of_this_machine_and_exempts_nothing(place: Place) -> None:
    install(place, "claude", "project")
    text = (place[1] / ".claude/settings.json").read_text("utf-8")
    assert str(place[0].parent) not in text
    assert "excludedCommands" not in text and "allow" not in json.loads(text)["permissions"]
    assert "Edit(**/.claude/skills/guarded-webfetch/**)" in text


@pytest.mark.parametrize(("client", "scope"), EVERYWHERE)
def test_every_exemption_is_of_the_absolute_path(place: Place, client: str, scope: str) -> None:
    install(place, client, scope)
    exemptions = []
    for path in (path for top in place for path in top.rglob("*")):
        if path.name in ("settings.json", "settings.local.json"):
            settings = json.loads(path.read_text("utf-8"))
            exemptions += settings.get("sandbox", {}).get("excludedCommands", [])
            exemptions += settings["permissions"].get("allow", [])
        elif path.suffix == ".rules":
            exemptions += [line for line in path.read_text("utf-8").splitlines() if line.startswith("prefix_rule")]
    assert exemptions
    assert all(f"{base(place, scope)}/." in one and "*" not in one.replace(":*", "") for one in exemptions)


@pytest.mark.parametrize("scope", ["user", "project"])
def test_what_codex_gets(place: Place, scope: str) -> None:
    write_settings(place, scope)
    said = install(place, "codex", scope)
    assert '+ web_search = "disabled"\n' in said and "+ prefix_rule(" in said and "mine" not in said
    folder = base(place, scope) / ".codex"
    config = (folder / "config.toml").read_text("utf-8")
    assert tomllib.loads(config)["web_search"] == "disabled"
    assert config.endswith(CONFIG)
    assert 'decision="allow"' in (folder / "rules/guarded-webfetch.rules").read_text("utf-8")
    assert set(json.loads((folder / "hooks.json").read_text("utf-8"))["hooks"]) == {"Stop", "PreToolUse"}
    assert (base(place, scope) / ".agents/skills/guarded-webfetch/SKILL.md").is_file()


def test_a_persons_choice_is_left_and_named(place: Place) -> None:
    home = place[0]
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('web_search = "live"\n')
    assert "left     " in install(place, "codex", "user")
    assert (home / ".codex/config.toml").read_text() == 'web_search = "live"\n'
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"sandbox": {"excludedCommands": "all"}}')
    assert "sandbox.excludedCommands" in install(place, "claude", "user")
    assert json.loads((home / ".claude/settings.json").read_text())["sandbox"]["excludedCommands"] == "all"


@pytest.mark.parametrize(
    ("client", "name", "text"),
    [
        ("claude", ".claude/settings.json", "{ // a comment\n}"),
        ("claude", ".claude/settings.json", "[]"),
        ("claude", ".claude/settings.json", '{"hooks": {}, "hooks": {"Stop": []}}'),
        ("codex", ".codex/hooks.json", "{"),
        ("codex", ".codex/config.toml", "model = \n"),
    ],
)
def test_a_file_it_cannot_read_stops_it_before_anything_is_changed(
    place: Place, client: str, name: str, text: str
) -> None:
    path = place[0] / name
    path.parent.mkdir()
    path.write_text(text)
    before = snapshot(place)
    assert str(path) in install(place, client, "user", expected=3)
    assert snapshot(place) == before


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    settings = json.loads(path.read_text("utf-8"))
    change(settings)
    path.write_text(json.dumps(settings), encoding="utf-8")


def test_what_a_person_changed_since_stays(place: Place) -> None:
    write_settings(place, "user")
    path = place[0] / ".claude/settings.json"
    install(place, "claude", "user")
    edit(path, lambda settings: settings["permissions"]["deny"].append("Read(./more/**)"))
    install(place, "claude", "user")
    install(place, "claude", "user", "--uninstall")
    settings = json.loads(path.read_text("utf-8"))
    expected = json.loads(SETTINGS)
    expected["permissions"]["deny"].append("Read(./more/**)")  # and WebFetch, which was theirs before
    assert settings == expected


def test_a_changed_config_keeps_the_change(place: Place) -> None:
    install(place, "codex", "user")
    path = place[0] / ".codex/config.toml"
    path.write_text(path.read_text() + 'model = "new"\n')
    install(place, "codex", "user", "--uninstall")
    assert path.read_text() == 'model = "new"\n'


def test_a_skill_that_was_there_comes_back(place: Place) -> None:
    skill = place[0] / ".claude/skills/guarded-webfetch"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("by hand")
    before = snapshot(place)
    install(place, "claude", "user")
    assert (skill / "lib").is_dir()
    install(place, "claude", "user")
    install(place, "claude", "user", "--uninstall")
    assert snapshot(place) == before


def test_a_rule_a_person_edited_is_left_and_named(place: Place) -> None:
    install(place, "codex", "user")
    rules = place[0] / ".codex/rules/guarded-webfetch.rules"
    rules.write_text(rules.read_text() + 'prefix_rule(pattern=["ls"], decision="allow")\n')
    assert f"left     {rules}" in install(place, "codex", "user", "--uninstall")
    assert rules.exists()


def test_a_skill_of_a_person_survives_an_install_cut_short(place: Place) -> None:
    skill = place[0] / ".claude/skills/guarded-webfetch"
    install(place, "claude", "user")
    for path in sorted(skill.rglob("*"), reverse=True):  # as if ours had never taken its place
        path.rmdir() if path.is_dir() else path.unlink()
    (skill / "SKILL.md").write_text("by hand")
    install(place, "claude", "user")
    install(place, "claude", "user", "--uninstall")
    assert (skill / "SKILL.md").read_text() == "by hand"


def test_a_damaged_skill_is_replaced(place: Place) -> None:
    install(place, "claude", "user")
    boot = place[0] / ".claude/skills/guarded-webfetch/lib/guarded_webfetch/boot.py"
    good = boot.read_bytes()
    boot.write_bytes(b"evil()")
    assert "placed" in install(place, "claude", "user")
    assert boot.read_bytes() == good


def test_moved_config_folders_are_honoured(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from guarded_webfetch.commands import client_files

    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "x"))
    assert client_files.places("claude", "user", "/p").settings == (str(tmp_path / "c/settings.json"),)
    assert client_files.places("codex", "user", "/p").rules == str(tmp_path / "x/rules")
    assert str(tmp_path / "c/skills") in client_files.skill_folders("claude")


def test_a_link_of_a_users_dotfiles_stays_a_link(place: Place) -> None:
    home = place[0]
    (home / "dotfiles").mkdir()
    (home / ".claude").mkdir()
    real = home / "dotfiles/settings.json"
    real.write_text("{}")
    real.chmod(0o640)
    (home / ".claude/settings.json").symlink_to(real)
    install(place, "claude", "user")
    assert (home / ".claude/settings.json").is_symlink()
    assert "WebFetch" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    install(place, "claude", "user", "--uninstall")
    assert real.read_text() == "{}"


@pytest.mark.parametrize("name", [".claude", ".claude/skills", ".claude/settings.json"])
def test_a_projects_link_leads_nowhere(place: Place, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = place[1] / name
    link.parent.mkdir(exist_ok=True)
    target = outside / "settings.json" if name.endswith(".json") else outside
    if name.endswith(".json"):
        target.write_text("{}")
    link.symlink_to(target)
    assert "is a link" in install(place, "claude", "project", expected=3)
    assert [path.read_text() for path in outside.iterdir()] in ([], ["{}"])


def test_an_install_cut_short_can_be_taken_back(place: Place) -> None:
    write_settings(place, "user")
    before = snapshot(place)
    install(place, "claude", "user")
    (place[0] / ".claude/settings.json").write_text(SETTINGS, encoding="utf-8")  # as if it had not come so far
    install(place, "claude", "user", "--uninstall")
    assert snapshot(place) == before


def test_nobody_else_may_read_the_backups(place: Place) -> None:
    write_settings(place, "user")
    install(place, "claude", "user")
    for path in (place[0] / ".local/state/guarded-webfetch/installs").rglob("*"):
        assert not path.stat().st_mode & 0o077, path
    assert os.path.isdir(place[0] / ".local/state/guarded-webfetch/installs")


@pytest.mark.parametrize("name", ["install", "bundle-skill"])
def test_the_scripts_find_their_python(place: Place, name: str) -> None:
    environment = {"HOME": str(place[0]), "PATH": os.environ["PATH"], "GUARDED_WEBFETCH_PYTHON": sys.executable}
    command = ["bash", str(REPOSITORY / "scripts" / name), "--help"]
    done = subprocess.run(command, env=environment, cwd=place[1], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: scripts/{name} ")


@pytest.mark.setup
def test_an_install_prepares_the_first_fetch(place: Place) -> None:
    """In a client's sandbox there is no package index, so the environment is built by the person's install."""
    tools = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {"HOME": str(place[0]), "PATH": tools}

    def run(*command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(command, env=environment, cwd=place[1], capture_output=True, text=True, check=False)

    done = run("bash", str(REPOSITORY / "scripts/install"), "--client", "codex", "--scope", "user")
    assert done.returncode == 0, done.stderr
    assert list((place[0] / ".cache/guarded-webfetch").glob("*/guarded-webfetch.finished"))
    launcher = place[0] / ".agents/skills/guarded-webfetch/scripts/quarantine-fetch.sh"
    fetched = run("bash", str(launcher), "https://nowhere.invalid/")
    assert (fetched.returncode, fetched.stdout) == (4, "")
    assert fetched.stderr.startswith("guarded-webfetch: name_not_public: ")
