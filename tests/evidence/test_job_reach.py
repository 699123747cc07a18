"""The same job twice, side by side, and killed anywhere: one answer, nothing lost, nothing doubled, no process left."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.job_store import JobStore
from tests.conftest import LONG_RUN
from tests.evidence.job_setting import A, B, Setting, log, queue


def forked(setting: Setting) -> int:
    """A process that runs the job and says by its exit status whether it has an answer."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if setting.run(A, B).reason is None else 11)
        finally:
            os._exit(70)
    return pid


def left(folder: Path) -> list[str]:
    """Command lines of processes that work in `folder`."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and int(entry.name) != os.getpid()
                and Path(os.readlink(entry / "cwd")).is_relative_to(folder)
            ):
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_side_by_side_one_works_and_the_others_take_its_answer(setting: Setting) -> None:
    running = [forked(setting) for _ in range(3)]
    codes = [os.waitpid(pid, 0)[1] for pid in running]
    assert (codes, log()) == ([0, 0, 0], [("own_fetch", None)])
    assert (setting.calls, setting.fetches, log(), queue()) == (1, 2, [("own_fetch", None)], [])


def test_killed_anywhere_and_run_again(setting: Setting, tmp_path: Path) -> None:
    """Up to its end every run leaves either nothing but an entry in the queue, or the answer."""
    generator = random.Random(20261130)
    for _ in range(40 if LONG_RUN else 6):
        pid = forked(setting)
        time.sleep(generator.uniform(0.0, 0.8))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        ended = log()
        assert ended in ([], [("own_fetch", None)])
        assert len(queue()) in ((0,) if ended else (0, 1))
    assert setting.run(A, B).reason is None
    assert (log(), queue()) == ([("own_fetch", None)], [])
    until = time.monotonic() + 20
    while left(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert left(tmp_path) == []


def test_a_job_waits_its_turn_and_no_longer(setting: Setting) -> None:
    key = "ab" * 32
    ready, done = os.pipe()
    pid = os.fork()
    if pid == 0:
        with JobStore().alone(key, Deadline.after(5, "busy")):
            os.write(done, b".")
            time.sleep(60)
    os.read(ready, 1)
    with pytest.raises(Refusal) as refused, JobStore().alone(key, Deadline.after(0.2, "busy")):
        pass
    assert refused.value.code == "busy"
    with JobStore().alone("cd" * 32, Deadline.after(5, "busy")):  # another job does not wait
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with JobStore().alone(key, Deadline.after(5, "busy")):
        pass
    for fd in (ready, done):
        os.close(fd)
