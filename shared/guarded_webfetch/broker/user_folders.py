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


def exposed(path: str) -> bool:
    """Whether a folder on the way to `path`, links resolved, is writable by everybody: agents' sandboxes let commands write to /tmp."""
    folder = os.path.dirname(os.path.realpath(path))
    while True:
        if os.stat(folder).st_mode & 0o002:
            return True
        folder, last = os.path.dirname(folder), folder
        if folder == last:
            return False


def _folder(variable: str, default: str) -> str | None:
    base = os.environ.get(variable, "")
    if not base.startswith("/"):  # relative values are invalid and ignored, says the specification
        home = os.environ.get("HOME", "")
        if not home.startswith("/"):
            return None
        base = os.path.join(home, default)
    return os.path.join(base, "guarded-webfetch")
