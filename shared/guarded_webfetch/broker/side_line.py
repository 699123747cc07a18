"""A fork of the broker with a line to it: whole small messages, nothing else in common, and it dies with whoever made it."""

import os
import socket
from collections.abc import Callable
from typing import Final

from guarded_webfetch.isolation import process

MAX_MESSAGE_BYTES: Final = 4_096
_FAILED: Final = 70


def fork(work: Callable[[socket.socket], None]) -> tuple[int, socket.socket]:
    """Runs `work(its end of the line)` in a process of its own; its number, and our end. It keeps no other descriptor."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    parent = os.getpid()
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    try:
        process.enter((theirs.fileno(),), parent)
        work(theirs)
        os._exit(0)
    finally:
        os._exit(_FAILED)
