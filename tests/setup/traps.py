"""A hostile working folder: whatever a careless set-up would run or read there leaves a mark."""

import os
import shutil
from pathlib import Path

from .harness import BASE_PYTHON, write_program

MODULES = ("venv", "pip", "ensurepip")
TOP_MODULES = ("sitecustomize", "usercustomize", "compileall", "shutil", "one")
COMMANDS = (
    "python3.13",
    "python3.12",
    "python3.11",
    "python3",
    "python",
    "uv",
    "env",
    "find",
    "flock",
    "mktemp",
    "sha256sum",
    "rm",
)
FUNCTIONS = (
    "cd",
    "exec",
    "printf",
    "command",
    "type",
    "read",
    "unset",
    "trap",
    "env",
    "find",
    "umask",
    "local",
    "return",
    "exit",
)


class Traps:
    """The folder, the marks its traps leave, and an environment that leads a careless program into it."""

    def __init__(self, folder: Path, marks: Path) -> None:
        self.folder = folder
        self.marks = marks
        marks.mkdir()
        for name in MODULES:
            self._module(folder / name / "__init__.py", name)
            self._module(folder / name / "__main__.py", name)
        for name in TOP_MODULES:
            self._module(folder / f"{name}.py", name)
        for name in COMMANDS:
            self._program(folder / name, name)
        self._program(folder / ".venv" / "bin" / "python", "venv-python")
        (folder / ".venv" / "pyvenv.cfg").write_text(f"home = {BASE_PYTHON.parent}\nversion = 3.11.0\n")
        (folder / ".python-version").write_text(f"{folder}/python3\n")
        (folder / "bash-env").write_text(f"echo x >>'{marks}/bash-env'\n")
        self._configurations()

    def _module(self, path: Path, name: str) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({os.fspath(self.marks / name)!r}, 'a').write('x\\n')\n")

    def _program(self, path: Path, name: str) -> None:
        write_program(path, f"#!/bin/sh\necho x >>'{self.marks}/{name}'\nexit 1\n")

    def _configurations(self) -> None:
        """uv then knows no index; pip writes a log into the marks."""
        (self.folder / "uv.toml").write_text("no-index = true\n")
        (self.folder / "pyproject.toml").write_text(
            '[project]\nname = "x"\nversion = "1"\n[tool.uv]\nno-index = true\n'
        )
        (self.folder / "pip.conf").write_text(f"[global]\nlog = {self.marks}/pip.conf\n")

    def environment(self, path: Path) -> dict[str, str]:
        here = os.fspath(self.folder)
        functions = {f"BASH_FUNC_{name}%%": f"() {{ echo x >>'{self.marks}/function-{name}'; }}" for name in FUNCTIONS}
        return functions | {
            "PATH": f".:{here}::{here}/.venv/bin:./.venv/bin:{path}:",
            "PYTHONPATH": here,
            "PYTHONHOME": here,
            "PYTHONSTARTUP": f"{here}/one.py",
            "BASH_ENV": f"{here}/bash-env",
            "ENV": f"{here}/bash-env",
            "CDPATH": here,
            "VIRTUAL_ENV": f"{here}/.venv",
            "PIP_CONFIG_FILE": f"{here}/pip.conf",
            "PIP_TARGET": here,
            "UV_CONFIG_FILE": f"{here}/uv.toml",
            "UV_PYTHON": f"{here}/python3",
            "UV_CACHE_DIR": f"{here}/uv-cache",
            "UV_PROJECT_ENVIRONMENT": f"{here}/.venv",
            "UV_NO_INDEX": "1",
            "TMPDIR": here,
        }

    def sprung(self) -> set[str]:
        """The traps that ran since the last call."""
        names = {path.name for path in self.marks.iterdir()}
        shutil.rmtree(self.marks)
        self.marks.mkdir()
        return names
