"""What can be told about a client without starting it: whether it finds the skill, and what its rules fence off and let out."""

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from guarded_webfetch.commands import environments
from guarded_webfetch.commands.client_files import SCOPES, SKILL, Client, places, skill_folders
from guarded_webfetch.commands.doctor_checks import Check
from guarded_webfetch.commands.doctor_hooks import hooks, read_json

LAUNCHER: Final = f"{SKILL}/scripts/quarantine-fetch.sh"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_PATH: Final = re.compile(rf"(?:^bash |[\"'])[\"']?([^\"']*{re.escape(LAUNCHER)})")


def client(name: Client) -> Iterator[Check]:
    """The checks of one client."""
    on_path = shutil.which(name)
    install = f"install {name}, or add its folder to PATH"
    yield Check("ok" if on_path else "warn", name, "on PATH" if on_path else "not on PATH", "" if on_path else install)
    yield _skill(name)
    yield _fetchers(name)
    yield _exemption(name)
    yield from hooks(name)
    yield from _environment()


def _install(name: Client) -> str:
    return f"bash scripts/install --client {name} --scope user"


def _skill(name: Client) -> Check:
    for folder in skill_folders(name):
        page = os.path.join(folder, SKILL, "SKILL.md")
        if os.path.isfile(page):
            return _judge_skill(os.path.join(folder, SKILL), page)
    return Check("warn", "Skill", f"{name} will not find it in this folder or in your home", _install(name))


def _judge_skill(folder: str, page: str) -> Check:
    if os.path.islink(folder) or os.path.islink(os.path.dirname(folder)):
        fix = "replace the link by a copy"
        return Check(
            "warn", "Skill", f"{folder} is a link: what it leads to may be writable inside the client's sandbox", fix
        )
    with open(page, "rb") as file:
        if file.read(3) == _BYTE_ORDER_MARK:
            return Check(
                "warn",
                "Skill",
                f"{page} starts with a byte order mark, so clients ignore it",
                f"sed -i '1s/^\\xEF\\xBB\\xBF//' {page}",
            )
    return Check("ok", "Skill", f"found in {folder}")


def _settings(name: Client) -> list[dict[str, Any]]:
    return [read_json(file) for scope in SCOPES for file in places(name, scope, os.getcwd()).settings]


def _strings(settings: dict[str, Any], *names: str) -> list[str]:
    """The strings of a list in nested objects, whatever else a person's file holds there."""
    found: Any = settings
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return [entry for entry in found if isinstance(entry, str)] if isinstance(found, list) else []


def _fetchers(name: Client) -> Check:
    """Whether the client's own ways to the web are shut."""
    if name == "codex":
        shut = any(config.get("web_search") == "disabled" for config in _configs())
        open_now = [] if shut else ["web_search"]
    else:
        denied = {rule for settings in _settings(name) for rule in _strings(settings, "permissions", "deny")}
        open_now = [tool for tool in ("WebFetch", "WebSearch") if tool not in denied]
    if open_now:
        return Check("warn", "Built-in fetchers", f"not denied: {', '.join(open_now)}", _install(name))
    return Check("ok", "Built-in fetchers", "denied")


def _configs() -> Iterator[dict[str, Any]]:
    for scope in SCOPES:
        try:
            yield tomllib.loads(Path(places("codex", scope, os.getcwd()).config or "").read_text("utf-8"))
        except (OSError, ValueError):
            continue


def _exemption(name: Client) -> Check:
    """Which launcher may leave the client's sandbox."""
    named = sorted({path for line in _exempt_lines(name) for path in _PATH.findall(line)})
    relative = [path for path in named if not path.startswith("/")]
    if relative:
        finding = f"a relative path is exempt and fits files any command can write: {', '.join(relative)}"
        return Check("warn", "Sandbox rule", finding, _install(name) + ", then remove that rule")
    missing = [path for path in named if not os.path.isfile(path)]
    if missing:
        return Check("warn", "Sandbox rule", f"names what is not there: {', '.join(missing)}", _install(name))
    if not named:
        return Check("warn", "Sandbox rule", "none: inside the client's sandbox there is no network", _install(name))
    return Check("ok", "Sandbox rule", f"lets out {', '.join(named)}")


def _exempt_lines(name: Client) -> Iterator[str]:
    if name == "claude":
        for settings in _settings(name):
            yield from _strings(settings, "sandbox", "excludedCommands")
        return
    for scope in SCOPES:
        for path in sorted(Path(places(name, scope, os.getcwd()).rules or "").glob("*.rules")):
            for line in path.read_text("utf-8", "replace").splitlines():
                if "prefix_rule" in line and "allow" in line:
                    yield line


def _environment() -> Iterator[Check]:
    """An exempt run imports its packages from there."""
    folder = environments.folder()
    here = os.path.realpath(os.getcwd())
    if folder and os.path.commonpath([here, os.path.realpath(folder)]) == here:
        finding = f"{folder} is below the working folder, where commands in the client's sandbox can write"
        yield Check("warn", "Environment", finding, "start the client in a folder that does not contain it")
