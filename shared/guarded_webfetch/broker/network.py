"""From a URL to a body: every hop is judged, connected by the broker on its route, and read by a fetcher of its own."""

import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

from guarded_webfetch import __version__
from guarded_webfetch.broker import route as routes
from guarded_webfetch.broker.child import Child, check_message
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.url_check import check_host
from guarded_webfetch.core import http_status, limits, redirect_policy
from guarded_webfetch.core.content_type import choose_kind, parse_content_type
from guarded_webfetch.core.cookies import CookieJar
from guarded_webfetch.core.messages import ContentKind, FetchOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, WIDE_PORTS, Url
from guarded_webfetch.ipc import frames

if TYPE_CHECKING:
    from guarded_webfetch.broker.robots import Gate

_HEADERS: Final = [
    ["User-Agent", f"guarded-webfetch/{__version__}"],
    ["Accept", "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"],
    ["Accept-Encoding", "identity, gzip"],
    ["Connection", "close"],
]


class Redirect(NamedTuple):
    """A hop that was followed: the status that asked for it, how it relates to the one before, where it led."""

    status: int
    relations: tuple[str, ...]
    url: Url


class Body(NamedTuple):
    """The body of a final answer. `essence` is "" when the server named no type."""

    content: bytes
    sha256: str
    kind: ContentKind
    verbatim: bool
    essence: str
    charset: str | None
    truncated: bool
    length_unknown: bool
    refresh: bool = False  # a Refresh header names another address
    refused: str | None = None  # the reason code of an answer that is an error: its body is judged, never delivered


class Progress:
    """What is known so far; a failure record is written from it."""

    def __init__(self, url: Url) -> None:
        self.url: Url = url
        self.status: int | None = None
        self.redirects: list[Redirect] = []
        self.redirect_origin: str | None = None


def chosen_urls(progress: Progress) -> list[str]:
    """The URLs the server chose, as the sanitizer is asked about them: none, or the final one and then each hop."""
    if not progress.redirects:
        return []
    return [progress.url.text, *(hop.url.text for hop in progress.redirects)]


def fetch(progress: Progress, options: Options, crew: Crew, deadline: Deadline, gate: "Gate | None" = None) -> Body:
    """Follows the redirects the policy allows and returns the final body; `progress` is kept up to date for a failure.

    `gate`: what asks robots.txt; it has been asked for the first URL.
    """
    if gate:
        gate.check(deadline)
    route = routes.choose(options, crew)
    jar = CookieJar()
    visited = [progress.url.text]
    login_wall = False
    while True:
        fetcher = connected_fetcher(progress.url, route, options, crew, deadline)
        order(fetcher, progress.url, jar.header(progress.url), deadline)
        progress.status, headers = receive_head(fetcher, crew, deadline, gate)
        if progress.status not in redirect_policy.REDIRECT_STATUSES:
            return _finish(fetcher, progress.status, headers, deadline, login_wall=login_wall)
        fetcher.kill()  # its body is never read
        from guarded_webfetch.core.login_redirect import asks_for_login  # most fetches meet no redirect

        cookies_changed = jar.store(progress.url, values(headers, "set-cookie"))
        hop = _decide(progress, headers, visited, options, cookies_changed=cookies_changed)
        if gate:
            gate.ask(hop.url, deadline)
            gate.check(deadline)
        login_wall = asks_for_login(progress.status, progress.url, hop.url)
        progress.redirects.append(Redirect(progress.status, hop.relations, hop.url))
        progress.url = hop.url
        visited.append(hop.url.text)


def _decide(
    progress: Progress, headers: list[list[str]], visited: list[str], options: Options, *, cookies_changed: bool
) -> redirect_policy.Hop:
    locations = [value.encode("latin-1") for value in values(headers, "location")]
    try:
        hop = redirect_policy.decide(
            progress.url,
            progress.status or 0,
            locations,
            visited=visited,
            allowed_origins=options.allowed_origins,
            mode=options.redirects,
            ports=WIDE_PORTS if options.wide_ports else DEFAULT_PORTS,
            cookies_changed=cookies_changed,
        )
    except Refusal as refusal:
        progress.redirect_origin = refusal.origin
        raise
    check_host(hop.url, options)
    return hop


def connected_fetcher(url: Url, route: routes.Route, options: Options, crew: Crew, deadline: Deadline) -> Child:
    """A locked fetcher that has been given a socket connected to the host of `url`."""
    fetcher = crew.fetcher()
    fetcher.send_message({"scheme": url.scheme, "ca_bundle": options.ca_bundle}, deadline)
    connection = route.connect(url, deadline)
    try:
        crew.check(fetcher, deadline)
    except BaseException:
        connection.close()
        raise
    fetcher.pass_socket(connection)
    return fetcher


def order(
    fetcher: Child, url: Url, cookie: str | None, deadline: Deadline, max_bytes: int = limits.MAX_PDF_BYTES
) -> None:
    """Asks for `url`, decoded to at most `max_bytes` and one."""
    asked: FetchOrder = {
        "host": url.host,
        "host_header": url.host_header,
        "port": url.port,
        "target": url.target,
        "headers": _HEADERS + ([["Cookie", cookie]] if cookie else []),
        "max_bytes": max_bytes,
    }
    fetcher.send_message(asked, deadline)


def receive_head(
    fetcher: Child, crew: Crew, deadline: Deadline, gate: "Gate | None" = None
) -> tuple[int, list[list[str]]]:
    """Status and headers. Children for further hops are forked between the two, before any header is in memory."""
    status: int = fetcher.receive_message("fetch_status", limits.FRAME_CONTROL_BYTES, deadline)["status"]
    if status in redirect_policy.REDIRECT_STATUSES:
        crew.prepare_redirects()
        if gate:
            gate.prepare()
    headers: list[list[str]] = fetcher.receive_message("fetch_head", limits.FRAME_HEAD_BYTES, deadline)["headers"]
    return status, headers


def _finish(fetcher: Child, status: int, headers: list[list[str]], deadline: Deadline, *, login_wall: bool) -> Body:
    try:
        code = http_status.refusal_code(status, dict(headers)) or ("login_required" if login_wall else None)
        if code is None:
            body = _receive_body(fetcher, headers, limits.MAX_BODY_BYTES, deadline)
            return body._replace(refresh=http_status.sends_elsewhere(values(headers, "refresh")))
        if status < 400 or code in http_status.TOLD_BY_PAGE:
            raise Refusal(code)
        return _error_body(fetcher, headers, code, deadline)
    finally:
        fetcher.kill()


def _error_body(fetcher: Child, headers: list[list[str]], code: str, deadline: Deadline) -> Body:
    """The page of an error, as far as it can be had in passing. The status stays the reason, whatever becomes of the body."""
    try:
        soon = deadline.named(deadline.code, within_s=limits.ERROR_BODY_S)
        body = _receive_body(fetcher, headers, limits.MAX_ERROR_BODY_BYTES, soon)
    except Refusal as refusal:
        raise (Refusal(code) if refusal.reason.exit_code in (5, 6) else refusal) from None
    if body.kind == "pdf":
        raise Refusal(code)
    return body._replace(refused=code)


def _receive_body(fetcher: Child, headers: list[list[str]], max_bytes: int, deadline: Deadline) -> Body:
    declared = parse_content_type(values(headers, "content-type"))
    fetcher.send_message({"go": True}, deadline)
    return read_body(fetcher, declared.essence, declared.charset, max_bytes, deadline)


def read_body(fetcher: Child, essence: str, charset: str | None, max_bytes: int, deadline: Deadline) -> Body:
    """The body up to its limit: `max_bytes`, more for a PDF. Its first bytes decide what it is."""
    accepted = {frames.BYTES: limits.FRAME_CHUNK_BYTES, frames.MESSAGE: limits.FRAME_CONTROL_BYTES}
    content = bytearray()
    kind: ContentKind | None = None
    verbatim = length_unknown = ended = False
    limit = max_bytes
    while not ended and len(content) <= limit:
        frame = fetcher.receive(accepted, deadline)
        if frame.kind == frames.BYTES:
            content += frame.payload
        else:
            ended = True
            length_unknown = check_message(frame.payload, "fetch_end")["length_unknown"]
        if kind is None and (ended or len(content) >= limits.SNIFF_BYTES):
            kind, verbatim = choose_kind(essence, bytes(content[: limits.SNIFF_BYTES]), charset)
            limit = limits.MAX_PDF_BYTES if kind == "pdf" else max_bytes
    truncated = len(content) > limit
    if truncated and kind == "pdf":
        raise Refusal("body_too_large")
    kept = bytes(content[:limit])
    if not kept or kind is None:
        raise Refusal("extract_empty")
    digest = hashlib.sha256(kept).hexdigest()
    return Body(kept, digest, kind, verbatim, essence, charset, truncated, length_unknown)


def values(headers: list[list[str]], name: str) -> list[str]:
    return [value for key, value in headers if key == name]
