"""Tests the hooks a client would run for us: finds them in its settings and plugins, and gives each sample calls to judge.

Nothing else of a settings file is run: a command counts only if it is `bash PATH/guarded-webfetch/scripts/pre-tool-use.sh`, and one in
a project's file only if its scripts are those of this version, since a repository brings such files along.
"""

import glob
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from guarded_webfetch.commands.client_files import SKILL, Client, Scope, claude_home, codex_home, places
from guarded_webfetch.commands.doctor_checks import Check

HOOK: Final = "pre-tool-use.sh"
_SCRIPTS: Final = (HOOK, "pre_tool_use.py")
_RUN_S: Final = 10
_URL: Final = "'https://example.com/'"
_MATCHED: Final[dict[Client, tuple[str, ...]]] = {
    "claude": ("WebFetch", "WebSearch", "Bash", "Monitor"),
    "codex": ("Bash",),
}
_INSTALL: Final = "bash scripts/install --client {client} --scope {scope}"


class Hook(NamedTuple):
    """One hook of ours: the script, the tools it is run for, the file that names it, and what its command may refer to."""

    script: str
    matcher: str
    file: str
    scope: Scope
    variables: dict[str, str]


class Sample(NamedTuple):
    """A call and whether it must be denied."""

    what: str
    tool: str
    given: dict[str, Any]
    denied: bool


def samples(launcher: str) -> list[Sample]:
    quoted = f'bash "{launcher}"'
    commands = (
        ("one call of the launcher", f"{quoted} {_URL}", False),
        ("a link of a record", f"{quoted} --from r.json L3 --quiet", False),
        ("a pipe behind the launcher", f"{quoted} {_URL} | curl https://example.com/", True),
        ("a second command", f"{quoted} {_URL}; id", True),
        ("a second line", f"{quoted} {_URL}\nid", True),
        ("an option that lowers protection", f"{quoted} {_URL} --allow-secret", True),
        ("another command", "ls", False),
    )
    fetchers = [Sample(tool, tool, {"url": "https://example.com/"}, True) for tool in ("WebFetch", "WebSearch")]
    fetchers.append(Sample("a WebSocket", "Monitor", {"ws": {"url": "wss://example.com/"}}, True))
    return fetchers + [Sample(what, "Bash", {"command": command}, denied) for what, command, denied in commands]


def hooks(client: Client) -> Iterator[Check]:
    """One line for each hook found, and one when none is."""
    found = list(_found(client, os.getcwd()))
    if not found:
        fix = _INSTALL.format(client=client, scope="user")
        yield Check("warn", "Hook", "none of guarded-webfetch found in settings or plugins", fix)
    for hook in found:
        yield _judge(client, hook)


def _found(client: Client, project: str) -> Iterator[Hook]:
    scopes: tuple[Scope, Scope] = ("project", "user")
    for scope in scopes:
        for file in places(client, scope, project).settings:
            yield from _in_file(file, scope, {"CLAUDE_PROJECT_DIR": project})
    base = claude_home() if client == "claude" else codex_home()
    for root in glob.glob(os.path.join(glob.escape(base), "plugins", "cache", "*", SKILL, "*")):
        yield from _in_file(os.path.join(root, ".claude-plugin", "hooks.json"), "user", {"CLAUDE_PLUGIN_ROOT": root})


def _in_file(file: str, scope: Scope, variables: dict[str, str]) -> Iterator[Hook]:
    events = read_json(file).get("hooks")
    for group in _objects(events.get("PreToolUse") if isinstance(events, dict) else None):
        for handler in _objects(group.get("hooks")):
            script = _script(str(handler.get("command", "")), variables)
            if script:
                yield Hook(script, str(group.get("matcher", "")), file, scope, variables)


def _objects(found: Any) -> list[dict[str, Any]]:
    """The objects of a list, whatever else a person's file holds there."""
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _script(command: str, variables: dict[str, str]) -> str | None:
    for name, value in variables.items():
        command = command.replace(f"${{{name}}}", value).replace(f"${name}", value)
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    ours = len(words) == 2 and words[0] == "bash" and words[1].endswith(f"/{SKILL}/scripts/{HOOK}")
    return words[1] if ours else None


def read_json(path: str) -> dict[str, Any]:
    """A JSON object, empty where the file is missing or is none."""
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _judge(client: Client, hook: Hook) -> Check:
    fix = _INSTALL.format(client=client, scope=hook.scope)
    unmatched = [tool for tool in _MATCHED[client] if not _fits(hook.matcher, tool)]
    if unmatched:
        return Check("warn", "Hook", f"{hook.file} does not run it for {', '.join(unmatched)}", fix)
    if not os.path.isfile(hook.script):
        return Check("warn", "Hook", f"{hook.file} names a script that is not there: {hook.script}", fix)
    if hook.scope == "project" and not _is_this_version(hook.script):
        return Check("warn", "Hook", f"not run: {hook.script} is not the script of this version", fix)
    launcher = os.path.join(os.path.dirname(hook.script), "quarantine-fetch.sh")
    tried = samples(launcher)
    wrong = [sample.what for sample in tried if _denies(hook, sample) != sample.denied]
    if wrong:
        return Check("warn", "Hook", f"{hook.script} judges wrongly: {', '.join(wrong)}", fix)
    trust = "; open /hooks in Codex once to trust it, an untrusted hook is skipped" if client == "codex" else ""
    return Check("ok", "Hook", f"{hook.script} judges {len(tried)} samples rightly{trust}")


def _fits(matcher: str, tool: str) -> bool:
    try:
        return matcher in ("", "*") or re.fullmatch(matcher, tool) is not None
    except re.error:
        return False


def _is_this_version(script: str) -> bool:
    """Whether the hook's files are those beside the running program: in a bundle, or in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for own in (package.parent.parent / "scripts", package.parent.parent / "skills" / SKILL / "scripts"):
        if (own / HOOK).is_file():
            return all(_same(own / name, Path(script).parent / name) for name in _SCRIPTS)
    return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _denies(hook: Hook, sample: Sample) -> bool | None:
    """Whether the hook says deny; None when it fails."""
    event = {"hook_event_name": "PreToolUse", "tool_name": sample.tool, "tool_input": sample.given, "cwd": os.getcwd()}
    try:
        done = subprocess.run(
            ["bash", hook.script],
            input=json.dumps(event),
            env={**os.environ, **hook.variables},
            capture_output=True,
            text=True,
            timeout=_RUN_S,
            check=True,
        )
        answer = json.loads(done.stdout) if done.stdout else {}
        return bool(answer.get("hookSpecificOutput", {}).get("permissionDecision") == "deny")
    except (OSError, ValueError, AttributeError, subprocess.SubprocessError):
        return None
