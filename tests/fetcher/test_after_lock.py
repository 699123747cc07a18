"""After its lock a fetcher imports nothing, opens nothing, connects nowhere; and it never loads what it does not need."""

import os
import subprocess
import sys
from pathlib import Path

from .audited_fetches import NOTICED
from .throw_away_ca import Authority

ROOT = Path(__file__).parents[2]


def audited(*arguments: str) -> list[str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "shared")])
    command = [sys.executable, "-m", "tests.fetcher.audited_fetches", *arguments]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.splitlines()


def test_whole_fetches_raise_no_audit_event(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.server("site.example")
    authority.server("other.example")
    chains = [str(tmp_path / f"leaf-{number}.pem") for number in (1, 2)]
    clean = "0 {'unwanted': []}"
    both = ["100000 bytes", "100000 bytes", "3 bytes", "content_encoding", "http_protocol", "connect_failed",
            "body_incomplete", "content_encoding", "headers_too_large"]  # fmt: skip
    expected = [f"{outcome} {clean}" for outcome in both for _ in ("http", "https")]
    assert audited(str(authority.bundle), *chains) == [*expected, f"tls_certificate {clean}"]


def test_the_audit_notices_an_open() -> None:
    assert audited("control") == [f"0 bytes {NOTICED} None"]
