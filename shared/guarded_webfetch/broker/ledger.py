"""The ledger: one line for every record this user's tool has written. It is the audit log and the proof of origin."""

import fcntl
import json
import os
import stat
from typing import Any, Final

from guarded_webfetch.broker import user_folders

_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def append(line: dict[str, Any]) -> bool:
    """Adds one line; False where the ledger has no safe place, and then the record cannot be believed later.

    No safe place: it would lie below the working folder, where a sandboxed agent may write, or cannot be written.
    """
    folder = user_folders.state()
    if folder is None or user_folders.below_working_folder(folder):
        return False
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        fd = os.open(os.path.join(folder, "ledger.jsonl"), _APPEND, 0o600)
    except OSError:
        return False
    try:
        if not _is_ours(fd):
            return False
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.write(fd, json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n")
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def knows(record_sha256: str, links_sha256: str) -> bool:
    """Whether a record with exactly these bytes, and this link table beside it, was written here."""
    folder = user_folders.state()
    if folder is None or user_folders.below_working_folder(folder):
        return False
    try:
        fd = os.open(os.path.join(folder, "ledger.jsonl"), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with open(fd, encoding="utf-8", errors="replace") as file:
        if not _is_ours(fd):
            return False
        return any(_matches(line, record_sha256, links_sha256) for line in file if record_sha256 in line)


def _matches(line: str, record_sha256: str, links_sha256: str) -> bool:
    try:
        entry = json.loads(line)
    except ValueError:  # a line cut by a full disk
        return False
    return (
        isinstance(entry, dict)
        and entry.get("record_sha256") == record_sha256
        and entry.get("links_sha256") == links_sha256
    )


def _is_ours(fd: int) -> bool:
    found = os.fstat(fd)
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o022
