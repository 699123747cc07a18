"""A machine to set up on: a HOME, a PATH of our choosing, a copied skill whose program only says how it was started."""

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PACKAGE = REPOSITORY / "shared" / "guarded_webfetch"
SKILL = REPOSITORY / "skills" / "guarded-webfetch"
BASH = shutil.which("bash", path="/bin:/usr/bin:/usr/local/bin") or "bash"
BASE_PYTHON = Path(os.path.realpath(sys._base_executable))  # type: ignore[attr-defined]
COMMANDS = ("bash", "env", "find", "flock", "mkdir", "mktemp", "mv", "rm", "sha256sum", "sleep")
URL = "https://example.com/"

# Stands in for the program: prints what reached it.
REPORTING_BOOT = """
import json, os, sys
print(json.dumps({"argv": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(), "python": sys.executable,
                  "isolated": sys.flags.isolated, "no_site": sys.flags.no_site, "boot": __file__}))
"""


def write_program(path: Path, text: str) -> Path:
    """An executable file; replaces a link rather than writing through it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def copy_skill(folder: Path) -> Path:
    """The skill as an installer copies it: with the package in lib/. Returns the launcher."""
    shutil.copytree(SKILL, folder, ignore=shutil.ignore_patterns("__pycache__", "lib"))
    package = folder / "lib" / "guarded_webfetch"
    package.mkdir(parents=True)
    (package / "boot.py").write_text(REPORTING_BOOT)
    shutil.copytree(PACKAGE / "setup", package / "setup", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "scripts" / "quarantine-fetch.sh"


@dataclass
class Machine:
    """`run` starts the launcher of a copied skill there; nothing of the test's own environment gets in."""

    root: Path
    commands: tuple[str, ...] = COMMANDS
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in (self.home, self.bin, self.folder):
            folder.mkdir(parents=True)
        for name in self.commands:
            place = shutil.which(name)
            if place:
                (self.bin / name).symlink_to(place)
        self.launcher = copy_skill(self.root / "a skill")

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def folder(self) -> Path:
        """The caller's working folder."""
        return self.root / "working folder"

    @property
    def cache(self) -> Path:
        return self.home / ".cache" / "guarded-webfetch"

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": str(self.bin)} | self.variables

    def add_python(self, name: str = "python3") -> None:
        """A name on PATH for the Python that runs the tests, outside any virtual environment."""
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).symlink_to(BASE_PYTHON)

    def add_python_without_pip(self) -> None:
        """Debian's python3 without python3-venv: the venv module is there, ensurepip is not."""
        hide = "import importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *a: None if n == 'ensurepip' else f(n, *a)"
        write_program(
            self.bin / "python3",
            f'#!/bin/sh\nif [ "$2" = -c ]; then exec {BASE_PYTHON} -I -c "{hide}\n$3"; fi\nexec {BASE_PYTHON} "$@"\n',
        )

    def add_uv(self, exit_code: int = 0) -> Path:
        """A uv that installs nothing and writes down how it was called. Returns that log, one JSON object a line."""
        log = self.root / "uv.log"
        write_program(
            self.bin / "uv",
            f"#!{BASE_PYTHON} -IS\nimport json, os, sys\n"
            f"call = {{'argv': sys.argv[1:], 'environment': dict(os.environ), 'folder': os.listdir('.')}}\n"
            f"open({str(log)!r}, 'a').write(json.dumps(call) + chr(10))\nprint('the words of uv')\nsys.exit({exit_code})\n",
        )
        return log

    def start(self, *arguments: str, bash: str = BASH) -> "subprocess.Popen[str]":
        command = [bash, str(self.launcher), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=pipe, stderr=pipe, text=True)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*(arguments or (URL,)))
        stdout, stderr = process.communicate(timeout=300)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def report(self, *arguments: str) -> dict[str, Any]:
        """Run, expect success, and return what the stand-in program saw."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def refusal(self, *arguments: str) -> str:
        """Run, expect exit 3 with nothing on stdout, and return the last line of stderr."""
        done = self.run(*arguments)
        assert (done.returncode, done.stdout) == (3, ""), done
        line = done.stderr.splitlines()[-1]
        assert line.startswith("guarded-webfetch: prerequisite_missing: ")
        return line


def calls(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
