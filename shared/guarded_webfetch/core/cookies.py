"""Cookies of one redirect chain: in memory, given back to the host that set them and to nobody else.

RFC 6265 section 5, narrowed: no Domain attribute ever widens a cookie beyond its host, and without a clock a cookie
lives as long as the chain unless the answer deletes it (Max-Age of zero or less, or an Expires date long past).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_COOKIE_BYTES, MAX_COOKIE_HEADER_BYTES, MAX_COOKIES
from guarded_webfetch.core.url_policy import Url

_SPACE: Final = " \t"
_CONTROLS: Final = frozenset(map(chr, (*range(0x20), 0x7F)))
_PAST_YEAR: Final = 2020  # an Expires year before this lies in the past for every user of this code


class _Cookie(NamedTuple):
    value: str
    is_secure: bool


class CookieJar:
    """Cookies by (host, path, name), oldest first."""

    def __init__(self) -> None:
        self._cookies: dict[tuple[str, str, str], _Cookie] = {}

    def store(self, url: Url, set_cookie_values: Sequence[str]) -> bool:
        """Takes in the Set-Cookie values of an answer from `url`; what is malformed or over a limit is ignored.

        True when what header() says may have changed.
        """
        before = dict(self._cookies)
        for value in set_cookie_values:
            self._store_one(url, value)
        return before != self._cookies

    def header(self, url: Url) -> str | None:
        """The Cookie value to send to `url`, longest path first; None when there is nothing to send."""
        path = url.target.partition("?")[0]
        matching = [
            (cookie_path, name, cookie.value)
            for (host, cookie_path, name), cookie in self._cookies.items()
            if host == url.host and _path_matches(path, cookie_path) and (url.scheme == "https" or not cookie.is_secure)
        ]
        matching.sort(key=lambda row: -len(row[0]))
        text = ""
        for _, name, value in matching:
            longer = f"{text}; {name}={value}" if text else f"{name}={value}"
            if len(longer) <= MAX_COOKIE_HEADER_BYTES:
                text = longer
        return text or None

    def _store_one(self, url: Url, text: str) -> None:
        pair, _, attribute_text = text.partition(";")
        name, equals, value = pair.partition("=")
        name, value = name.strip(_SPACE), value.strip(_SPACE)
        if not equals or not name or len(name) + len(value) > MAX_COOKIE_BYTES or not _CONTROLS.isdisjoint(text):
            return
        attributes = _attributes(attribute_text)
        is_secure = "secure" in attributes
        if (is_secure and url.scheme != "https") or not _accepts(name, url, attributes):
            return
        path = attributes.get("path", "")
        key = (url.host, path if path.startswith("/") else _default_path(url), name)
        if _is_deleted(attributes):
            self._cookies.pop(key, None)
        elif key in self._cookies or len(self._cookies) < MAX_COOKIES:
            self._cookies[key] = _Cookie(value, is_secure)


def _attributes(text: str) -> dict[str, str]:
    """Attribute values by lower-case name; the last one counts (RFC 6265 section 5.3)."""
    found: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        found[name.strip(_SPACE).lower()] = value.strip(_SPACE)
    return found


def _accepts(name: str, url: Url, attributes: dict[str, str]) -> bool:
    """A foreign Domain refuses the cookie; name prefixes keep their promise (RFC 6265bis section 4.1.3)."""
    domain = attributes.get("domain", "").lower().removeprefix(".")
    if domain and url.host != domain and not url.host.endswith("." + domain):
        return False
    if name.startswith("__Host-"):
        return "secure" in attributes and attributes.get("path") == "/" and not domain
    return not name.startswith("__Secure-") or "secure" in attributes


def _is_deleted(attributes: dict[str, str]) -> bool:
    max_age = attributes.get("max-age", "")
    if max_age and max_age.removeprefix("-").isascii() and max_age.removeprefix("-").isdigit():
        return max_age.startswith("-") or not max_age.strip("0")
    tokens = attributes.get("expires", "").replace("-", " ").split()
    return any(len(token) == 4 and token.isascii() and token.isdigit() and int(token) < _PAST_YEAR for token in tokens)


def _default_path(url: Url) -> str:
    """RFC 6265 section 5.1.4."""
    return url.target.partition("?")[0].rpartition("/")[0] or "/"


def _path_matches(path: str, cookie_path: str) -> bool:
    """RFC 6265 section 5.1.4."""
    return path == cookie_path or path.startswith(cookie_path if cookie_path.endswith("/") else cookie_path + "/")
