"""Which URLs are fetched, and the one way they are spelled afterwards.

A parser of its own, because parsers disagree: what this one accepts has the same host under WHATWG URL and RFC 3986,
and what they read differently is refused. The rebuilt URL is what every later step uses; the text a caller gave is not
looked at again.
"""

from typing import Final, NamedTuple

from guarded_webfetch.core.host_policy import mixed_script, parse_host
from guarded_webfetch.core.limits import MAX_URL_CHARS
from guarded_webfetch.core.reasons import Refusal

__all__ = [
    "DEFAULT_PORTS",
    "WIDE_PORTS",
    "Url",
    "build_url",
    "clean_path",
    "is_scheme",
    "mixed_script",
    "parse_origin",
    "parse_url",
]

DEFAULT_PORTS: Final = frozenset({80, 443})
# The wide profile: ports people serve web pages on. None is a "bad port" of the Fetch Standard (section 2.9).
WIDE_PORTS: Final = DEFAULT_PORTS | {8000, 8080, 8443}
SCHEME_PORTS: Final = {"http": 80, "https": 443}

_SPACE: Final = " \t\n\r\f"
_CONTROLS: Final = frozenset(map(chr, (*range(0x20), 0x7F)))
_SCHEME_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")

# What browsers percent-encode (WHATWG URL section 1.3, path and query percent-encode sets), so that a server sees what
# it is tested with. The apostrophe in a query stays as given: RFC 3986 allows it.
_PATH_ENCODED: Final = frozenset(' "<>^`{}')
_QUERY_ENCODED: Final = frozenset(' "<>')


class Url(NamedTuple):
    """A URL that may be fetched. `target` is the request target in origin-form: ASCII, path and query, no fragment."""

    scheme: str
    host: str  # lower case; a name, dotted IPv4, or IPv6 without brackets
    port: int
    target: str
    is_literal: bool

    @property
    def host_header(self) -> str:
        """The value of the Host field: no default port, IPv6 in brackets (RFC 9110 section 7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == SCHEME_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port, serialized without the default port (RFC 6454 section 6.2)."""
        return f"{self.scheme}://{self.host_header}"

    @property
    def text(self) -> str:
        """The whole URL in ASCII. Parsing it again gives the same Url."""
        return self.origin + self.target


def parse_url(text: str, *, ports: frozenset[int] = DEFAULT_PORTS) -> Url:
    """The URL in `text`; white space around it is ignored, so a pasted line works.

    Raises Refusal url_invalid, url_scheme, url_userinfo, url_host, url_port, url_too_long, name_not_public or
    address_not_public (a literal), and nothing else.
    """
    text = text.strip(_SPACE)
    if not _CONTROLS.isdisjoint(text):
        raise Refusal("url_invalid")
    scheme, rest = _split_scheme(text.partition("#")[0])
    if not rest.startswith("//"):
        raise Refusal("url_invalid")
    before_query, mark, query = rest[2:].partition("?")
    authority, slash, path = before_query.partition("/")
    # Browsers read a backslash as a slash, RFC 3986 as a character of its own, and browsers skip further slashes.
    if "\\" in before_query or (not authority and slash):
        raise Refusal("url_invalid")
    return build_url(scheme, authority, clean_path(slash + path), query if mark else None, ports)


def parse_origin(text: str, *, ports: frozenset[int] = DEFAULT_PORTS) -> str:
    """The serialized origin in `text`, with or without a final slash. Raises what parse_url raises."""
    url = parse_url(text, ports=ports)
    if url.target != "/":
        raise Refusal("url_invalid")
    return url.origin


def build_url(scheme: str, authority: str, path: str, query: str | None, ports: frozenset[int]) -> Url:
    """A checked Url of its parts: `path` is empty or starts with a slash, `query` has no mark, None when absent."""
    host_text, port = _split_authority(authority, SCHEME_PORTS[scheme])
    host, is_literal = parse_host(host_text)
    if port not in ports:
        raise Refusal("url_port")
    target = _encode(path or "/", _PATH_ENCODED)
    if query is not None:
        target += "?" + _encode(query, _QUERY_ENCODED)
    url = Url(scheme, host, port, target, is_literal)
    if len(url.text) > MAX_URL_CHARS:
        raise Refusal("url_too_long")
    return url


def clean_path(path: str) -> str:
    """The path without dot segments (RFC 3986 section 5.2.4). Percent-encoded dots are left as given."""
    if "/." not in path:
        return path
    output: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            del output[max(1, len(output) - 1) :]
        elif segment != ".":
            output.append(segment)
    if segments[-1] in (".", ".."):
        output.append("")
    return "/".join(output)


def is_scheme(text: str) -> bool:
    """RFC 3986 section 3.1."""
    return bool(text) and text[0].isascii() and text[0].isalpha() and _SCHEME_CHARS.issuperset(text.lower())


def _split_scheme(text: str) -> tuple[str, str]:
    scheme, colon, rest = text.partition(":")
    if not colon or not is_scheme(scheme):
        raise Refusal("url_invalid")
    if scheme.lower() not in SCHEME_PORTS:
        raise Refusal("url_scheme")
    return scheme.lower(), rest


def _split_authority(authority: str, default_port: int) -> tuple[str, int]:
    """(host as written, port). An empty port is the default one (RFC 3986 section 3.2.3)."""
    if "@" in authority:
        raise Refusal("url_userinfo")
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return authority, default_port
    if not port:
        return host, default_port
    if not (port.isascii() and port.isdigit()) or len(port) > 5:
        raise Refusal("url_host" if ":" in host and host[0] != "[" else "url_port")
    return host, int(port)


def _encode(text: str, encoded: frozenset[str]) -> str:
    """`text` in ASCII: what is percent-encoded already stays byte for byte, case too; the rest as UTF-8."""
    if text.isascii() and encoded.isdisjoint(text):
        return text
    try:
        return "".join(_percent(char) if char in encoded or not char.isascii() else char for char in text)
    except UnicodeEncodeError as error:  # half a surrogate pair
        raise Refusal("url_invalid") from error


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))
