"""Whether a redirect is followed: a pure function of the current URL and the raw Location values.

References are resolved by RFC 3986 section 5.2, on our own strict parts; what browsers resolve to another host than the
RFC does (two backslashes or slash and backslash before a host, `https:host`, `https:/host`, `///host`) is refused.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from guarded_webfetch.core.limits import MAX_REDIRECT_ORIGIN_CHARS, MAX_REDIRECTS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, SCHEME_PORTS, Url, build_url, clean_path, is_scheme

# RFC 9110 section 15.4. 300 and 304 to 306 are final answers for a reader.
REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})

Mode = Literal["same-origin", "checked"]
Relation = Literal["same_origin", "https_upgrade", "www_variant", "allowed_origin", "checked"]

_SPACE: Final = b" \t"
_CONTROLS: Final = frozenset((*range(0x20), 0x7F))


class Hop(NamedTuple):
    """The URL to ask next, and why it may be asked."""

    url: Url
    relations: tuple[Relation, ...]


def decide(  # noqa: PLR0913 - a decision is a function of all it depends on
    current: Url,
    status: int,
    locations: Sequence[bytes],
    *,
    visited: Sequence[str],
    allowed_origins: frozenset[str] = frozenset(),
    mode: Mode = "same-origin",
    ports: frozenset[int] = DEFAULT_PORTS,
    cookies_changed: bool = False,
) -> Hop:
    """The next hop, or a Refusal.

    `locations`: every Location value as it came; `visited`: the text of every URL asked so far, `current` last;
    `allowed_origins`: serialized origins the caller named; `cookies_changed`: this answer changed the cookies, so
    coming back to a visited URL is how cookie gates work and no loop (the number of redirects still ends it).

    Raises redirect_invalid, _loop, _too_many, _downgrade, _cross_origin, every reason of parse_url, and http_error for
    a status that is no redirect. A downgrade and a cross-origin refusal carry the target's origin.
    """
    if status not in REDIRECT_STATUSES:
        raise Refusal("http_error")
    if len(locations) != 1:
        raise Refusal("redirect_invalid")
    target = resolve(current, locations[0], ports=ports)
    if not cookies_changed and target.text in (current.text, *visited):
        raise Refusal("redirect_loop")
    if len(visited) > MAX_REDIRECTS:
        raise Refusal("redirect_too_many")
    if current.scheme == "https" and target.scheme == "http":
        raise Refusal("redirect_downgrade", origin=_short_origin(target))
    relations = relate(current, target)
    if not relations and target.origin in allowed_origins:
        relations = ("allowed_origin",)
    if not relations and mode == "checked":
        relations = ("checked",)
    if not relations:
        raise Refusal("redirect_cross_origin", origin=_short_origin(target))
    return Hop(target, relations)


def relate(current: Url, target: Url) -> tuple[Relation, ...]:
    """How `target` belongs to `current`; empty when it is another origin (a port change is one)."""
    if current.origin == target.origin:
        return ("same_origin",)
    upgraded = (current.scheme, current.port, target.scheme, target.port) == ("http", 80, "https", 443)
    if not upgraded and (current.scheme, current.port) != (target.scheme, target.port):
        return ()
    relations: list[Relation] = ["https_upgrade"] if upgraded else []
    if current.host != target.host:
        if not _is_www_pair(current.host, target.host):
            return ()
        relations.append("www_variant")
    return tuple(relations)


def resolve(current: Url, location: bytes, *, ports: frozenset[int] = DEFAULT_PORTS) -> Url:
    """The URL a Location value points to. Bytes beyond ASCII in path and query become percent-encodings byte for byte.

    Raises redirect_invalid for a value that is not a clean reference, and every reason of parse_url.
    """
    location = location.strip(_SPACE)
    if not _CONTROLS.isdisjoint(location):
        raise Refusal("redirect_invalid")
    reference = location.decode("latin-1").partition("#")[0]
    scheme, rest = _split_scheme(reference)
    path, mark, query = rest.partition("?")
    query_text = _keep_bytes(query) if mark else None
    if "\\" in path:
        raise Refusal("redirect_invalid")
    if path.startswith("//"):
        authority, slash, path = path[2:].partition("/")
        path = clean_path(_keep_bytes(slash + path))
        return build_url(scheme or current.scheme, _authority(authority), path, query_text, ports)
    if scheme:
        raise Refusal("redirect_invalid")
    return _same_authority(current, _keep_bytes(path), query_text, ports)


def _split_scheme(reference: str) -> tuple[str | None, str]:
    """(http, https or None for a relative reference, the rest)."""
    scheme, colon, rest = reference.partition(":")
    if not colon or not is_scheme(scheme):
        return None, reference
    if scheme.lower() not in SCHEME_PORTS:
        raise Refusal("url_scheme")
    return scheme.lower(), rest


def _authority(latin1: str) -> str:
    """A host name beyond ASCII must be UTF-8, the one reading browsers share; none at all (`///host`) is refused."""
    if not latin1:
        raise Refusal("redirect_invalid")
    try:
        return latin1.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal("redirect_invalid") from error


def _same_authority(current: Url, path: str, query: str | None, ports: frozenset[int]) -> Url:
    """RFC 3986 section 5.2.2 for a reference without scheme and authority."""
    base_path, mark, base_query = current.target.partition("?")
    if not path:
        path = base_path
        if query is None:
            query = base_query if mark else None
    elif not path.startswith("/"):
        path = base_path.rpartition("/")[0] + "/" + path
    authority = current.host_header
    return build_url(current.scheme, authority, clean_path(path), query, ports | {current.port})


def _keep_bytes(latin1: str) -> str:
    if latin1.isascii():
        return latin1
    return "".join(char if char.isascii() else f"%{ord(char):02X}" for char in latin1)


def _is_www_pair(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer == "www." + shorter and not shorter.startswith("www.")


def _short_origin(url: Url) -> str | None:
    origin = url.origin
    return origin if len(origin) <= MAX_REDIRECT_ORIGIN_CHARS else None
