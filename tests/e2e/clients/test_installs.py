"""E2: found in all six ways to install it, with nothing pointing out of the installed copy; and read without a question."""

from pathlib import Path

import pytest

from tests.e2e.clients.client_run import ClientWorld, Installed, Place
from tests.e2e.clients.test_discovery import DESCRIPTION_START, claude_skills, codex_prompt
from tests.e2e.clients.test_reading import ECHO, PATH_LINE, STAGE_1

pytestmark = [pytest.mark.client, pytest.mark.sealed]


def is_whole(one: Installed) -> bool:
    return (one.skill / "lib").is_dir() and not [path for path in one.skill.rglob("*") if path.is_symlink()]


def reads(one: Installed) -> bool:
    ran = one.run([one.fetch(ECHO), STAGE_1])
    return bool(PATH_LINE.search(ran.results[0])) and '"verdict":"' in ran.results[1]


def test_claude_for_its_user(claude: Installed):
    assert is_whole(claude) and "guarded-webfetch" in claude_skills(claude.place)


def test_codex_for_its_user(codex: Installed):
    assert is_whole(codex) and DESCRIPTION_START in codex_prompt(codex.place)


def test_claude_in_a_project(world: ClientWorld):
    one = world.install("claude", "project")
    assert is_whole(one) and "guarded-webfetch" in claude_skills(one.place) and reads(one)


def test_codex_in_a_project(world: ClientWorld):
    one = world.install("codex", "project")
    assert is_whole(one) and DESCRIPTION_START in codex_prompt(one.place) and reads(one)


def test_the_plugin_in_claude(plugin: Installed):
    assert "guarded-webfetch:guarded-webfetch" in claude_skills(plugin.place) and reads(plugin)


def test_the_plugin_in_codex(place: Place, checkout: Path):
    place.configure_codex()
    program = place.world.programs.codex
    for words in (["marketplace", "add", str(checkout)], ["add", "guarded-webfetch@guarded-webfetch"]):
        done = place.run([program, "plugin", *words])
        assert done.returncode == 0, done.stdout + done.stderr
    assert DESCRIPTION_START in codex_prompt(place)
