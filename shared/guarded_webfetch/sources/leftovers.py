"""What earlier runs left: the files an index names, half-written ones, and the records of runs that were killed.

A run holds an flock on its folders, so the kernel says which of them belong to nobody any more, however a run ended.
"""

import contextlib
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.store import Store
from guarded_webfetch.core.limits import MAX_TIMEOUT_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.sources.index import MAX_INDEX_BYTES, NAME, named_files

TEMPORARY: Final = re.compile(r"\.tmp-[0-9a-f]{16}")
TEMPORARY_AGE_S: Final = 2 * MAX_TIMEOUT_S  # no run lives that long, so nobody is writing it any more

_RECORDS: Final = re.compile(r"[0-9a-f]{16}")
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_leftovers(store: Store) -> int:
    """How many files went. The index goes last, so that an interrupted removal can be taken up again."""
    names = named_files(store.read(NAME, MAX_INDEX_BYTES) or b"")
    names += filter(TEMPORARY.fullmatch, store.names(older_than_s=TEMPORARY_AGE_S))
    return sum(map(store.remove, names)) + store.remove(NAME)


@contextlib.contextmanager
def records_folder() -> Iterator[str]:
    """A private folder for the records of one run, out of an agent's reach; it ends with the run, or with the next one.

    Raises Refusal store_unavailable.
    """
    state = user_folders.state()
    if state is None or user_folders.below_working_folder(state):
        raise Refusal("store_unavailable")
    above = os.path.join(state, "sources")
    Store.open(above)
    name = secrets.token_hex(8)
    try:
        with _locked(above) as above_fd:  # nobody sweeps a folder that is made but not locked yet
            _sweep(above_fd)
            os.mkdir(name, 0o700, dir_fd=above_fd)
            mine = _lock(name, above_fd)
    except OSError:
        raise Refusal("store_unavailable") from None
    try:
        yield os.path.join(above, name)
    finally:
        shutil.rmtree(os.path.join(above, name), ignore_errors=True)
        os.close(mine)


def _sweep(above_fd: int) -> None:
    for name in filter(_RECORDS.fullmatch, os.listdir(above_fd)):
        try:
            fd = _lock(name, above_fd)
        except OSError:  # its run is alive, or it is no folder
            continue
        shutil.rmtree(name, ignore_errors=True, dir_fd=above_fd)
        os.close(fd)


@contextlib.contextmanager
def _locked(path: str) -> Iterator[int]:
    fd = os.open(path, _FOLDER)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def _lock(name: str, above_fd: int) -> int:
    """A descriptor of a folder that nobody else holds; OSError when somebody does."""
    fd = os.open(name, _FOLDER, dir_fd=above_fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd
