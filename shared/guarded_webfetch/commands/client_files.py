"""Where each client looks: for skills, for settings, rules and hooks. Project places first, then the user's own."""

import os
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

SKILL: Final = "guarded-webfetch"
Client = Literal["claude", "codex"]
Scope = Literal["user", "project"]
CLIENTS: Final[tuple[Client, ...]] = ("claude", "codex")
SCOPES: Final[tuple[Scope, ...]] = ("user", "project")

# Below the working folder and every folder above it.
_PROJECT_SKILLS: Final[dict[Client, tuple[str, ...]]] = {
    "claude": (".claude/skills",),
    "codex": (".agents/skills", ".codex/skills"),
}


class Places(NamedTuple):
    """Files and folders of one client in one scope; `skills` is where an install puts the skill."""

    skills: str
    settings: tuple[str, ...]  # JSON files that may hold hooks, and for Claude Code permissions; the first is written
    config: str | None  # Codex only: config.toml
    rules: str | None  # Codex only: the folder of *.rules


def places(client: Client, scope: Scope, project: str) -> Places:
    """Where `client` reads in `scope`; CLAUDE_CONFIG_DIR and CODEX_HOME are honoured."""
    if client == "claude":
        base = os.path.join(project, ".claude") if scope == "project" else claude_home()
        names = ("settings.json", "settings.local.json")[: 2 if scope == "project" else 1]
        return Places(os.path.join(base, "skills"), tuple(os.path.join(base, name) for name in names), None, None)
    base = os.path.join(project, ".codex") if scope == "project" else codex_home()
    skills = os.path.join(project if scope == "project" else os.path.expanduser("~"), ".agents", "skills")
    return Places(
        skills, (os.path.join(base, "hooks.json"),), os.path.join(base, "config.toml"), os.path.join(base, "rules")
    )


def claude_home() -> str:
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")


def codex_home() -> str:
    return os.environ.get("CODEX_HOME") or os.path.expanduser("~/.codex")


def skill_folders(client: Client) -> Iterator[str]:
    """Every folder the client looks for skills in, in its order."""
    for above in folders_upwards():
        for name in _PROJECT_SKILLS[client]:
            yield os.path.join(above, name)
    if client == "claude":
        yield os.path.join(claude_home(), "skills")
    else:
        yield os.path.join(codex_home(), "skills")
        yield os.path.expanduser("~/.agents/skills")
        yield "/etc/codex/skills"


def folders_upwards() -> Iterator[str]:
    """The working folder and every folder above it."""
    return with_parents(os.getcwd())


def with_parents(path: str) -> Iterator[str]:
    """`path` and every folder above it."""
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above
