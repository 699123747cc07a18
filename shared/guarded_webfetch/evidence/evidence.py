"""What a provider or a record says about one URL, on one scale for all of them."""

import re
from typing import Final, Literal, NamedTuple

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.redirect_policy import relate
from guarded_webfetch.core.url_policy import WIDE_PORTS, Url, parse_url

OWN_FETCH: Final = 3  # a record of ours, with its hash
PROVIDER_FETCHED: Final = 2  # the provider says that this URL was retrieved
PROVIDER_TOUCHED: Final = 1  # opened or listed; whether anything came back is not said
CITED: Final = 0  # stands in the answer only

# Why evidence is none. `not_attempted` is also what a required URL has that nothing speaks of.
Status = Literal[
    "success",
    "error",
    "paywall",
    "unsafe",
    "flagged",
    "not_attempted",
    "not_allowed",
    "rate_limited",
    "too_large",
    "unsupported",
    "unavailable",
    "record_unknown",
    "unknown_status",
]
# A person decides about these: fetching the page again would be wrong (unsafe) or no help (paywall).
REVIEWED: Final[frozenset[Status]] = frozenset({"unsafe", "paywall", "flagged"})


class Evidence(NamedTuple):
    """`url` as the provider or record names it; `asked` what was asked for, when that is known."""

    url: str
    level: int
    status: Status
    asked: str = ""


_UNRESERVED: Final = re.compile(r"%(2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])")
_ESCAPE: Final = re.compile(r"%[0-9a-fA-F]{2}")


def canonical(text: str) -> Url | None:
    """The URL as it is compared: no fragment, no default port, percent-encoding as RFC 3986 section 6.2.2 wants it.

    None for what is no web address. Nothing else is made equal: neither a trailing slash, nor the order of parameters.
    """
    try:
        url = parse_url(text, ports=WIDE_PORTS)
    except Refusal:
        return None
    plain = _UNRESERVED.sub(lambda match: chr(int(match[1], 16)), url.target)
    return url._replace(target=_ESCAPE.sub(lambda match: match[0].upper(), plain))


def same_page(required: Url, found: Url | None) -> bool:
    """Whether `found` is the page `required` names: equal, or reached by http -> https or with and without www."""
    if found is None or required.target != found.target:
        return False
    return required == found or (bool(relate(required, found)) and required.origin != found.origin)
