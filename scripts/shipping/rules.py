"""The rules an install ships: what the client denies, what it allows without asking, what may leave its sandbox.

An exemption names the absolute path of the installed launcher, in a project's files as well. A relative path fits the same path below
every folder a command is run in, also below one that a sandboxed command has just filled: tried with Codex, whose shell tool takes a
working folder, and with Claude Code, which keeps a `cd`. So what a project's team shares holds no exemption.
"""

import json
import re
import shlex
import tomllib
from typing import Any

from guarded_webfetch.commands.client_files import SKILL

LAUNCHER = "scripts/quarantine-fetch.sh"
HOOK = "scripts/pre-tool-use.sh"
MATCHER = "WebFetch|WebSearch|Bash|Monitor"
HOOK_TIMEOUT_S = 10
WEB_SEARCH = "disabled"
CODEX_RULES = f"{SKILL}.rules"
PROJECT_SKILL = f".claude/skills/{SKILL}"
_PLAIN = re.compile(r"[\w./@+,:-]+")


def claude_exemption(skill: str) -> dict[str, Any]:
    """Runs without a question and outside the sandbox: for a file of this user alone; `skill` is an absolute path."""
    commands = [f"bash {launcher}:*" for launcher in _spellings(f"{skill}/{LAUNCHER}")]
    return {
        "permissions": {"allow": [f"Bash({command})" for command in commands]},
        "sandbox": {"excludedCommands": commands},
    }


def claude_user(skill: str, environments: str) -> dict[str, Any]:
    """The fences, for the settings.json of a user; both arguments are absolute paths of folders."""
    hook = f"bash {_word(f'{skill}/{HOOK}')}"
    return _claude_fences([f"Edit(/{skill}/**)"], hook, [f"/{skill}", f"/{environments}"])


def claude_project() -> dict[str, Any]:
    """The fences, for the settings.json of a project: nothing of this machine in it."""
    edits = [f"Edit(/{PROJECT_SKILL}/**)", f"Edit(**/{PROJECT_SKILL}/**)"]
    hook = f'bash "$CLAUDE_PROJECT_DIR"/{PROJECT_SKILL}/{HOOK}'
    return _claude_fences(edits, hook, [f"/{PROJECT_SKILL}", "~/.cache/guarded-webfetch"])


def _claude_fences(edits: list[str], hook: str, unwritable: list[str]) -> dict[str, Any]:
    return {
        "permissions": {"deny": ["WebFetch", "WebSearch", *edits]},
        "hooks": {"PreToolUse": [{"matcher": MATCHER, "hooks": [_command(hook)]}]},
        "sandbox": {"filesystem": {"denyWrite": unwritable}},
    }


def codex_rules(skill: str) -> str:
    """A *.rules file: the one command that may leave the sandbox, by its absolute path."""
    return (
        "# guarded-webfetch: its launcher, and nothing else, runs outside the sandbox, which has no network.\n"
        f'prefix_rule(pattern=["bash", {json.dumps(f"{skill}/{LAUNCHER}", ensure_ascii=False)}], decision="allow")\n'
    )


def codex_hooks(skill: str) -> dict[str, Any]:
    """For a hooks.json."""
    return {"hooks": {"PreToolUse": [{"matcher": MATCHER, "hooks": [_command(f"bash {_word(f'{skill}/{HOOK}')}")]}]}}


def with_web_search_off(text: str) -> str | None:
    """The text of a config.toml with the search of the service switched off; None when a person has chosen otherwise.

    Raises tomllib.TOMLDecodeError.
    """
    chosen = tomllib.loads(text).get("web_search")
    if chosen is None:  # on top, since keys after a table's head would belong to the table
        return f'web_search = "{WEB_SEARCH}"\n{text}'
    return text if chosen == WEB_SEARCH else None


def without_web_search_off(text: str) -> str:
    return text.removeprefix(f'web_search = "{WEB_SEARCH}"\n')


def _command(line: str) -> dict[str, Any]:
    return {"type": "command", "command": line, "timeout": HOOK_TIMEOUT_S}


def _spellings(path: str) -> list[str]:
    """Claude Code compares the text of a command: as it is, where a shell takes it so, and in double quotes."""
    return [path, f'"{path}"'] if _PLAIN.fullmatch(path) else [f'"{path}"']


def _word(path: str) -> str:
    return path if _PLAIN.fullmatch(path) else shlex.quote(path)
