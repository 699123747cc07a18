"""The environments that the set-up script builds: where they are, and which of them this code uses."""

import hashlib
import os
import re
import sys
from pathlib import Path
from typing import Final

LOCKS: Final = tuple(Path(__file__).resolve().parent.parent / "setup" / name for name in ("runtime.lock", "dev.lock"))

# setup/environment.sh: the lock's hash, the machine, the Python, for example 0123456789abcdef-x86_64-cpython-311.
NAME: Final = re.compile(r"[0-9a-f]{16}-[a-z0-9_]{1,30}-[a-z]{1,20}-[0-9]{2,4}")
_HASH_DIGITS: Final = 16


def folder() -> str | None:
    """`${XDG_CACHE_HOME:-~/.cache}/guarded-webfetch`, None without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        home = os.environ.get("HOME", "")
        if not home.startswith("/"):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "guarded-webfetch")


def is_current(name: str) -> bool:
    """Whether the environment `name` belongs to a lock of this code, or is the one this process runs in."""
    running = os.path.basename(os.path.dirname(os.path.dirname(sys.executable)))
    return name == running or name[:_HASH_DIGITS] in {_digest(lock) for lock in LOCKS if lock.exists()}


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()[:_HASH_DIGITS]
