"""The way to a host: directly to addresses that were looked up and judged, or through the proxy a person has named."""

import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from guarded_webfetch.broker import outer_sandbox
from guarded_webfetch.broker.connect import connect
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.core import address_policy, dns_answers, limits
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import Url
from guarded_webfetch.ipc import frames

if TYPE_CHECKING:
    from guarded_webfetch.broker.proxy import Proxy

_UNREACHED: Final = frozenset({"dns_no_answer", "dns_failed", "connect_failed"})
_BLOCKED: Final = frozenset({"dns_failed", "connect_failed"})  # an answer that there is no such name came from outside


class Direct:
    """Looks each host up once and connects to judged addresses only."""

    def __init__(self, crew: Crew, *, fake_ip: bool) -> None:
        self._crew = crew
        self._fake_ip = fake_ip
        self._blocked = outer_sandbox.blocks_direct_connections()

    def connect(self, url: Url, deadline: Deadline) -> socket.socket:
        """A blocking socket connected to the host. Where an outer sandbox is known, its silence is not the site's fault."""
        try:
            return connect(self._addresses(url, deadline), url.port, deadline)
        except Refusal as refusal:
            if self._blocked and refusal.code in _BLOCKED:
                raise Refusal("network_blocked") from None
            raise

    def _addresses(self, url: Url, deadline: Deadline) -> Sequence[bytes]:
        if url.is_literal:
            return judge_literal(url)
        answers = look_up(url.host, self._crew, deadline)
        return address_policy.judge_answers(answers, fake_ip_allowed=self._fake_ip)


class ThroughProxy:
    """Asks one proxy for a tunnel to each host; the proxy looks the names up. Its own address is not judged: a person named it."""

    def __init__(self, proxy: "Proxy", crew: Crew) -> None:
        from guarded_webfetch.broker.proxy import authorization

        crew.prepare_redirects(look_up=False)  # every child of the run, so that none inherits what is read next
        self._authorization = authorization(proxy)
        self._proxy = proxy
        self._crew = crew
        self._addresses: Sequence[bytes] = ()

    def connect(self, url: Url, deadline: Deadline) -> socket.socket:
        """A blocking socket that leads to the host; Refusal proxy_unreachable or proxy_refused."""
        from guarded_webfetch.broker import tunnel

        if url.is_literal:
            judge_literal(url)
        try:
            self._addresses = self._addresses or self._look_up(deadline)
            connection = connect(self._addresses, self._proxy.port, deadline)
        except Refusal as refusal:
            if refusal.code in _UNREACHED:
                raise Refusal("proxy_unreachable") from None
            raise
        try:
            tunnel.open_tunnel(connection, url, self._authorization, deadline)
        except BaseException:
            connection.close()
            raise
        return connection

    def _look_up(self, deadline: Deadline) -> Sequence[bytes]:
        packed = _literal(self._proxy.host)
        return [packed] if packed else look_up(self._proxy.host, self._crew, deadline)


Route = Direct | ThroughProxy


def choose(options: Options, crew: Crew) -> Route:
    """The way all hops of this run take. Refusal config_invalid when the proxy's credential cannot be read."""
    return ThroughProxy(options.proxy, crew) if options.proxy else Direct(crew, fake_ip=options.fake_ip)


def look_up(host: str, crew: Crew, deadline: Deadline) -> list[bytes]:
    """The packed addresses of a name, not judged; Refusal dns_no_answer or dns_failed."""
    resolver = crew.resolver()
    try:
        resolver.send_message({"host": host}, deadline)
        crew.check(resolver, deadline)
        frame = resolver.receive({frames.BYTES: limits.FRAME_CONTROL_BYTES}, deadline)
        return dns_answers.decode(frame.payload)
    except ValueError:
        raise Refusal("child_frame_invalid") from None
    finally:
        resolver.kill()


def judge_literal(url: Url) -> Sequence[bytes]:
    """The address a literal host names, when it is public."""
    packed = _literal(url.host)
    if packed is None:
        raise Refusal("url_host")
    return address_policy.judge_answers([packed])


def _literal(host: str) -> bytes | None:
    return address_policy.parse_ipv4(host) or address_policy.parse_ipv6(host)
