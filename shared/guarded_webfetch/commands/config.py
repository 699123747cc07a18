"""The person's config file: may restrict what is fetched, and may loosen what the command line of a person may loosen.

It counts only when an agent cannot have written it: owned by the user, writable by nobody else, never below the working folder.
"""

import os
import stat
from typing import Any, Final

from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.options import LEVELS, Options
from guarded_webfetch.core.reasons import Refusal

_MAX_BYTES: Final = 100_000


def apply(options: Options) -> Options:
    """`options` with what the config file says; unchanged without a file. Refusal config_invalid for anything odd."""
    folder = user_folders.config()
    if folder is None:
        return options
    try:
        text = _read(os.path.join(folder, "config.toml"))
    except FileNotFoundError:
        return options
    except OSError:
        raise Refusal("config_invalid") from None
    import tomllib

    try:
        values = tomllib.loads(text.decode("utf-8"))
    except ValueError:
        raise Refusal("config_invalid") from None
    for name, value in values.items():
        options = _set(options, name, value)
    return options


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        unsafe = found.st_uid not in (os.geteuid(), 0) or stat.S_IMODE(found.st_mode) & 0o022
        if unsafe or not stat.S_ISREG(found.st_mode) or user_folders.below_working_folder(path):
            raise Refusal("config_invalid")
        return file.read(_MAX_BYTES)


def _set(options: Options, name: str, value: Any) -> Options:
    if name in ("hosts", "deny_tlds") and isinstance(value, list) and all(isinstance(item, str) for item in value):
        names = frozenset(item.lower().strip(".") for item in value)
        return options._replace(hosts=names) if name == "hosts" else options._replace(deny_tlds=names)
    if name == "ports" and value == "wide":
        return options._replace(wide_ports=True)
    if name == "resolver_profile" and value == "fake-ip":
        return options._replace(fake_ip=True)
    if name == "allow_secret" and value is True:
        return options._replace(allow_secret=True)
    if name == "require_isolation" and value in LEVELS:
        return options._replace(require_isolation=value)
    raise Refusal("config_invalid")
