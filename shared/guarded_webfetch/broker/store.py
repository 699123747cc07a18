"""Where records are written: a private folder reached without following a link, whole files only.

The caller's working folder is taken as it is; below it every component is opened without following links, because a repository
can commit `.temp` as a link to anywhere. Existing folders are never given other modes.
"""

import fcntl
import os
import stat
import time
from typing import Final

from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.limits import MAX_PARALLEL_FETCHES
from guarded_webfetch.core.reasons import Refusal

DEFAULT_FOLDER: Final = os.path.join(".temp", "guarded-webfetch")
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SLOT_WAIT_S: Final = 0.05


class Store:
    """An open results folder. Everything is done relative to its descriptor, so nothing on the way can be swapped."""

    def __init__(self, folder_fd: int, shown_path: str) -> None:
        self._fd = folder_fd
        self._shown = shown_path
        self._slot_fd = -1

    @classmethod
    def open(cls, out: str | None) -> "Store":
        """The folder `out` (default: `.temp/guarded-webfetch` below the working folder), made where it is missing.

        Raises Refusal store_unavailable when it is not a private folder of this user or cannot be written.
        """
        shown = out or DEFAULT_FOLDER
        try:
            fd = _open_path(shown)
            _check_private(fd)
            _ignore_in_git(fd)
        except OSError:
            raise Refusal("store_unavailable") from None
        return cls(fd, shown)

    def take_slot(self, deadline: Deadline) -> None:
        """Waits for one of the five places of this folder; Refusal busy when none is free by the deadline.

        A place is an flock, so the kernel frees it however this process ends.
        """
        deadline = deadline.named("busy")
        while self._slot_fd < 0:
            for number in range(MAX_PARALLEL_FETCHES):
                if self._try_slot(f".slot-{number + 1}"):
                    return
            time.sleep(min(_SLOT_WAIT_S, deadline.remaining_s()))

    def take_alone(self) -> None:
        """Makes this process the only one of its kind at work here, until it ends; Refusal busy when there is another."""
        if not self._try_slot(".run"):
            raise Refusal("busy")

    def write(self, name: str, data: bytes) -> None:
        """`data` as the file `name`, 0600: complete or not there at all."""
        temporary = f".tmp-{os.urandom(8).hex()}"
        try:
            fd = os.open(temporary, _NEW_FILE, 0o600, dir_fd=self._fd)
            try:
                _write_all(fd, data)
            finally:
                os.close(fd)
            os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError:
            self._discard(temporary)
            raise Refusal("store_unavailable") from None

    def read(self, name: str, at_most: int) -> bytes | None:
        """The beginning of an ordinary file of this folder; None where there is none."""
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._fd)
        except OSError:
            return None
        with open(fd, "rb") as file:
            return file.read(at_most) if stat.S_ISREG(os.fstat(fd).st_mode) else None

    def names(self, *, older_than_s: float = 0.0) -> list[str]:
        """The ordinary files of this folder that were last written at least so long ago."""
        latest_s = time.time() - older_than_s
        with os.scandir(self._fd) as entries:
            files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
            return [entry.name for entry in files if entry.stat(follow_symlinks=False).st_mtime <= latest_s]

    def remove(self, name: str) -> bool:
        """Whether the file `name` was there and is gone; a link is removed, never followed."""
        try:
            os.unlink(name, dir_fd=self._fd)
        except OSError:
            return False
        return True

    def path(self, name: str) -> str:
        """How to print the path of a file in this folder: relative below the working folder."""
        return os.path.join(self._shown, name)

    def _try_slot(self, name: str) -> bool:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            fd = os.open(name, flags, 0o600, dir_fd=self._fd)
        except OSError:
            raise Refusal("store_unavailable") from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return False
        self._slot_fd = fd
        return True

    def _discard(self, name: str) -> None:
        try:
            os.unlink(name, dir_fd=self._fd)
        except OSError:
            pass


def shown_path(out: str) -> str:
    """`out` as it is stored and printed: relative when it lies below the working folder. Refusal path_invalid otherwise bad."""
    if not out or any(ord(char) < 32 or ord(char) == 127 for char in out):
        raise Refusal("path_invalid")
    here = os.getcwd()
    full = os.path.normpath(os.path.join(here, out))
    inside = os.path.relpath(full, here)
    return full if inside.split(os.sep)[0] == os.pardir else inside


def _open_path(path: str) -> int:
    """A descriptor of the folder `path`, its missing components made with 0700.

    The working folder, or what a person's absolute path already leads to, is resolved once; below it no link is followed.
    """
    if path.startswith("/"):
        path = os.path.realpath(path)
    fd = os.open("/" if path.startswith("/") else ".", _FOLDER)
    try:
        for name in path.strip("/").split("/"):
            if name in ("", "."):
                continue
            deeper = _open_component(fd, name)
            os.close(fd)
            fd = deeper
    except OSError:
        os.close(fd)
        raise
    return fd


def _open_component(parent_fd: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent_fd)
    except FileNotFoundError:
        try:
            os.mkdir(name, 0o700, dir_fd=parent_fd)
        except FileExistsError:  # another run was faster
            pass
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent_fd)


def _check_private(fd: int) -> None:
    found = os.fstat(fd)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
        raise OSError("not a private folder of this user")


def _ignore_in_git(fd: int) -> None:
    """Keeps results out of a repository; a file that is there already is left alone."""
    try:
        ignore = os.open(".gitignore", _NEW_FILE, 0o600, dir_fd=fd)
    except FileExistsError:
        return
    try:
        os.write(ignore, b"*\n")
    finally:
        os.close(ignore)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
