"""Writes a file whole or not at all, and never over something that is not the caller's to replace."""

import os
import secrets
from collections.abc import Callable
from typing import Final

from guarded_webfetch.core.reasons import Refusal

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
MayReplace = Callable[[int, str], bool]


def _nothing(folder_fd: int, name: str) -> bool:
    return False


def write_new(path: str, content: bytes, may_replace: MayReplace = _nothing) -> None:
    """`content` as the file `path` (mode 0600). Raises Refusal path_invalid when it cannot be, or something stands there.

    `may_replace(folder descriptor, name)` says whether that something is the caller's own; it may raise OSError.
    """
    folder, name = os.path.split(path)
    if name in ("", ".", ".."):
        raise Refusal("path_invalid")
    try:
        folder_fd = os.open(folder or ".", _FOLDER)
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    try:
        _write(folder_fd, name, content, replace=may_replace(folder_fd, name))
    except OSError:
        raise Refusal("path_invalid") from None
    finally:
        os.close(folder_fd)


def _write(folder_fd: int, name: str, content: bytes, *, replace: bool) -> None:
    temporary = f".tmp-{secrets.token_hex(8)}"
    fd = os.open(temporary, _NEW, 0o600, dir_fd=folder_fd)
    try:
        with open(fd, "wb") as file:
            file.write(content)
        if replace:
            os.rename(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
        else:  # unlike rename, link never replaces what appeared there in the meantime
            os.link(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
            os.unlink(temporary, dir_fd=folder_fd)
    except OSError:
        os.unlink(temporary, dir_fd=folder_fd)
        raise
