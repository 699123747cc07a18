"""What the person's config file says: it may restrict what is fetched, and may loosen what a person's command line may loosen."""

import os
from typing import TYPE_CHECKING, Any

from guarded_webfetch.broker import config_file, user_folders
from guarded_webfetch.broker.options import LEVELS, Options
from guarded_webfetch.core.reasons import Refusal

if TYPE_CHECKING:
    from guarded_webfetch.broker.proxy import Proxy


def apply(options: Options) -> Options:
    """`options` with what the config file says; unchanged without a file. Refusal config_invalid for anything odd."""
    text = config_file.read()
    if text is None:
        return options
    import tomllib

    try:
        values = tomllib.loads(text.decode("utf-8"))
    except ValueError:
        raise Refusal("config_invalid") from None
    for name, value in values.items():
        options = _set(options, name, value)
    return options


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
    if name == "proxy" and isinstance(value, str):
        return options._replace(proxy=_proxy(value))
    if name == "require_isolation" and value in LEVELS:
        return options._replace(require_isolation=value)
    if name == "results" and value == "outside":
        return options._replace(out=_outside())
    if name == "client_asks" and value is True:
        return options._replace(client_asks=True)
    from guarded_webfetch.summary import settings

    folder = user_folders.config()
    if folder is None or user_folders.exposed(os.path.join(folder, "config.toml")):  # these entries run something
        raise Refusal("config_invalid")
    changed = settings.set_value(options.summaries or settings.Settings(), name, value)
    if changed is None:
        raise Refusal("config_invalid")
    return options._replace(summaries=changed)


def _outside() -> str:
    """The results folder of the hardened mode, where no agent may read; store_unavailable when the agent works above it."""
    folder = user_folders.state()
    if folder is None or user_folders.below_working_folder(folder):
        raise Refusal("store_unavailable")
    return os.path.join(folder, "results")


def _proxy(text: str) -> "Proxy":
    """The proxy alone. A credential spelled so that reading the file did not mask it must not live on in this process."""
    from guarded_webfetch.broker import proxy

    try:
        found, userinfo = proxy.parse(text)
    except ValueError:
        raise Refusal("config_invalid") from None
    if userinfo.strip(config_file.MASK):
        raise Refusal("config_invalid")
    return found
