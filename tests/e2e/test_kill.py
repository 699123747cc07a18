"""kill -9 at random points: no partial record, no process left, no hang. 20 kills in a short run, 200 in scripts/check-long."""

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest

from guarded_webfetch.contract import validator
from tests.e2e.conftest import LAUNCHER
from tests.internet import processes
from tests.internet.client import SealedInternet

pytestmark = pytest.mark.sealed
KILLS = 200 if os.environ.get("GUARDED_WEBFETCH_LONG") == "1" else 20
URLS = ("https://slow.canal-journal.com/drip", "https://news.canal-journal.com/articles/lock-gates",
        "https://news.canal-journal.com/slow-start", "http://canal-journal.com/",
        "https://slow.canal-journal.com/silent", "https://files.canal-journal.com/report.pdf")  # fmt: skip


def test_kill_at_random_points(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> None:
    rng = random.Random(20261130)
    killed = {"broker": 0, "child": 0}
    for number in range(KILLS):
        url = URLS[number % len(URLS)]
        running = sealed_internet.start(["bash", str(LAUNCHER), url, "--timeout", "3"], cwd=tmp_path)
        time.sleep(rng.uniform(0.0, 0.4))
        victim = running.pid if number % 2 else a_child(running.pid, rng)
        killed["broker" if victim == running.pid else "child"] += 1
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:  # it was faster
            pass
        result = running.wait(timeout=20)
        # 3: a helper of the launcher itself was hit
        assert result.returncode in (0, 3, 4, 5, 6, 7, -signal.SIGKILL), result
        # A path is printed only when its record is there; the kill may fall between that and the end.
        assert bool(result.stdout) == (result.returncode == 0) or result.returncode == -signal.SIGKILL
        assert not result.stdout or (tmp_path / result.stdout.strip()).is_file()
        assert nothing_left(sealed_internet, 2.0), sealed_internet.processes()
    assert min(killed.values()) > KILLS // 4
    records = list(tmp_path.glob(".temp/guarded-webfetch/*-????????????????.json"))
    assert records
    for path in records:
        assert validator.load("record")(json.loads(path.read_bytes())), path


def a_child(broker: int, rng: random.Random) -> int:
    """One of the broker's children; the broker itself when there is none any more."""
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        children = processes.descendants(broker)
        if children:
            return rng.choice(children)
        time.sleep(0.002)
    return broker


def nothing_left(net: SealedInternet, seconds: float) -> bool:
    """Whether every process of the run is gone within `seconds`."""
    end = time.monotonic() + seconds
    while net.processes():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
