"""What the answer to a request for robots.txt means (RFC 9309 sections 2.3 and 2.4), and how long it is believed.

Pure: the clock is an argument. Until something is known about a site, nothing of it may be fetched.
"""

from typing import Final, Literal, NamedTuple

from guarded_webfetch.core.limits import MAX_CRAWL_DELAY_S, MAX_ROBOTS_REDIRECTS, ROBOTS_CACHE_S

Meaning = Literal["rules", "allow_all", "deny_all"]
Policy = Literal["obey", "note", "ignore"]  # what a run does with the answer
MEANINGS: Final[dict[str, Meaning]] = {"rules": "rules", "allow_all": "allow_all", "deny_all": "deny_all"}
PRODUCT_TOKEN: Final = "guarded-webfetch"

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


class Verdict(NamedTuple):
    """What the rules say about one path. `line` is the one that decided, None when none did: its words are the site's own."""

    allowed: bool
    line: int | None = None
    crawl_delay_s: float | None = None


class Known(NamedTuple):
    """What is known about one authority (scheme, host and port as asked first, whatever a redirect led to)."""

    meaning: Meaning
    known_since: float  # seconds of the caller's clock
    body: bytes = b""  # with "rules": to be parsed in a locked child


def follows(status: int, redirects: int) -> bool:
    """Whether one more redirect is followed after `redirects` of them; it is checked like any other target."""
    return status in _REDIRECTS and redirects < MAX_ROBOTS_REDIRECTS


def meaning_of(status: int | None) -> Meaning:
    """The meaning of the final status; None when there was none (look-up, connection, TLS, deadline, cut body, refused target).

    A redirect that is not followed any more means unavailable, like 4xx: everything may be fetched. A server that fails or
    cannot be reached, and a status that HTTP does not define, mean that nothing may.
    """
    if status is None or not 200 <= status < 500:
        return "deny_all"
    return "rules" if status < 300 else "allow_all"


def is_fresh(known: Known, now: float) -> bool:
    """Whether it may be used without asking again: for 24 hours. A clock that was set back makes it old."""
    return 0 <= now - known.known_since < ROBOTS_CACHE_S


def renewed(old: Known | None, status: int | None, body: bytes, now: float) -> Known:
    """What is known after asking again. Rules known before outlast a site that cannot be reached (section 2.4)."""
    meaning = meaning_of(status)
    if meaning == "deny_all" and old is not None and old.meaning == "rules":
        return old._replace(known_since=now)
    return Known(meaning, now, body if meaning == "rules" else b"")


def may_fetch(known: Known | None, verdict: Verdict | None) -> bool:
    """`verdict` is that of the rules, None where there are none or the child that read them failed."""
    if known is None or known.meaning == "deny_all":
        return False
    return known.meaning == "allow_all" or (verdict is not None and verdict.allowed)


def pause_s(asked_s: float, own_pause_s: float) -> float:
    """Between two requests to the site: what it asks for, up to a cap, and never less than our own."""
    return max(own_pause_s, min(asked_s, MAX_CRAWL_DELAY_S))
