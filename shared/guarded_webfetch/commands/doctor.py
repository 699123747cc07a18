"""`doctor`: a checklist of what a fetch needs here, with the command that puts each failed line right."""

import os
import shutil
from collections.abc import Iterator
from typing import Final, Literal

from guarded_webfetch.commands import doctor_checks as checks
from guarded_webfetch.commands import terminal, visible
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.doctor_checks import Check

SKILL: Final = "guarded-webfetch"
_CANNOT_RUN: Final = 3
_STATES: Final = {"ok": "ok  ", "fail": "FAIL", "warn": "warn", "note": "note"}
_COLOURS: Final = {"ok": "32", "fail": "1;31", "warn": "33", "note": "2"}
Client = Literal["claude", "codex"]

# Where each client looks for skills: in the working folder and those above it, and in fixed places.
_PROJECT_FOLDERS: Final[dict[Client, tuple[str, ...]]] = {
    "claude": (".claude/skills",),
    "codex": (".agents/skills", ".codex/skills"),
}
_USER_FOLDERS: Final[dict[Client, tuple[str, ...]]] = {
    "claude": ("~/.claude/skills",),
    "codex": ("~/.codex/skills", "~/.agents/skills", "/etc/codex/skills"),
}
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def run(argv: list[str]) -> int:
    """0 when a fetch can run here, 3 when it cannot. Raises Refusal usage_invalid."""
    arguments = Arguments("doctor", "Check what a fetch needs here.")
    arguments.add_argument("--client", choices=("claude", "codex"), help="also check that this client finds the skill")
    client = arguments.parse_args(argv).client
    found = [*_general(), *(_client(client) if client else ())]
    failed = sum(check.state == "fail" for check in found)
    terminal.write(render(found, terminal.here()))
    return _CANNOT_RUN if failed else 0


def render(found: list[Check], output: terminal.Terminal) -> str:
    """The checklist, one line for each check and one more for what puts it right, and a last line that sums up."""
    column = max(len(check.name) for check in found)
    lines = []
    for check in found:
        state = output.painted(_STATES[check.state], _COLOURS[check.state])
        lines.append(f"{state}  {check.name:<{column}}  {visible.line(check.finding)}")
        if check.fix:
            lines.append(f"      {'':<{column}}  -> {visible.line(check.fix)}")
    failed = sum(check.state == "fail" for check in found)
    problem = f"A fetch cannot run here: {failed} of {len(found)} checks failed."
    lines += ["", problem if failed else "A fetch can run here."]
    return "\n".join(lines) + "\n"


def _general() -> Iterator[Check]:
    crew = checks.children()  # run first: its processes inherit what the other checks load
    yield checks.python()
    yield checks.packages()
    yield checks.libraries()
    yield crew
    yield checks.certificates()
    yield checks.jq()
    yield checks.results_folder()
    yield checks.git_ignore()
    yield checks.cache_folder()
    yield checks.ledger()
    yield checks.config_file()
    yield from checks.outer_sandbox()
    yield from checks.kernel()


def _client(client: Client) -> Iterator[Check]:
    """What can be told about a client without starting it."""
    on_path = shutil.which(client)
    install = f"install {client}, or add its folder to PATH"
    yield Check(
        "ok" if on_path else "warn", client, "on PATH" if on_path else "not on PATH", "" if on_path else install
    )
    yield _skill(client)
    yield Check("note", "Client settings", f"not checked: permission rules, sandbox settings and hooks of {client}")


def _skill(client: Client) -> Check:
    for folder in _skill_folders(client):
        page = os.path.join(folder, SKILL, "SKILL.md")
        if os.path.isfile(page):
            return _judge_skill(os.path.join(folder, SKILL), page)
    folder = _PROJECT_FOLDERS[client][0]
    copy = f"copy the folder skills/{SKILL} of a release to {folder}/"
    return Check("warn", "Skill", f"{client} will not find it in this folder or in your home", copy)


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


def _skill_folders(client: Client) -> Iterator[str]:
    for above in checks.folders_upwards():
        for name in _PROJECT_FOLDERS[client]:
            yield os.path.join(above, name)
    yield from map(os.path.expanduser, _USER_FOLDERS[client])
