"""What an install changed, kept so that an uninstall restores it exactly: a folder below the user's state folder.

Files are written under a temporary name and renamed. The journal stands before the first change is made, so that an install that was
cut short can be taken back.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

_FORMAT = 1


class Entry(NamedTuple):
    """One file: its bytes before (None: there was none), the hash of what was written, and what was added to JSON."""

    path: Path
    before: bytes | None
    after: str
    added: dict[str, Any] | None


class Journal:
    """The record of one install (client, scope, project) of this user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        return (self.folder / "journal.json").exists()

    @property
    def replaced_skill(self) -> Path:
        """Where a skill folder that another tool or hand had placed is kept."""
        return self.folder / "replaced-skill"

    def read(self) -> list[Entry]:
        if not self.exists:
            return []
        rows = json.loads((self.folder / "journal.json").read_text("utf-8"))["files"]
        return [
            Entry(
                Path(row["path"]),
                (self.folder / row["before"]).read_bytes() if row["before"] else None,
                row["after"],
                row["added"],
            )
            for row in rows
        ]

    def write(self, entries: list[Entry]) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        rows = []
        for number, entry in enumerate(entries):
            backup = None if entry.before is None else f"{number}.before"
            if backup and entry.before is not None:
                replace(self.folder / backup, entry.before, 0o600)
            rows.append({"path": str(entry.path), "before": backup, "after": entry.after, "added": entry.added})
        text = json.dumps({"format": _FORMAT, "files": rows}, indent=1, ensure_ascii=False)
        replace(self.folder / "journal.json", text.encode(), 0o600)

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # other installs are noted there too
            self.folder.parent.rmdir()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def current(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def replace(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Writes a whole file in one step; the mode of an existing one stays. A link is followed, so that it stays one."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        mode = target.stat().st_mode & 0o7777
    fd, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(fd, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def restore(path: Path, before: bytes | None) -> None:
    """Puts back what was there; folders that an install had to make go when they are empty."""
    if before is not None:
        replace(path, before)
        return
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        path.parent.rmdir()
