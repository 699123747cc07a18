"""The scorers are modules of scripts/, found there as scripts/score finds them; and a place for jobs of the gate."""

import sys
from pathlib import Path

import pytest

from guarded_webfetch.evidence import own_fetch
from tests.conftest import REPOSITORY
from tests.evidence.job_setting import Setting

sys.path.append(str(REPOSITORY / "scripts"))


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    for name in ("work", "notes"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Setting(tmp_path / "notes")
    monkeypatch.setattr(own_fetch, "_fetched", made.fetched)
    monkeypatch.setattr(own_fetch, "SOURCES_PAUSE_S", 0.0)
    return made
