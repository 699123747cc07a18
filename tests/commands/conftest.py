"""A place for a command that looks around: nothing of the machine's own folders."""

from pathlib import Path

import pytest

_VARIABLES = (
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_SANDBOX_NETWORK_DISABLED", "GUARDED_WEBFETCH_PROXY_SEEN",
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_PROJECT_DIR",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder `work`, and a `home` beside it, below a folder with a space in its name."""
    folder = tmp_path / "a place"
    for name in ("work", "home"):
        (folder / name).mkdir(parents=True)
    monkeypatch.chdir(folder / "work")
    monkeypatch.setenv("HOME", str(folder / "home"))
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return folder
