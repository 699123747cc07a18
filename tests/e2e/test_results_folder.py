"""The results folder of a whole run: shared by ten, never outside, never half."""

import json
import os
from pathlib import Path

import pytest

from guarded_webfetch.contract import validator
from tests.e2e.conftest import LAUNCHER, Fetch
from tests.internet.client import SealedInternet

pytestmark = pytest.mark.sealed
URL = "https://news.canal-journal.com/slow-start"


def test_ten_at_once(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> None:
    """Five run, five wait for a place; each gets a record of its own."""
    command = ["bash", str(LAUNCHER), URL, "--timeout", "30"]
    running = [sealed_internet.start(command, cwd=tmp_path) for _ in range(10)]
    results = [run.wait(timeout=60) for run in running]
    assert [result.returncode for result in results] == [0] * 10
    paths = {result.stdout.strip() for result in results}
    assert len(paths) == 10
    assert all(validator.load("record")(json.loads((tmp_path / path).read_bytes())) for path in paths)
    assert max(result.seconds for result in results) > 3.5, "five of them have waited for a place"


def test_a_linked_results_folder_is_refused(fetch: Fetch, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".temp").symlink_to(outside)
    found = fetch("https://example.com/")
    assert (found.code, found.reason) == (3, "store_unavailable")
    assert not list(outside.iterdir())
    assert not found.result.log.connects


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_refused(fetch: Fetch, tmp_path: Path) -> None:
    folder = tmp_path / "work/.temp/guarded-webfetch"
    folder.mkdir(parents=True)
    os.chown(folder, 12345, 12345)
    assert fetch("https://example.com/").reason == "store_unavailable"


def test_a_full_disk_is_told(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> None:
    """A file system of 40 kB, mounted inside the namespace only."""
    fill = "mount -t tmpfs -o size=40k none . && cd . && head -c 39k /dev/zero > full"
    script = f'{fill}; bash "{LAUNCHER}" {URL}; ls .temp/guarded-webfetch'
    result = sealed_internet.run(["unshare", "-m", "bash", "-c", f'cd "{tmp_path}" && {script}'], cwd=tmp_path)
    assert "store_unavailable" in result.stderr
    assert result.stdout == ""
