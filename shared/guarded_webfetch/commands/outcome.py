"""What a run prints: the path of a record on stdout, or one line on stderr. Nothing the remote side chose."""

import os
import sys

from guarded_webfetch.broker.run import Written
from guarded_webfetch.core.reasons import REASONS


def report(written: Written) -> int:
    """Prints the path of a result, or the reason and the path of the failure record; returns the exit code."""
    if written.code == "ok":
        _print(1, written.path)
        return 0
    return refuse(written.code, written.path)


def refuse(code: str, record_path: str | None = None) -> int:
    """The one line on stderr for a reason code; returns its exit code."""
    reason = REASONS[code]
    where = f" (record: {record_path})" if record_path else ""
    _print(2, f"guarded-webfetch: {reason.code}: {reason.sentence}{where}")
    return reason.exit_code


def _print(fd: int, line: str) -> None:
    """Writes one line; a reader that has gone away is no reason to fail."""
    stream = sys.stdout if fd == 1 else sys.stderr
    try:
        if stream is not None:  # closed by the caller
            stream.flush()
        os.write(fd, line.encode("utf-8", "surrogateescape") + b"\n")
    except OSError:
        pass
