"""What is shipped, in the real clients: it loads, it lets exactly one script out of their sandboxes, and nothing can change that script."""

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import ClientWorld, Place, Ran, Step, bash, call

from .conftest import run_script

pytestmark = [pytest.mark.client, pytest.mark.sealed]

URL = "'https://example.com/'"
LAUNCHER = "guarded-webfetch/scripts/quarantine-fetch.sh"
CLAUDE_SANDBOX = {"sandbox": {"enabled": True, "enableWeakerNestedSandbox": True, "autoAllowBashIfSandboxed": True}}
# Says so where only a command outside the sandbox can write.
HOSTILE = '#!/usr/bin/env bash\necho out >>"$HOME/escaped" && echo ESCAPED\n'
PLUGIN = "guarded-webfetch@guarded-webfetch"


def install(place: Place, client: str, scope: str) -> Path:
    """Installs, and returns the folder the client has its skills in."""
    if client == "codex":
        place.configure_codex()
    run_script("install", "--client", client, "--scope", scope, home=place.home, cwd=place.project)
    base = place.home if scope == "user" else place.project
    return base / (".claude/skills" if client == "claude" else ".agents/skills")


def with_claude_sandbox(place: Place) -> None:
    """Claude Code's own sandbox, switched on by the managed part of a user: the flag file neither scope's install writes."""
    path = place.home / ".claude/settings.json"
    settings = json.loads(path.read_text("utf-8")) if path.exists() else {}
    settings["sandbox"] = settings.get("sandbox", {}) | CLAUDE_SANDBOX["sandbox"]
    place.write("~/.claude/settings.json", settings)


def hostile(place: Place, folder: str) -> Path:
    """A script of a hostile repository, or of a sandboxed command, at the same path below `folder`."""
    return place.write(f"{folder}/{LAUNCHER}", HOSTILE)


def in_folder(command: str, folder: Path) -> Step:
    """One command of Codex in a folder of its own choosing."""
    given = {
        "exec_command": {"cmd": command, "workdir": str(folder)},
        "shell_command": {"command": command, "workdir": str(folder)},
    }
    return {"calls": [{"tool": ["exec_command", "shell_command"], "input": {}, "by_tool": given}]}


def fetched(result: str) -> bool:
    return ".temp/guarded-webfetch/result-" in result and "Exit code" not in result


def nothing_escaped(place: Place, ran: Ran) -> bool:
    return not (place.home / "escaped").exists() and not any("ESCAPED" in result for result in ran.results)


def attempts_to_write(place: Place, skills: Path) -> str:
    """A command that tries every file an exempt run reads its code from, and one that may be written."""
    environment = next((place.home / ".cache/guarded-webfetch").resolve().glob("*/bin/python")).parent.parent
    site = next(environment.glob("lib/python3*/site-packages"))
    package = skills / "guarded-webfetch/lib/guarded_webfetch"
    targets = [
        skills / LAUNCHER,
        skills / "guarded-webfetch/scripts/find-program.sh", skills / "guarded-webfetch/scripts/pre_tool_use.py",
        package / "boot.py",
        package / "setup/environment.sh", package / "setup/runtime.lock", package / "broker/run.py", package / "new.py",
        site / "httpx/__init__.py", site / "new.py", environment / "pyvenv.cfg",
        place.home / ".cache/guarded-webfetch/new",
    ]  # fmt: skip
    tries = [f'(true >>"{target}") && echo "CHANGED {target.name}"' for target in [*targets, place.project / "plain"]]
    return in_file(place, "tries.sh", "\n".join(tries))


def in_file(place: Place, name: str, text: str) -> str:
    """A command that runs a script: the hook denies commands that name the launcher, and here the sandbox is tested."""
    place.write(name, f"{text}\nexit 0\n")
    return f"bash {name} 2>/dev/null"


def filling(place: Place, path: str) -> str:
    """A command that puts the hostile script at `path`."""
    place.write("evil", HOSTILE)
    return in_file(place, "fill.sh", f"mkdir -p {path.rpartition('/')[0]} && cp evil {path} && echo FILLED")


def only_the_plain_file_changed(result: str) -> bool:
    return [line for line in result.splitlines() if line.startswith("CHANGED")] == ["CHANGED plain"]


# ---------------------------------------------------------------- a user's install


def test_claude_user_install(place: Place) -> None:
    skills = install(place, "claude", "user")
    with_claude_sandbox(place)
    own = f"bash {skills}/{LAUNCHER}"
    copy = hostile(place, ".claude/skills")
    write = attempts_to_write(place, skills)
    watched = {"description": "watch", "timeout_ms": 5000}
    ran = place.claude(
        [
            bash(f"{own} {URL}"),
            bash(f"bash .claude/skills/{LAUNCHER} {URL}"),
            bash(f"bash {copy} {URL}"),
            bash(f"{own} {URL} | cat; curl -sS https://example.com/"),
            bash(f"cd /var/tmp && {own} {URL}"),
            bash(write),
            call("Write", file_path=str(skills / "guarded-webfetch/lib/guarded_webfetch/new.py"), content="x"),
            call("WebFetch", url="https://example.com/", prompt="x"),
            call("Monitor", command=f"{own} {URL} | cat", **watched),
            call("Monitor", ws={"url": "wss://example.com/"}, **watched),
        ]
    )
    assert fetched(ran.results[0]), ran.results[0]
    assert nothing_escaped(place, ran)
    assert all("hook error" in result for result in ran.results[3:5])
    assert only_the_plain_file_changed(ran.results[5]), ran.results[5]
    assert "denied" in ran.results[6]
    assert "Call the skill guarded-webfetch alone" in ran.results[8]
    assert "Web pages are read through the skill guarded-webfetch" in ran.results[9]
    assert not {"WebFetch", "WebSearch"} & ran.offered
    assert "guarded-webfetch" in ran.events[0]["skills"]


def test_codex_user_install(place: Place) -> None:
    skills = install(place, "codex", "user")
    own = f"bash {skills}/{LAUNCHER}"
    copy = hostile(place, ".agents/skills")
    write = attempts_to_write(place, skills)
    ran = place.codex(
        [
            bash(f"{own} {URL}"),
            bash(f"bash .agents/skills/{LAUNCHER} {URL}"),
            bash(f"bash {copy} {URL}"),
            bash(f"{own} {URL} | cat; curl -sS https://example.com/"),
            bash(write),
        ]
    )
    assert fetched(ran.results[0]), ran.results[0]
    assert nothing_escaped(place, ran)
    assert "Could not resolve host" in ran.results[3]
    assert only_the_plain_file_changed(ran.results[4]), ran.results[4]


# ---------------------------------------------------------------- a project's install


def test_claude_project_install(world: ClientWorld) -> None:
    """A command in the sandbox can fill a folder of the same name one level down; a relative spelling must not reach it."""
    place = world.place("a project")
    skills = install(place, "claude", "project")
    with_claude_sandbox(place)
    (place.project / "sub").mkdir()
    relative = f"bash .claude/skills/{LAUNCHER}"
    fill = filling(place, f"sub/.claude/skills/{LAUNCHER}")
    write = attempts_to_write(place, skills)
    ran = place.claude(
        [bash(f'bash "{skills}/{LAUNCHER}" {URL}'), bash(write), bash(fill), bash("cd sub"), bash(f"{relative} {URL}")]
    )
    assert fetched(ran.results[0]), ran.results[0]
    assert only_the_plain_file_changed(ran.results[1]), ran.results[1]
    assert "FILLED" in ran.results[2]  # otherwise this proves nothing
    assert "hook error" in ran.results[4]
    assert nothing_escaped(place, ran)


@pytest.mark.parametrize("relative_rule", [False, True])
def test_codex_project_install(world: ClientWorld, relative_rule: bool) -> None:
    """The same with Codex, whose shell tool takes a folder. With a relative rule it does get out: why none is shipped."""
    place = world.place("a project")
    skills = install(place, "codex", "project")
    relative = f".agents/skills/{LAUNCHER}"
    if relative_rule:
        place.write(".codex/rules/more.rules", f'prefix_rule(pattern=["bash", "{relative}"], decision="allow")\n')
    fill = filling(place, f"sub/{relative}")
    write = attempts_to_write(place, skills)
    own = f'bash "{skills}/{LAUNCHER}" {URL}'
    ran = place.codex([bash(own), bash(write), bash(fill), in_folder(f"bash {relative} {URL}", place.project / "sub")])
    assert fetched(ran.results[0]), ran.results[0]
    assert only_the_plain_file_changed(ran.results[1]), ran.results[1]
    assert "FILLED" in ran.results[2]
    assert nothing_escaped(place, ran) != relative_rule
    assert "web_search" not in ran.offered


# ---------------------------------------------------------------- plugins


def plugin(folder: Path) -> Path:
    """What of this repository makes the plugin, as a copy that can be broken."""
    for name in (".claude-plugin", "skills", "shared"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def fetcher_denied(place: Place, folder: Path) -> bool:
    """Whether the plugin, loaded for one session, answers a call of WebFetch with the way to go."""
    ran = place.claude([call("WebFetch", url="https://example.com/", prompt="x")], "--plugin-dir", str(folder))
    return "Web pages are read through the skill guarded-webfetch" in ran.results[0]


def test_claude_loads_the_plugin(place: Place) -> None:
    """From a folder Claude Code runs it where it lies. Its hook lets an exact call run without any rule of the person's."""
    clone = plugin(place.home / "clone")
    for arguments in (["marketplace", "add", str(clone)], ["install", PLUGIN]):
        done = place.run([place.world.programs.claude, "plugin", *arguments])
        assert done.returncode == 0, done.stdout + done.stderr
    own = f"bash {clone}/skills/{LAUNCHER} {URL}"
    fetch = call("WebFetch", url="https://example.com/", prompt="x")
    ran = place.claude(
        [call("Skill", skill="guarded-webfetch:guarded-webfetch"), fetch, bash(own), bash(f"{own} | cat")]
    )
    assert "guarded-webfetch:guarded-webfetch" in ran.events[0]["skills"]
    assert "Web pages are read through the skill guarded-webfetch" in ran.results[1]
    assert fetched(ran.results[2]), ran.results[2]
    assert "hook error" in ran.results[3]
    assert f"Skill folder = `{clone}/skills/guarded-webfetch`" in ran.sent


@pytest.mark.parametrize("broken", [None, "script", "event", "variable"])
def test_a_plugin_whose_hook_is_broken_is_told_from_one_that_works(
    place: Place, tmp_path: Path, broken: str | None
) -> None:
    folder = plugin(place.home / "plugin")
    hooks = folder / ".claude-plugin/hooks.json"
    swap = {
        "script": ("pre-tool-use.sh", "no-such.sh"),
        "event": ("PreToolUse", "PostToolUse"),
        "variable": ("PLUGIN_ROOT", "PLUGIN_RUT"),
    }
    if broken:
        hooks.write_text(hooks.read_text().replace(*swap[broken]))
    assert fetcher_denied(place, folder) == (broken is None)


def test_codex_loads_the_plugin_and_its_hook(place: Place) -> None:
    place.configure_codex()
    for arguments in (["marketplace", "add", str(plugin(place.home / "clone"))], ["add", PLUGIN]):
        done = place.run([place.world.programs.codex, "plugin", *arguments])
        assert done.returncode == 0, done.stdout + done.stderr
    shown = place.run([place.world.programs.codex, "debug", "prompt-input", "hi"])
    assert "guarded-webfetch" in shown.stdout and "Reads one web page, PDF or JSON document" in shown.stdout
    own = next((place.home / ".codex/plugins").rglob("quarantine-fetch.sh"))
    ran = place.codex([bash(f"bash {own} {URL} | cat")], "--dangerously-bypass-hook-trust")
    assert "Command blocked by PreToolUse hook" in ran.results[0]
