"""Whether the caller may ask for a URL, judged by its text alone. Apart from `network`, which loads while children start."""

from guarded_webfetch.broker.options import Options
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, WIDE_PORTS, Url, parse_url
from guarded_webfetch.core.url_secrets import carries_secret


def check_url(text: str, options: Options) -> Url:
    """The URL if the caller may ask for it, else a Refusal; nothing is looked up."""
    url = parse_url(text, ports=WIDE_PORTS if options.wide_ports else DEFAULT_PORTS)
    check_host(url, options)
    if not options.allow_secret and carries_secret(url):
        raise Refusal("url_secret")
    return url


def check_host(url: Url, options: Options) -> None:
    """Refusal host_not_allowed when the config file restricts hosts and this one is not among them."""
    allowed = not options.hosts or any(url.host == host or url.host.endswith("." + host) for host in options.hosts)
    if not allowed or url.host.rpartition(".")[2] in options.deny_tlds:
        raise Refusal("host_not_allowed")
