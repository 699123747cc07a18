"""What is shipped passes the validators of its formats, and a broken twin of each file fails them: a check that cannot fail is none.

They judge the form. Whether a client really loads the files is asked in test_in_clients.py: validate alone passes broken hooks.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import Programs

from .conftest import run_script

SKILL = "skills/guarded-webfetch"
Change = Callable[[str], str]


def replaced(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def tool(name: str) -> str:
    """A command of the development environment, or of PATH."""
    found = shutil.which(name, path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    if not found and os.environ.get("CI") == "true":
        pytest.fail(f"{name} is not installed")
    if not found:
        pytest.skip(f"{name} is not installed")
    return found


def passes(*command: str, cwd: Path | None = None) -> bool:
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd or REPOSITORY), "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode == 0


def copy_of(folder: Path, *names: str) -> Path:
    for name in names:
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


# ---------------------------------------------------------------- the skill's own specification


@pytest.mark.parametrize("folder", ["skills", ".claude/skills", ".agents/skills"])
@pytest.mark.parametrize("name", ["guarded-webfetch", "guarded-sources", "grounded-answers"])
def test_the_skill_follows_the_specification(folder: str, name: str) -> None:
    assert passes(tool("agentskills"), "validate", str(REPOSITORY / folder / name))


def test_the_bundle_does_too(bundle: Path) -> None:
    assert passes(tool("agentskills"), "validate", str(bundle / SKILL))


@pytest.mark.parametrize(
    "change",
    [
        replaced("name: guarded-webfetch", "name: Guarded_Webfetch"),
        replaced("name: guarded-webfetch", "name: another"),
        replaced("license: MIT", "argument-hint: URL"),
        replaced("license: MIT", f"compatibility: {'x' * 501}"),
        replaced("description: Reads", f"description: {'x' * 1025}"),
        replaced("description: Reads", "decsription: Reads"),
        replaced("---\n", ""),
    ],
)
def test_a_skill_that_does_not_is_told(tmp_path: Path, change: Change) -> None:
    page = copy_of(tmp_path, SKILL) / SKILL / "SKILL.md"
    page.write_text(change(page.read_text("utf-8")), encoding="utf-8")
    assert not passes(tool("agentskills"), "validate", str(tmp_path / SKILL))


# ---------------------------------------------------------------- the client's own validator


def claude_passes(programs: Programs, folder: Path) -> bool:
    """Both manifests: given a folder with a marketplace, it looks at nothing but the marketplace."""
    manifests = (folder / ".claude-plugin/plugin.json", folder)
    return all(passes(programs.claude, "plugin", "validate", str(path), cwd=folder) for path in manifests)


@pytest.mark.client
@pytest.mark.parametrize(
    ("name", "change"),
    [
        (None, None),
        ("plugin.json", replaced('"name": "guarded-webfetch"', '"nmae": "guarded-webfetch"')),
        ("plugin.json", replaced("./.claude-plugin/hooks.json", "./.claude-plugin/nowhere.json")),
        ("plugin.json", replaced("{", "")),
        ("marketplace.json", replaced('"owner"', '"owned"')),
        ("marketplace.json", replaced('"source": "./"', '"source": 1')),
    ],
)
def test_claude_plugin_validate(programs: Programs, tmp_path: Path, name: str | None, change: Change | None) -> None:
    folder = copy_of(tmp_path, ".claude-plugin", "skills")
    if name and change:
        path = folder / ".claude-plugin" / name
        path.write_text(change(path.read_text("utf-8")), encoding="utf-8")
    assert claude_passes(programs, folder) == (name is None)


# ---------------------------------------------------------------- JSON schemas


@pytest.fixture(scope="session")
def schemas() -> Path:
    folder = Path(os.environ.get("GUARDED_WEBFETCH_SCHEMAS", REPOSITORY / ".." / "shared" / "schemas")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no schemas at {folder.name}/ (set GUARDED_WEBFETCH_SCHEMAS)")
    return folder


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What scripts/install writes for each client, in a home and a project."""
    place = tmp_path_factory.mktemp("installed")
    for name in ("home", "project"):
        (place / name).mkdir()
    for client in ("claude", "codex"):
        for scope in ("user", "project"):
            run_script("install", "--client", client, "--scope", scope, home=place / "home", cwd=place / "project")
    return place


SCHEMATA = [
    ("claude-code-plugin-manifest", ".claude-plugin/plugin.json", replaced('"version": "0.1.0"', '"version": 1')),
    ("claude-code-marketplace", ".claude-plugin/marketplace.json", replaced('"owner"', '"owned"')),
    ("codex-hooks", ".claude-plugin/hooks.json", replaced('"hooks": {', '"more": 1, "hooks": {')),
    (
        "codex-skill-metadata",
        f"{SKILL}/agents/openai.yaml",
        replaced("allow_implicit_invocation: true", "allow_implicit_invocation: 7"),
    ),
    ("claude-code-settings", "home/.claude/settings.json", replaced('"WebFetch"', '"WebFech(x)"')),
    ("claude-code-settings", "home/.claude/settings.json", replaced("PreToolUse", "PreToolUses")),
    ("claude-code-settings", "project/.claude/settings.json", replaced('"deny"', '"dny"')),
    ("claude-code-settings", "project/.claude/settings.local.json", replaced('"Bash(', '"Bsh(')),
    ("codex-hooks", "home/.codex/hooks.json", replaced('"hooks": {', '"hooks": [], "x": {')),
    ("codex-hooks", "project/.codex/hooks.json", replaced('"type": "command",', "")),
]


@pytest.mark.parametrize("row", SCHEMATA)
def test_files_follow_their_schema_and_a_twin_does_not(
    schemas: Path, written: Path, tmp_path: Path, row: tuple[str, str, Change]
) -> None:
    schema, name, change = row
    check = (tool("check-jsonschema"), "--schemafile", str(schemas / f"{schema}.json"))
    source = written / name if (written / name).exists() else REPOSITORY / name
    assert passes(*check, str(source))
    twin = tmp_path / source.name
    twin.write_text(change(source.read_text("utf-8")), encoding="utf-8")
    assert not passes(*check, str(twin))


# ---------------------------------------------------------------- shell


def shell_scripts() -> list[Path]:
    """Every shell script that is shipped or run by a person for the skill."""
    found = sorted((REPOSITORY / SKILL / "scripts").glob("*.sh"))
    return [*found, *(REPOSITORY / "scripts" / name for name in ("install", "bundle-skill", "sync-skills"))]


def test_shell_scripts_are_sound_and_a_twin_is_not(tmp_path: Path) -> None:
    check = (tool("shellcheck"), "-x")
    assert len(shell_scripts()) > 5
    assert passes(*check, *map(str, shell_scripts()), cwd=REPOSITORY)
    twin = tmp_path / "twin.sh"
    twin.write_text(f"{shell_scripts()[0].read_text('utf-8')}\nrm -rf $undefined_name/*\n", encoding="utf-8")
    assert not passes(*check, str(twin), cwd=REPOSITORY)


# ---------------------------------------------------------------- what each page shows


def snippets(page: str) -> list[Any]:
    """The JSON blocks of a page."""
    blocks = (REPOSITORY / page).read_text("utf-8").split("```json\n")[1:]
    return [json.loads(block.partition("```")[0]) for block in blocks]


def test_the_snippet_for_claude_code_is_what_an_install_writes() -> None:
    from shipping import json_settings, rules  # type: ignore[import-not-found]

    skill = "/home/YOU/.claude/skills/guarded-webfetch"
    merged = json_settings.merge(
        rules.claude_user(skill, "/home/YOU/.cache/guarded-webfetch"), rules.claude_exemption(skill)
    )[0]
    assert snippets("references/clients/claude-code.md")[0] == merged


def test_the_snippets_for_codex_are_what_an_install_writes() -> None:
    from shipping import rules

    page = (REPOSITORY / "references/clients/codex.md").read_text("utf-8")
    skill = "/home/YOU/.agents/skills/guarded-webfetch"
    assert rules.codex_rules(skill) in page
    assert f'web_search = "{rules.WEB_SEARCH}"\n' in page
    assert snippets("references/clients/codex.md")[0] == rules.codex_hooks(skill)
