"""What the repository itself promises: it speaks of the project alone, stays readable, and its pages lead somewhere."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

MAX_LINES = 320
MAX_FUNCTION_LINES = 50
FOREIGN = re.compile(
    r"/root/|/home/[a-z]|/work/|(?<!var)/tmp/[a-z0-9]|pypi\.org|registry\.npmjs|deb\.debian\.org|files\.pythonhosted|snapshot\.debian"
)


def tracked() -> list[Path]:
    """Files git knows or would add; all files where there is no git (a released archive)."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=False)
    names = done.stdout.decode().split("\0") if done.returncode == 0 else map(str, REPOSITORY.rglob("*"))
    return [path for name in names if name and (path := REPOSITORY / name).is_file()]


def texts() -> list[tuple[str, str]]:
    found = []
    for path in tracked():
        try:
            found.append((str(path.relative_to(REPOSITORY)), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def test_no_machine_path_and_no_registry_host() -> None:
    here = str(Path(__file__).relative_to(REPOSITORY))
    found = [
        f"{name}: {match[0]}" for name, text in texts() if name != here for match in [FOREIGN.search(text)] if match
    ]
    assert found == []


def test_line_ends_and_no_links() -> None:
    assert [str(path) for path in tracked() if path.is_symlink()] == []
    assert [name for name, text in texts() if "\r\n" in text and not name.startswith("tests/")] == []


def test_files_are_short() -> None:
    code = [(name, text.count("\n")) for name, text in texts() if name.startswith(("shared/", "scripts/"))]
    assert [
        row for row in code if row[0].endswith((".py", ".sh")) and row[1] > MAX_LINES and "tables" not in row[0]
    ] == []


def test_functions_are_short() -> None:
    long = []
    for name, text in texts():
        if not name.startswith("shared/") or not name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES:
                long.append(f"{name}:{node.name}")
    assert long == []


@pytest.mark.parametrize(
    "page", ["README.md", "README.ja.md", "SECURITY.md", "references/threat-model.md", "references/architecture.md"]
)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    folder = (REPOSITORY / page).parent
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (REPOSITORY / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (folder / link).exists()] == []


def test_skill_is_short_and_plain() -> None:
    data = (REPOSITORY / "skills/guarded-webfetch/SKILL.md").read_bytes()
    text = data.decode("utf-8")
    assert not data.startswith(b"\xef\xbb\xbf"), "a BOM hides the skill from its clients"
    assert text.count("\n") < 200
    front = text.split("---\n")[1]
    assert re.search(r"^name: guarded-webfetch$", front, re.MULTILINE)
    description = re.search(r"^description: (.+)$", front, re.MULTILINE)
    assert description and len(description[1]) <= 1024
    assert re.search(r"[ぁ-ん]", description[1]), "trigger words of both languages"
    assert set(re.findall(r"\$\{(\w+)\}", text)) <= {"CLAUDE_SKILL_DIR"}


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = sorted(int(path.name[:4]) for path in (REPOSITORY / "references/adr").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_readme_shows_the_two_commands() -> None:
    for page in ("README.md", "README.ja.md"):
        text = (REPOSITORY / page).read_text(encoding="utf-8")
        for command in ("bash skills/guarded-webfetch/scripts/quarantine-fetch.sh 'https://example.com/'", "bash scripts/test.sh",
                        "bash scripts/sealed-internet bash skills/guarded-webfetch/scripts/quarantine-fetch.sh"):  # fmt: skip
            assert command in text
