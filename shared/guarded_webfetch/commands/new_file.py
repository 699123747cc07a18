"""Writes a new file whole or not at all, and never over something that is there."""

import os
import secrets
from typing import Final

from guarded_webfetch.core.reasons import Refusal

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new(path: str, content: bytes) -> None:
    """`content` as the file `path` (mode 0600). Raises Refusal path_invalid when it cannot be, or something stands there."""
    folder, name = os.path.split(path)
    if name in ("", ".", ".."):
        raise Refusal("path_invalid")
    try:
        folder_fd = os.open(folder or ".", _FOLDER)
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    temporary = f".tmp-{secrets.token_hex(8)}"
    try:
        with open(os.open(temporary, _NEW, 0o600, dir_fd=folder_fd), "wb") as file:
            file.write(content)
        try:  # unlike rename, link never replaces
            os.link(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
        finally:
            os.unlink(temporary, dir_fd=folder_fd)
    except OSError:
        raise Refusal("path_invalid") from None
    finally:
        os.close(folder_fd)
