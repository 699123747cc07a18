"""E12: with results outside the workspace, page text in Claude Code comes through the reader or not at all."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import ClientWorld, Installed, Step, bash, call
from tests.e2e.clients.conftest import SANDBOX

pytestmark = [pytest.mark.client, pytest.mark.sealed]

ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
PAGE = REPOSITORY / "references/hardened-mode.md"
RECORD = r"{{re:(/\S+/results/result-[0-9a-f]+\.json)}}"


@pytest.fixture(scope="module")
def hardened(world: ClientWorld) -> Installed:
    """An install with the settings and the config file that references/hardened-mode.md gives to copy."""
    one = world.install("claude")
    config, snippet = re.findall(r"^```(?:toml|json)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)[:2]
    one.place.write("~/.config/guarded-webfetch/config.toml", config)
    path = one.place.home / ".claude/settings.json"
    settings = json.loads(path.read_text("utf-8"))
    added = json.loads(snippet.replace("SKILL_FOLDER", str(one.skill)))
    settings["permissions"]["deny"] += added["permissions"]["deny"]
    settings["sandbox"]["excludedCommands"] += added["sandbox"]["excludedCommands"]
    path.write_text(json.dumps(settings), encoding="utf-8")
    return one


@pytest.mark.parametrize("arguments", [(), SANDBOX], ids=["plain", "sandbox"])
def test_no_way_around_the_reader(hardened: Installed, arguments: tuple[str, ...]):
    one = replace(hardened, arguments=arguments)
    folder = one.place.home / ".local/state/guarded-webfetch/results"
    reader = f"bash {one.skill}/scripts/read-result.sh"
    around: list[Step] = [
        call("Read", file_path=RECORD),
        bash(f"cat {folder}/*.json"),
        bash(f"cd {folder} && cat *"),
        bash(f"grep -r canal {folder}"),
        bash(f"jq -r .raw_text {RECORD}"),
        bash(f"{reader} {RECORD} text"),
        bash(f"{reader} {RECORD} section 1"),
        bash(f"{reader} {RECORD} summary | cat {RECORD}"),
    ]
    ran = one.run([one.fetch(ARTICLE), bash(f"{reader} {RECORD} summary"), bash(f"{reader} outline {RECORD}"), *around])
    path = Path(ran.results[0].strip())
    text = json.loads(path.read_text("utf-8"))["raw_text"]
    assert path.parent == folder and not (one.place.project / ".temp").exists()
    assert '"verdict":"safe"' in ran.results[1] and '"heading":' in ran.results[2], ran.results[1:3]
    lines = [line[:50] for line in text.splitlines() if len(line) > 80][2:]  # the first ones are the summary
    assert lines and not [line for line in lines if line in ran.sent], ran.results[3:]
