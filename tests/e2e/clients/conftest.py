"""The clients, once a session: found where install-clients put them, skipped with the reason where they are not."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import ClientWorld, Installed, Place
from tests.e2e.clients.programs import Programs
from tests.internet.client import SealedInternet

# The weaker nested sandbox is for root in a container, which the sealed internet looks like.
SANDBOX = (
    "--settings",
    json.dumps({"sandbox": {"enabled": True, "autoAllowBashIfSandboxed": True, "enableWeakerNestedSandbox": True}}),
)
INSTALL = Path(__file__).with_name("install-clients")


@pytest.fixture(scope="session")
def programs() -> Programs:
    found = subprocess.run(["bash", str(INSTALL), "--where"], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("no agent clients: run bash tests/e2e/clients/install-clients")
    return Programs(Path(found.stdout.strip()))


@pytest.fixture(scope="session")
def world(sealed_internet: SealedInternet, programs: Programs, environment: str) -> Iterator[ClientWorld]:
    with ClientWorld(sealed_internet, programs, environment) as made:
        yield made


@pytest.fixture
def place(world: ClientWorld) -> Place:
    return world.place()


@pytest.fixture(scope="session")
def claude(world: ClientWorld) -> Installed:
    """Claude Code with the skill installed for its user. Tests share it and only read."""
    return world.install("claude")


@pytest.fixture(scope="session")
def codex(world: ClientWorld) -> Installed:
    return world.install("codex")


@pytest.fixture(scope="session")
def checkout(world: ClientWorld) -> Path:
    """This repository as a marketplace, without what work on it leaves behind: a client copies all of it."""
    left_out = shutil.ignore_patterns(".git", ".*cache*", ".hypothesis", ".temp", "__pycache__", "tests", "dist")
    return shutil.copytree(REPOSITORY, world.folder / "checkout", ignore=left_out)


@pytest.fixture(scope="session")
def plugin(world: ClientWorld, checkout: Path) -> Installed:
    """Claude Code with nothing but the plugin."""
    place = world.place()
    program = place.world.programs.claude
    for words in (["marketplace", "add", str(checkout)], ["install", "guarded-webfetch@guarded-webfetch"]):
        done = place.run([program, "plugin", *words])
        assert done.returncode == 0, done.stdout + done.stderr
    loaded = place.claude([{"text": "done"}]).events[0]["plugins"]
    (root,) = [entry["path"] for entry in loaded if entry["name"] == "guarded-webfetch"]
    return Installed("claude", place, Path(root) / "skills/guarded-webfetch")


@pytest.fixture(scope="session")
def sandboxed(claude: Installed, codex: Installed) -> tuple[Installed, Installed]:
    """Both clients with the rules and their own sandbox; Claude Code's runs whatever fits into it without a question."""
    if not shutil.which("bwrap") or not shutil.which("socat"):
        pytest.skip("no sandbox for Claude Code: install bubblewrap and socat")
    return replace(claude, arguments=SANDBOX), codex


@pytest.fixture(scope="session")
def both(claude: Installed, codex: Installed) -> tuple[Installed, Installed]:
    return claude, codex
