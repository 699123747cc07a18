"""The user's own folders, after the XDG Base Directory Specification 0.8."""

import os


def state() -> str | None:
    """`${XDG_STATE_HOME:-~/.local/state}/guarded-webfetch`, None without a home."""
    return _folder("XDG_STATE_HOME", ".local/state")


def config() -> str | None:
    """`${XDG_CONFIG_HOME:-~/.config}/guarded-webfetch`, None without a home."""
    return _folder("XDG_CONFIG_HOME", ".config")


def below_working_folder(path: str) -> bool:
    """Whether `path`, links resolved, lies in the working folder or below it."""
    here = os.path.realpath(os.getcwd())
    return os.path.commonpath([here, os.path.realpath(path)]) == here


def _folder(variable: str, default: str) -> str | None:
    base = os.environ.get(variable, "")
    if not base.startswith("/"):  # relative values are invalid and ignored, says the specification
        home = os.environ.get("HOME", "")
        if not home.startswith("/"):
            return None
        base = os.path.join(home, default)
    return os.path.join(base, "guarded-webfetch")
