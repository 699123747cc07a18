"""The servers of a sealed internet: one loop that accepts, answers names and takes orders; a thread per connection.

Connects and questions are written to the log by the loop itself, before anything else happens to them. An order is
handled only when no connect and no question waits, so the answer to `sync` means: all that came before is in the log.
"""

import os
import pickle
import selectors
import socket
import ssl
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tests.internet import addresses, http_server, names, proxy, sites
from tests.internet.authority import Authority
from tests.internet.dns import TYPES, Answer, Question, Zone, fixed
from tests.internet.log import LogWriter
from tests.internet.replies import Reply, Request, Site

CERTIFICATES: Final = ("good", "missing-intermediate", "expired", "wrong-name", "self-signed", "address")


def issue_certificates(authority: Authority) -> None:
    """The leaf certificates of the sites. Hosts with a certificate of their own are in no other."""
    good = [site.host for site in sites.SITES if site.certificate in ("good", "missing-intermediate")]
    authority.issue("good", ",".join(f"DNS:{host}" for host in good))
    authority.issue("expired", _names_of("expired"), days=(-60, -10))
    authority.issue("wrong-name", "DNS:somebody-else.com")
    authority.self_signed("self-signed", _names_of("self-signed"))
    authority.issue("address", f"IP:{addresses.BARE}")


def _names_of(certificate: str) -> str:
    return ",".join(f"DNS:{site.host}" for site in sites.SITES if site.certificate == certificate)


class Servers:
    """Listens on every address of the namespace. `orders` is a stream socket; its end ends the process."""

    def __init__(self, folder: Path, authority: Authority, orders: socket.socket) -> None:
        self._log = LogWriter(folder / "log.jsonl")
        self._authority = authority
        self._orders = orders
        self._sites: dict[str, Site] = {site.host: site for site in sites.SITES}
        self._zone = Zone({**{site.host: fixed(*addresses_of(site)) for site in sites.SITES}, **names.NAMES})
        self._contexts = {name: self._context(name) for name in CERTIFICATES}
        self._selector = selectors.DefaultSelector()

    def listen(self) -> None:
        families = [(socket.AF_INET, "0.0.0.0")] + ([(socket.AF_INET6, "::")] if socket.has_ipv6 else [])
        for family, address in families:
            for port in (*addresses.HTTP_PORTS, *addresses.HTTPS_PORTS):
                self._selector.register(_listener(family, address, port), selectors.EVENT_READ, self._accept)
        for one in proxy.PROXIES:
            self._selector.register(
                _listener(socket.AF_INET, one.address, one.port), selectors.EVENT_READ, self._accept_proxied
            )
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 53))
        self._selector.register(udp, selectors.EVENT_READ, self._answer_udp)
        self._selector.register(_listener(socket.AF_INET, "127.0.0.1", 53), selectors.EVENT_READ, self._accept_dns)
        self._selector.register(self._orders, selectors.EVENT_READ, None)

    def run(self) -> None:
        """Serves until the other end of `orders` is closed."""
        while True:
            ready = [key for key, _ in self._selector.select()]
            work = [key for key in ready if key.data is not None]
            for key in work:
                key.data(key.fileobj)
            if not work and not self._take_order():
                return

    # ------------------------------------------------------------ sites

    def _accept(self, listener: socket.socket) -> None:
        connection, client = listener.accept()
        address, port = connection.getsockname()[:2]
        self._log.add("trap" if addresses.is_trap(address) else "connect", address=address, port=port, client=client[0])
        context = self._context_for(address) if port in addresses.HTTPS_PORTS else None
        http_server.start(http_server.Conversation(connection, self._log, context, self._reply))

    def _reply(self, request: Request) -> Reply:
        site = self._site(request.host)
        route = site and (site.routes.get(request.path) or site.routes.get("*"))
        if not route:
            return http_server.NOT_FOUND
        return route if isinstance(route, Reply) else route(request)

    def _site(self, host: str) -> Site | None:
        return self._sites.get(host) or self._sites.get("*." + host.partition(".")[2])

    def _context_for(self, address: str) -> ssl.SSLContext:
        """What a client without SNI gets; with SNI the named site's certificate is chosen during the handshake."""
        return self._contexts["address" if address == addresses.BARE else "good"]

    def _context(self, certificate: str) -> ssl.SSLContext:
        if certificate == "missing-intermediate":
            context = self._authority.context("good", with_intermediate=False)
        else:
            context = self._authority.context(certificate)
        context.sni_callback = self._choose_certificate
        return context

    def _choose_certificate(self, connection: Any, name: str | None, _: ssl.SSLContext) -> None:
        connection.sealed_name = name
        site = self._site((name or "").lower())
        if site is not None:
            connection.context = self._contexts[site.certificate]

    # ------------------------------------------------------------ proxies

    def _accept_proxied(self, listener: socket.socket) -> None:
        connection, client = listener.accept()
        address, port = connection.getsockname()[:2]
        self._log.add("connect", address=address, port=port, client=client[0])
        found = next(one for one in proxy.PROXIES if (one.address, one.port) == (address, port))
        proxy.Conversation(connection, found, self._log, self._first_address).start()

    def _first_address(self, name: str) -> str | None:
        """What a proxy connects to: a literal as it stands, a name without asking the name server."""
        found = self._zone.find(name)
        listed = [address for addresses_at in (*found.a[:1], *found.aaaa[:1]) for address in addresses_at]
        return name if _is_literal(name) else next(iter(listed), None)

    # ------------------------------------------------------------ names

    def _answer_udp(self, udp: socket.socket) -> None:
        packet, client = udp.recvfrom(4096)
        try:
            question, answer = self._zone.answer(packet, over_udp=True)
        except ValueError:
            return
        self._log_question(question, answer, "udp")
        _later(answer, lambda reply: udp.sendto(reply, client))

    def _accept_dns(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.settimeout(5.0)
        threading.Thread(target=self._answer_tcp, args=(connection,), daemon=True).start()

    def _answer_tcp(self, connection: socket.socket) -> None:
        with connection:
            try:
                while length := int.from_bytes(connection.recv(2, socket.MSG_WAITALL)):
                    question, answer = self._zone.answer(connection.recv(length, socket.MSG_WAITALL), over_udp=False)
                    self._log_question(question, answer, "tcp")
                    _later(answer, lambda reply: connection.sendall(len(reply).to_bytes(2) + reply))
            except (OSError, ValueError):
                return

    def _log_question(self, question: Question, answer: Answer, over: str) -> None:
        kind = TYPES.get(question.type, str(question.type))
        answers = list(answer.addresses)
        self._log.add("dns", name=question.name, type=kind, answers=answers, rcode=answer.rcode, over=over)

    # ------------------------------------------------------------ orders of a test

    def _take_order(self) -> bool:
        size = self._orders.recv(8, socket.MSG_WAITALL)
        if not size:
            return False
        what, value = pickle.loads(self._orders.recv(int.from_bytes(size), socket.MSG_WAITALL))
        if what == "site":
            self._add_site(value)
        elif what == "name":
            self._zone.set(*value)
        self._orders.send(b".")
        return True

    def _add_site(self, site: Site) -> None:
        known = self._sites.get(site.host)
        if known is not None and site.certificate == "good":
            site = replace(site, certificate=known.certificate)
        self._sites[site.host] = site
        if known is None and site.certificate == "good":
            name = f"added-{len(self._sites)}"
            self._authority.issue(name, f"DNS:{site.host}")
            self._contexts[name] = self._context(name)
            self._sites[site.host] = Site(site.host, site.about, site.routes, site.addresses, name)
        if site.addresses is not None:
            self._zone.set(site.host, fixed(*addresses_of(site)))


def addresses_of(site: Site) -> tuple[str, ...]:
    return (addresses.WEB,) if site.addresses == () else site.addresses or ()


def _is_literal(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


def _listener(family: int, address: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind((address, port))
    listener.listen(128)
    return listener


def _later(answer: Answer, send: Any) -> None:
    """Sends an answer now or after its delay; a silent one never."""
    if answer.packet is None:
        return
    if answer.delay_s:
        timer = threading.Timer(answer.delay_s, send, (answer.packet,))
        timer.daemon = True
        timer.start()
    else:
        send(answer.packet)


def serve(folder: Path, authority: Authority, orders: socket.socket, ready_fd: int) -> None:
    """The whole life of the servers' process; one byte on `ready_fd` says that every port is open."""
    servers = Servers(folder, authority, orders)
    servers.listen()
    os.write(ready_fd, b"r")
    os.close(ready_fd)
    servers.run()
