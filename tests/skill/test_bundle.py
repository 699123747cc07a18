"""The bundle: whole, self-contained, checked by its own sums, the same every time; and the copies in this repository."""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

SKILL = REPOSITORY / "skills/guarded-webfetch"
SCRIPTS = {
    "guarded-webfetch": ("quarantine-fetch.sh", "read-result.sh", "pre-tool-use.sh"),
    "guarded-sources": ("quarantine-sources.sh",),
    "grounded-answers": ("grounded.sh",),
}
COPIES = (".claude/skills", ".agents/skills")


@pytest.fixture(params=SCRIPTS)
def folder(bundle: Path, request: pytest.FixtureRequest) -> Path:
    return bundle / "skills" / request.param


def test_it_holds_the_skill_the_program_and_the_lock(folder: Path) -> None:
    for name in (
        "SKILL.md", "LICENSE", "SHA256SUMS", *(f"scripts/{name}" for name in SCRIPTS[folder.name]), "scripts/find-program.sh",
        "lib/guarded_webfetch/boot.py", "lib/guarded_webfetch/setup/runtime.lock", "lib/guarded_webfetch/setup/environment.sh",
    ):  # fmt: skip
        assert (folder / name).is_file(), name
    package = REPOSITORY / "shared/guarded_webfetch"
    for path in package.rglob("*.py"):
        assert (folder / "lib/guarded_webfetch" / path.relative_to(package)).read_bytes() == path.read_bytes()


def test_no_links_no_compiled_code_nothing_others_may_write(folder: Path) -> None:
    for path in folder.rglob("*"):
        assert not path.is_symlink()
        assert path.name not in ("__pycache__", "dev.lock")
        assert not path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def test_the_sums_are_of_every_other_file(folder: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    named = {line[66:] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found - named == {"SHA256SUMS"}
    assert named <= found


def test_the_zip_is_the_folder_and_the_same_every_time(bundle: Path, folder: Path, tmp_path: Path) -> None:
    archive = next(bundle.glob(f"{folder.name}-*.zip"))
    with zipfile.ZipFile(archive) as packed:
        assert all(name.startswith(f"{folder.name}/") and ".." not in name for name in packed.namelist())
        packed.extractall(tmp_path / "unpacked")
    for path in folder.rglob("*"):
        if path.is_file():
            assert (tmp_path / "unpacked" / folder.name / path.relative_to(folder)).read_bytes() == path.read_bytes()
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    from shipping.bundle import zip_bundle  # type: ignore[import-not-found]

    zip_bundle(folder, tmp_path / "again.zip")
    assert digest(tmp_path / "again.zip") == digest(archive)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_link_among_the_sources_is_refused(tmp_path: Path) -> None:
    from shipping.bundle import build

    for name in ("skills/guarded-webfetch", "shared/guarded_webfetch"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "LICENSE", tmp_path)
    build(tmp_path / "good", "guarded-webfetch", tmp_path)
    (tmp_path / "shared/guarded_webfetch/extra.py").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="link"):
        build(tmp_path / "bad", "guarded-webfetch", tmp_path)


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("skill", SCRIPTS)
def test_the_copies_of_this_repository_are_equal_and_without_code(copy: str, skill: str) -> None:
    there, here = REPOSITORY / copy / skill, REPOSITORY / "skills" / skill
    names = [
        {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        for top in (there, here)
    ]
    assert names[0] == names[1] - {"scripts/pre-tool-use.sh", "scripts/pre_tool_use.py"}
    for name in names[0]:
        assert (there / name).read_bytes() == (here / name).read_bytes(), f"{name}: run bash scripts/sync-skills"
    assert not (there / "lib").exists()
    assert not [path for path in (REPOSITORY / copy).rglob("*") if path.is_symlink()]


def test_no_rule_of_this_repository_exempts_a_copy() -> None:
    for name in (".claude/settings.json", ".claude/settings.local.json", ".codex/rules/default.rules"):
        path = REPOSITORY / name
        assert not path.exists() or "quarantine-fetch.sh" not in path.read_text(encoding="utf-8")


def test_the_check_of_the_copies_can_fail(tmp_path: Path) -> None:
    for name in ("skills", *COPIES):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "scripts").mkdir()
    (tmp_path / "references").mkdir()
    for name in ("scripts/sync-skills", "references/record.md", "references/reasons.md"):
        shutil.copy(REPOSITORY / name, tmp_path / name)

    def check(*arguments: str) -> int:
        return subprocess.run(
            ["bash", str(tmp_path / "scripts/sync-skills"), *arguments], capture_output=True, check=False
        ).returncode

    assert check("--check") == 0, "run bash scripts/sync-skills"
    for name in (
        ".claude/skills/guarded-webfetch/SKILL.md",
        ".agents/skills/guarded-webfetch/scripts/extra.sh",
        ".agents/skills/guarded-sources/SKILL.md",
        "skills/grounded-answers/scripts/find-program.sh",
        "references/reasons.md",
    ):
        path = tmp_path / name
        with path.open("a") as file:
            file.write("more\n")
        assert check("--check") == 1
        assert check() == 0
        assert check("--check") == 0


def test_a_launcher_in_a_copy_runs_the_code_of_the_checkout(tmp_path: Path) -> None:
    for name in ("skills/guarded-webfetch", ".claude/skills/guarded-webfetch"):
        shutil.copytree(SKILL, tmp_path / name)
    package = tmp_path / "shared/guarded_webfetch"
    (package / "setup").mkdir(parents=True)
    (package / "boot.py").touch()
    (package / "setup/environment.sh").write_text('environment_python() { echo "found $package"; exit 0; }\n')
    command = [
        "bash",
        str(tmp_path / ".claude/skills/guarded-webfetch/scripts/quarantine-fetch.sh"),
        "https://example.com/",
    ]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"found {package}\n"
    shutil.rmtree(tmp_path / "skills")  # not a checkout: a copy without its code, in somebody's project
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "install the whole skill folder" in done.stderr


def test_the_manifests_say_the_version_of_the_program() -> None:
    version = re.search(r'__version__ = "(.+)"', (REPOSITORY / "shared/guarded_webfetch/__init__.py").read_text())
    assert version and f'"version": "{version[1]}"' in (REPOSITORY / ".claude-plugin/plugin.json").read_text()


def test_the_pages_of_the_skill_lead_somewhere_inside_it() -> None:
    for page in (REPOSITORY / "skills").rglob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
            assert (
                (page.parent / link)
                .resolve()
                .is_relative_to(REPOSITORY / "skills" / page.relative_to(REPOSITORY / "skills").parts[0])
            )
