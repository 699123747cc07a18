"""Reading the locks: `name==version ; marker \\` with one `--hash=sha256:` line for each file that may be installed."""

import json
import re
import subprocess
from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .harness import PACKAGE

HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def lock_text(name: str) -> str:
    return (PACKAGE / "setup" / f"{name}.lock").read_text()


def entries(name: str) -> Iterator[tuple[Requirement, list[str]]]:
    """Each requirement of a lock with its hashes. A line of any other form is a ValueError."""
    logical = re.sub(r"\s*#.*", "", lock_text(name)).replace("\\\n", " ")
    for line in filter(None, map(str.strip, logical.splitlines())):
        requirement, *words = re.split(r"\s+(?=--)", line)
        if not all(HASH.fullmatch(word) for word in words):
            raise ValueError(line)
        yield Requirement(requirement), words


def locked_packages(name: str) -> dict[str, str]:
    """Name and version of what a lock installs on this machine."""
    here = (item for item, _ in entries(name) if item.marker is None or item.marker.evaluate())
    return {canonicalize_name(item.name): str(item.specifier).removeprefix("==") for item in here}


def installed_packages(python: str) -> dict[str, str]:
    program = "import json, importlib.metadata as m; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    return {canonicalize_name(name): version for name, version in json.loads(done.stdout).items()}
