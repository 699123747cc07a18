"""E2: the clients find the skill where it is put: in a project, in a home, and from a sub-folder."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import ClientWorld, Place

pytestmark = [pytest.mark.client, pytest.mark.sealed]

SKILL = REPOSITORY / "skills/guarded-webfetch"
DESCRIPTION_START = "Reads one web page, PDF or JSON document"


def put(place: Place, *folders: str) -> None:
    """A real copy of the skill; `~/` is the home."""
    for folder in folders:
        base = place.home / folder[2:] if folder.startswith("~/") else place.project / folder
        shutil.copytree(SKILL, base / "guarded-webfetch")


def claude_skills(place: Place, cwd: Path | None = None) -> list[str]:
    ran = place.claude([{"text": "done"}], cwd=cwd)
    skills: list[str] = ran.events[0]["skills"]
    assert DESCRIPTION_START in ran.sent or not any("guarded-webfetch" in name for name in skills)
    return skills


def codex_prompt(place: Place, cwd: Path | None = None) -> str:
    """What the model would see first, the list of skills in it."""
    place.configure_codex()
    result = place.run([place.world.programs.codex, "debug", "prompt-input", "hi"], cwd=cwd)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("folder", [".claude/skills", "~/.claude/skills"])
def test_claude_finds_a_copied_skill(place: Place, folder: str):
    assert "guarded-webfetch" not in claude_skills(place)
    put(place, folder)
    assert "guarded-webfetch" in claude_skills(place)


@pytest.mark.parametrize("folder", [".agents/skills", "~/.agents/skills", "~/.codex/skills"])
def test_codex_finds_a_copied_skill(place: Place, folder: str):
    assert DESCRIPTION_START not in codex_prompt(place)
    put(place, folder)
    assert DESCRIPTION_START in codex_prompt(place)


def test_found_from_a_sub_folder_of_a_project_with_a_space(world: ClientWorld):
    place = world.place("my project")
    put(place, ".claude/skills", ".agents/skills")
    deep = place.project / "docs/deep"
    deep.mkdir(parents=True)
    assert "guarded-webfetch" in claude_skills(place, deep)
    assert DESCRIPTION_START in codex_prompt(place, deep)
