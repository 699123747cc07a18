"""The person's config file as bytes, without the one credential it may hold.

It counts only when an agent cannot have written it: owned by the user, writable by nobody else, never below the working folder.
"""

import os
import re
import stat
from typing import Final

from guarded_webfetch.broker import user_folders
from guarded_webfetch.core.reasons import Refusal

MASK: Final = "*"
_MAX_BYTES: Final = 100_000
# User name and password of a quoted http:// URL, up to the last @ of the string.
_USERINFO: Final = re.compile(rb"""(?<="http://)[^"\r\n]*(?=@)|(?<='http://)[^'\r\n]*(?=@)""", re.IGNORECASE)


def read(*, with_credential: bool = False) -> bytes | None:
    """The content of config.toml, None where there is none; Refusal config_invalid for a file that is not believed.

    A fork inherits memory, freed memory too: user names and passwords of URLs are masked in the one buffer they were read into,
    before anything is copied out of it. `with_credential` leaves them, for a broker that forks no more.
    """
    folder = user_folders.config()
    if folder is None:
        return None
    path = os.path.join(folder, "config.toml")
    buffer = bytearray(_MAX_BYTES)
    try:
        size = _read_into(buffer, path)
    except FileNotFoundError:
        return None
    except OSError:
        raise Refusal("config_invalid") from None
    if not with_credential:
        for start, end in [found.span() for found in _USERINFO.finditer(buffer, 0, size)]:
            buffer[start:end] = MASK.encode() * (end - start)
    return bytes(memoryview(buffer)[:size])


def _read_into(buffer: bytearray, path: str) -> int:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        unsafe = found.st_uid not in (os.geteuid(), 0) or stat.S_IMODE(found.st_mode) & 0o022
        if unsafe or not stat.S_ISREG(found.st_mode) or user_folders.below_working_folder(path):
            raise Refusal("config_invalid")
        size = 0
        with memoryview(buffer) as view:
            while got := os.readv(fd, [view[size:]]):
                size += got
        return size
    finally:
        os.close(fd)
