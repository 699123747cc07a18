"""What happened in a sealed internet: JSON lines, written by its servers, read by tests.

Every entry has `t` (what) and `time` (seconds, CLOCK_MONOTONIC):
dns      name, type, answers, rcode, over ("udp" or "tcp")      one question, answered or not
connect  address, port, client                                  a connection to a site, or of a client to a proxy
trap     address, port, client                                  a connection to an internal address
tls      address, port, name (SNI or null), ok                  a handshake that ended
http     address, port, tls, method, target, host, headers      a request that was read
proxy    address, port, method, target, headers, answer         a request to a proxy, and how its answer begins
"""

import json
import os
import time
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


class LogWriter:
    """Appends whole lines with one write each, so that threads do not mix theirs."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def add(self, what: str, **fields: object) -> None:
        line = json.dumps({"t": what, "time": time.monotonic(), **fields})
        os.write(self._fd, line.encode() + b"\n")


class Entries(list[Entry]):
    """Log entries of one stretch of time, in order."""

    def of(self, *kinds: str) -> "Entries":
        return Entries(entry for entry in self if entry["t"] in kinds)

    @property
    def dns(self) -> "Entries":
        return self.of("dns")

    @property
    def connects(self) -> "Entries":
        """Connections to sites and traps alike."""
        return self.of("connect", "trap")

    @property
    def traps(self) -> "Entries":
        return self.of("trap")

    @property
    def proxied(self) -> "Entries":
        return self.of("proxy")

    @property
    def requests(self) -> "Entries":
        return self.of("http")


def read(path: Path, offset: int) -> Entries:
    """Entries from a byte offset on; a line still being written is left out."""
    with path.open("rb") as file:
        file.seek(offset)
        lines = file.read().split(b"\n")[:-1]
    return Entries(json.loads(line) for line in lines)
