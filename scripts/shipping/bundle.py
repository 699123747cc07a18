"""scripts/bundle-skill: each skill folder as it is installed, and a zip of it.

SKILL.md, scripts/ and references/ as in the repository, the package in lib/ with the lock of its packages, LICENSE, and SHA256SUMS
over every other file. Every skill carries the code itself, so that none depends on what lies beside it.
Regular files only; the zip is the same byte for byte whenever it is made from the same sources.
"""

import argparse
import hashlib
import os
import re
import shutil
import stat
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = ("guarded-webfetch", "guarded-sources", "grounded-answers")
SUMS = "SHA256SUMS"
_LEFT_OUT = {"__pycache__", "dev.lock"}
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can hold; a build time would make every zip differ


def sources(name: str, root: Path = ROOT) -> Iterator[tuple[str, Path]]:
    """(path in the bundle, file); ValueError for a symbolic link, which could lead out of an installed folder."""
    for folder, place in (
        (root / "skills" / name, ""),
        (root / "shared" / "guarded_webfetch", "lib/guarded_webfetch/"),
    ):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if _LEFT_OUT & set(inside.parts) or (place == "" and inside.parts[0] == "lib"):
                continue
            if path.is_symlink():
                raise ValueError(f"{inside} is a link")
            if path.is_file():
                yield place + inside.as_posix(), path
    yield "LICENSE", root / "LICENSE"


def build(target: Path, skill: str, root: Path = ROOT) -> None:
    """Writes the bundle of a skill to `target`, which must not exist."""
    for name, source in sources(skill, root):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        copy.chmod(0o755 if name.endswith(".sh") else 0o644)
    (target / SUMS).write_text(sums(sources(skill, root)), encoding="utf-8")


def sums(files: Iterable[tuple[str, Path]]) -> str:
    """What sha256sum prints for them, by name."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in sorted(files))


def is_current(bundle: Path, skill: str, root: Path = ROOT) -> bool:
    """Whether `bundle` is, file by file, what would be built now (compiled code aside)."""
    found = [
        (path.relative_to(bundle).as_posix(), path)
        for path in bundle.rglob("*")
        if "__pycache__" not in path.parts and (path.is_symlink() or path.is_file())
    ]
    if any(path.is_symlink() for _, path in found) or not (bundle / SUMS).is_file():
        return False
    expected = sums(sources(skill, root))
    return (bundle / SUMS).read_text("utf-8") == expected == sums(file for file in found if file[0] != SUMS)


def zip_bundle(bundle: Path, archive: Path) -> None:
    """A zip that unpacks to one folder named like the skill."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{bundle.name}/{path.relative_to(bundle).as_posix()}", _ZIP_TIME)
            entry.external_attr = (stat.S_IFREG | stat.S_IMODE(path.stat().st_mode)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())


def version(root: Path = ROOT) -> str:
    found = re.search(
        r'^__version__ = "([^"]+)"$', (root / "shared/guarded_webfetch/__init__.py").read_text("utf-8"), re.M
    )
    if found is None:
        raise ValueError("no version")
    return found[1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bundle-skill")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR", help="instead of dist/")
    out = parser.parse_args().out
    os.umask(0o022)
    for name in NAMES:
        folder, archive = out / "skills" / name, out / f"{name}-{version()}.zip"
        shutil.rmtree(folder, ignore_errors=True)
        build(folder, name)
        zip_bundle(folder, archive)
        print(folder, archive, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
