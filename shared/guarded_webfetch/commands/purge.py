"""`purge`: removes old results, and with --environments the environments of earlier versions. Only names of our own patterns.

The folder of a `sources` run keeps its index.json: it says what was read, in words that are the caller's and ours.
"""

import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.broker.store import DEFAULT_FOLDER
from guarded_webfetch.commands import environments, terminal
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources.index import DEFAULT_FOLDER as SOURCES_FOLDER
from guarded_webfetch.sources.index import MAX_INDEX_BYTES, NAME, named_files
from guarded_webfetch.sources.leftovers import TEMPORARY, TEMPORARY_AGE_S

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_RESULT: Final = re.compile(
    r"((?:result|failure)-[0-9a-f]{16})(?:\.(?:links|hidden|trace|held))?\.json|((?:gate|quotes|answer)-[0-9a-f]{16})\.json"
)
_AGE: Final = re.compile(r"([0-9]{1,9})([smhd])")
_DEFAULT_AGE: Final = "1d"
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def run(argv: list[str]) -> int:
    """Prints the number of files removed. Raises Refusal usage_invalid, or path_invalid for a DIR that is no real folder."""
    arguments = Arguments("purge", "Remove old results; other files and running fetches are left alone.")
    arguments.add_argument(
        "--older-than", metavar="AGE", help="such as 30m, 12h or 7d (default: 1d; what --bodies names goes at once)"
    )
    arguments.add_argument(
        "--bodies", metavar="DIR", help="the folder to clean, of `fetch` or `sources` (default: both default ones)"
    )
    arguments.add_argument("--environments", action="store_true", help="also remove environments of other versions")
    chosen = arguments.parse_args(argv)
    age_s = _age_s(_DEFAULT_AGE if chosen.older_than is None else chosen.older_than)
    body_age_s = 0 if chosen.bodies and not chosen.older_than else age_s
    removed = sum(
        purge_results(folder, age_s, body_age_s, required=chosen.bodies is not None)
        for folder in ([chosen.bodies] if chosen.bodies is not None else (DEFAULT_FOLDER, SOURCES_FOLDER))
    )
    if chosen.environments:
        removed += _purge_environments()
    terminal.write(f"{removed}\n")
    return 0


def _age_s(text: str) -> int:
    found = _AGE.fullmatch(text)
    if found is None:
        raise Refusal("usage_invalid")
    return int(found[1]) * _SECONDS[found[2]]


def purge_results(folder: str, age_s: int, body_age_s: int, *, required: bool) -> int:
    """`body_age_s`: of the files that the index of a `sources` run names, and of the records beside them."""
    try:
        folder_fd = _open_path(folder)
    except FileNotFoundError:
        if not required:  # nothing was ever fetched here
            return 0
        raise Refusal("path_invalid") from None
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    try:
        bodies = _bodies(folder_fd)
        expired = _expired(folder_fd, bodies, body_age_s if bodies else age_s)
        return sum(_unlink(folder_fd, name) for name in expired)
    finally:
        os.close(folder_fd)


def _bodies(folder_fd: int) -> frozenset[str]:
    """The files that the index of a `sources` run names; none where there is no index."""
    try:
        fd = os.open(NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder_fd)
    except OSError:
        return frozenset()
    with open(fd, "rb") as file:
        return frozenset(named_files(file.read(MAX_INDEX_BYTES)) if stat.S_ISREG(os.fstat(fd).st_mode) else ())


def _expired(folder_fd: int, bodies: frozenset[str], age_s: int) -> Iterator[str]:
    """Names to remove. A record and the files beside it go together, once the youngest of them is old enough."""
    now_s = time.time()
    groups: dict[str, list[tuple[str, float]]] = {}
    with os.scandir(folder_fd) as entries:
        for entry in entries:
            stem = entry.name if entry.name in bodies else _stem(entry.name)
            if stem and entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                if found.st_uid == os.geteuid():
                    groups.setdefault(stem, []).append((entry.name, found.st_mtime))
    for stem, files in groups.items():
        least_s = max(age_s, TEMPORARY_AGE_S) if stem.startswith(".tmp-") else age_s
        if max(modified_s for _, modified_s in files) <= now_s - least_s:
            yield from sorted((name for name, _ in files), key=len)  # the record first: what is left of it is no record


def _stem(name: str) -> str | None:
    """What a file of ours belongs to, None for a name of nobody's pattern."""
    if TEMPORARY.fullmatch(name):
        return name
    found = _RESULT.fullmatch(name)
    return found[1] or found[2] if found else None


def _unlink(folder_fd: int, name: str) -> int:
    try:
        os.unlink(name, dir_fd=folder_fd)
    except FileNotFoundError:  # another purge was faster
        return 0
    except OSError:
        raise Refusal("store_unavailable") from None
    return 1


def _open_path(path: str) -> int:
    """A descriptor of the folder `path`; below the working folder (or the root) no component may be a link."""
    fd = os.open("/" if path.startswith("/") else ".", _FOLDER)
    for name in path.strip("/").split("/"):
        try:
            deeper = os.open(name or ".", _FOLDER | os.O_NOFOLLOW, dir_fd=fd)
        finally:
            os.close(fd)
        fd = deeper
    return fd


def _purge_environments() -> int:
    """Removes environments other than the current ones and returns how many files they had."""
    folder = environments.folder()
    try:
        folder_fd = os.open(folder or "", _FOLDER | os.O_NOFOLLOW)
    except OSError:  # none was ever built
        return 0
    try:
        return sum(_remove_tree(folder_fd, name) for name in _outdated(folder_fd))
    except OSError:
        raise Refusal("store_unavailable") from None
    finally:
        os.close(folder_fd)


def _outdated(folder_fd: int) -> list[str]:
    names = [name for name in os.listdir(folder_fd) if environments.NAME.fullmatch(name)]
    return [name for name in names if not environments.is_current(name) and _is_own_folder(folder_fd, name)]


def _is_own_folder(folder_fd: int, name: str) -> bool:
    found = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _remove_tree(folder_fd: int, name: str) -> int:
    """Removes one environment without following a link; returns how many files it had."""
    count = sum(len(files) for _, _, files, _ in os.fwalk(name, dir_fd=folder_fd))
    shutil.rmtree(name, dir_fd=folder_fd)
    return count
