"""Last step of building an environment, run by environment.sh with the base Python: `finish.py BUILT FINAL`.

BUILT is a virtual environment below a temporary name, FINAL the name it is found under. Standard library only, and
nothing of the package is imported: it is started by its path, with -I.
"""

import compileall
import os
import shutil
import sys
from pathlib import Path

FINISHED_MARK = "guarded-webfetch.finished"
PACKAGE_FOLDER = Path(__file__).resolve().parent.parent


def finish(built: Path, final: Path) -> None:
    """Make `built` ready for its final name, and give it that name in one step.

    Raises OSError when the environment cannot be completed; `final` then is as it was before.
    """
    point_scripts_at(built, final)
    compileall.compile_dir(built / "lib", quiet=2)
    compile_package(PACKAGE_FOLDER)
    (built / ".lock").unlink(missing_ok=True)  # left by uv, writable by everybody
    (built / FINISHED_MARK).touch()
    if final.exists():  # finished once, but its base Python has gone since
        shutil.rmtree(final)
    os.rename(built, final)


def point_scripts_at(built: Path, final: Path) -> None:
    """Rewrite the interpreter path in console and activation scripts, which installers write as an absolute path."""
    for script in (built / "bin").iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        if b"\0" not in content:
            script.write_bytes(content.replace(os.fsencode(built), os.fsencode(final)))


def compile_package(package: Path) -> None:
    """Byte-compile our own code where the folder can be written, readable for everybody who can read the code."""
    own_umask = os.umask(0o022)
    try:
        compileall.compile_dir(package, quiet=2)
    finally:
        os.umask(own_umask)


if __name__ == "__main__":
    finish(Path(sys.argv[1]), Path(sys.argv[2]))
