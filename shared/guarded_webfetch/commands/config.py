"""What the person's config file says: it may restrict what is fetched, and may loosen what a person's command line may loosen."""

from typing import TYPE_CHECKING, Any

from guarded_webfetch.broker import config_file
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
    raise Refusal("config_invalid")


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
