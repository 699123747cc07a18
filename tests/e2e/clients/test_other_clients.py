"""Gemini CLI and OpenCode: the skill is found, its text is handed over, and one fetch and stage 1 work."""

import re
import shutil

import pytest

from tests.e2e.clients.client_run import ClientWorld, Installed, Ran, Started, Step, call
from tests.e2e.clients.test_discovery import DESCRIPTION_START
from tests.e2e.clients.test_reading import STAGE_1

pytestmark = [pytest.mark.client, pytest.mark.sealed]

ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
RECORD_PATH = re.compile(r"\.temp/guarded-webfetch/result-[0-9a-f]{16}\.json")
SKILL_TOOLS = {"gemini": ("activate_skill", "name"), "opencode": ("skill", "name")}


@pytest.fixture(scope="module")
def runs(world: ClientWorld, codex: Installed) -> dict[str, Ran]:
    """Both at the same time: they are the slow ones."""
    if not shutil.which("rg"):
        pytest.skip("OpenCode finds no skill without ripgrep")
    started: dict[str, Started] = {}
    for client, (tool, key) in SKILL_TOOLS.items():
        one = world.copy(codex, client=client)
        shutil.copytree(codex.skill, one.place.project / ".agents/skills/guarded-webfetch")
        steps: list[Step] = [call(tool, **{key: "guarded-webfetch"}), one.fetch(ARTICLE), STAGE_1]
        started[client] = one.start(steps)
    return {client: running.wait() for client, running in started.items()}


@pytest.mark.parametrize("client", SKILL_TOOLS)
def test_found_and_read(runs: dict[str, Ran], client: str):
    ran = runs[client]
    assert ran.result.returncode == 0, ran.result.stderr
    assert DESCRIPTION_START in str(ran.requests[-1]["body"]), "in the list of skills"
    assert "## The one command" in ran.results[0]
    assert len(RECORD_PATH.findall(ran.results[1])) == 1
    assert '"verdict":"safe"' in ran.results[2]
