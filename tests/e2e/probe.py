"""Runs one `fetch` in this process and tells what its children peaked at and how long the broker took.

    python -I probe.py SHARED_FOLDER OPTIONS … URL     prints {outcome, peaks_kb: {role: largest}, seconds} on stderr, last

The clock starts where the deadline of the run does and stops when every child is gone and the record written.
"""

import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from guarded_webfetch.broker import child, deadline
from guarded_webfetch.commands import cli

peaks_kb: dict[str, int] = {}
started: list[float] = []
_after = deadline.Deadline.after
_reap = child.Child._reap
_wait4 = os.wait4


def after(seconds: float, code: str) -> deadline.Deadline:
    started.append(time.monotonic())
    return _after(seconds, code)


def reap(self: child.Child, grace_s: float) -> int:
    def noting(pid: int, options: int):
        found = _wait4(pid, options)
        peaks_kb[self.role] = max(peaks_kb.get(self.role, 0), found[2].ru_maxrss)
        return found

    os.wait4 = noting
    try:
        return _reap(self, grace_s)
    finally:
        os.wait4 = _wait4


deadline.Deadline.after = after  # type: ignore[method-assign, assignment]
child.Child._reap = reap  # type: ignore[method-assign]
code = cli.main(["fetch", "--quiet", *sys.argv[2:]])
told = {"code": code, "peaks_kb": peaks_kb, "seconds": time.monotonic() - started[0] if started else None}
print(json.dumps(told), file=sys.stderr)
