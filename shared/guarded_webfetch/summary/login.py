"""The login of a summary client: values of the variables a person named, unread until the process that starts the client.

The launcher, or `boot.console`, writes `NAME=VALUE` records ended by NUL into a pipe and passes its number. A fetch never reads it;
every quarantined child closes it first thing.
"""

import os
import select
from typing import Final

FD_VARIABLE: Final = "GUARDED_WEBFETCH_LOGIN_FD"
_MAX_BYTES: Final = 32_000
_WAIT_MS: Final = 2_000  # the writer is a subshell of the launcher


def take(names: tuple[str, ...]) -> dict[str, str]:
    """The values that were handed over, of `names` only; closes the descriptor."""
    number = os.environ.get(FD_VARIABLE, "")
    if not number.isascii() or not number.isdigit() or int(number) < 3:
        return {}
    try:
        data = _read(int(number))
    except OSError:
        return {}
    rows = (row.partition(b"=") for row in data.split(b"\0") if row)
    found = {name.decode("ascii", "replace"): value.decode("utf-8", "surrogateescape") for name, _, value in rows}
    return {name: value for name, value in found.items() if name in names}


def _read(fd: int) -> bytes:
    data = bytearray()
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    try:
        while len(data) < _MAX_BYTES and poll.poll(_WAIT_MS):
            part = os.read(fd, _MAX_BYTES)
            if not part:
                break
            data += part
    finally:
        os.close(fd)
    return bytes(data)
