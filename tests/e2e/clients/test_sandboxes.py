"""E7 and E8: inside the sandboxes of agents the fetch works with one rule, and without it the one line says what to do."""

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import ClientWorld, Installed, Step, bash, run_together

pytestmark = [pytest.mark.client, pytest.mark.sealed]

ECHO = "https://news.canal-journal.com/echo"
OUTSIDE = "https://example.com/"
PATH_LINE = re.compile(r"^\.temp/guarded-webfetch/result-[0-9a-f]{16}\.json$", re.MULTILINE)
BLOCKED = "guarded-webfetch: network_blocked: An outer sandbox blocks the network for this command; see the README section on sandboxes."
README_SECTION = re.compile(r"^##.*[Ss]andbox", re.MULTILINE)


def test_the_launcher_gets_out_and_nothing_beside_it(sandboxed: tuple[Installed, Installed]):
    def steps(one: Installed) -> list[Step]:
        writing = f"echo x >> {one.skill}/scripts/quarantine-fetch.sh; echo x > {one.skill}/lib/guarded_webfetch/new.py"
        return [one.fetch(ECHO), bash(f"curl -sS -m 5 {OUTSIDE}; echo status $?"), bash(f"{writing}; echo tried")]

    before = [(one.skill / "scripts/quarantine-fetch.sh").read_bytes() for one in sandboxed]
    for one, ran in run_together(sandboxed, steps):
        assert PATH_LINE.search(ran.results[0]), ran.results
        assert re.search(r"status [1-9]", ran.results[1]), ran.results[1]
        assert "example.com" not in [entry["host"] for entry in ran.result.log.requests]
        assert not (one.skill / "lib/guarded_webfetch/new.py").exists()
    assert [(one.skill / "scripts/quarantine-fetch.sh").read_bytes() for one in sandboxed] == before


def test_without_the_rule_both_say_why(world: ClientWorld, sandboxed: tuple[Installed, Installed]):
    ones = [world.copy(one, *one.arguments) for one in sandboxed]
    for _, ran in run_together(ones, lambda one: [one.fetch(ECHO)]):
        assert BLOCKED in ran.results[0], ran.results
    assert README_SECTION.search((REPOSITORY / "README.md").read_text("utf-8"))


def test_the_sandbox_runtime_alone(world: ClientWorld, claude: Installed):
    """Anthropic's sandbox-runtime around the launcher: no way out, and the line that says so."""
    if not all(map(shutil.which, ("bwrap", "socat", "rg"))):
        pytest.skip("the sandbox runtime needs bubblewrap, socat and ripgrep")
    place = world.copy(claude).place
    settings = place.write(
        "~/srt.json", SRT_SETTINGS | {"filesystem": SRT_FILES | {"allowWrite": [str(place.project)]}}
    )
    launcher = f"bash {place.home}/.claude/skills/guarded-webfetch/scripts/quarantine-fetch.sh '{ECHO}'"
    done = place.run([place.world.programs.sandbox_runtime, "--settings", str(settings), "-c", launcher])
    assert (done.returncode, done.stdout.strip()) == (3, ""), done.stderr
    assert BLOCKED in done.stderr


SRT_SETTINGS = {"network": {"allowedDomains": [], "deniedDomains": []}, "enableWeakerNestedSandbox": True}
SRT_FILES: dict[str, list[str]] = {"denyRead": [], "allowWrite": [], "denyWrite": []}


def test_a_folder_that_cannot_be_written_is_named(world: ClientWorld, codex: Installed):
    one = world.copy(codex, "-c", 'sandbox_mode="read-only"')
    ran = one.run([one.fetch(ECHO)])
    assert "guarded-webfetch: store_unavailable: " in ran.results[0], ran.results
    assert not Path(one.place.project / ".temp").exists()
