"""One row of a case file: what to ask for, what the names answer, and what the sites reply."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import idna

from tests.internet.dns import Answers
from tests.internet.replies import Reply, Site, Turns

_JUDGED: Final = "judged-address.example.net"  # a name that leads to the address of an "ip" case
_TEXT: Final = b"<p>The level of the summit pound was read from the painted staff and written in the book.</p>"
_OPTIONS: Final = {"ports-wide": ("--ports", "wide"), "fake-ip-optin": ("--resolver-profile", "fake-ip")}


@dataclass(frozen=True)
class Case:
    """`row` as the file has it; research §6 of the data set names the fields."""

    row: dict[str, Any]

    @property
    def expects_refusal(self) -> bool:
        return bool(self.row["expect"] == "refuse")

    @property
    def fake_ip(self) -> bool:
        return bool(self.row.get("profile") == "fake-ip-optin")

    @property
    def options(self) -> tuple[str, ...]:
        """What a person would add on the command line for this profile."""
        return _OPTIONS.get(self.row.get("profile", "default"), ())

    @property
    def redirects(self) -> list[dict[str, Any]]:
        return list(self.row.get("redirects") or ())

    def visits(self) -> list[list[str]]:
        """URLs to ask for, one process each, in worlds of their own. An address is tried as a name's answer and as a literal."""
        if self.row["kind"] != "ip":
            then = self.row.get("then") or []
            return [[self.row["url"], *([then] if isinstance(then, str) else then)]]
        address = self.row["ip"]
        literal = f"http://[{address}]/" if ":" in address else f"http://{address}/"
        return [[literal]] if "%" in address else [[f"http://{_JUDGED}/"], [literal]]

    def names(self) -> dict[str, Answers]:
        """Every name that resolves. A sequence gives one set a look-up."""
        table = {name: [answers] for name, answers in self.row.get("dns", {}).items()}
        table |= self.row.get("dns_sequence", {})
        if self.row["kind"] == "ip" and "%" not in self.row["ip"]:
            table[_JUDGED] = [[self.row["ip"]]]
        return {ascii_name(name): _answers(sets) for name, sets in table.items()}

    def answers(self) -> set[str]:
        """Every address of the case, whatever family and turn."""
        turns = [*self.row.get("dns_sequence", {}).values(), self.row.get("dns", {}).values()]
        answers = {address for sets in turns for answers in sets for address in answers}
        return answers | ({self.row["ip"]} if "ip" in self.row else set())

    def sites(self) -> list[Site]:
        """The hosts of the chain, each giving its redirects in the order in which they are met, then a page."""
        replies: dict[str, list[Reply]] = {}
        for url, redirect in self._chain():
            replies.setdefault(ascii_name(_host(url)), []).append(_redirect(redirect) if redirect else self._page())
        return [
            Site(host, "", {"*": Turns(*own)}, None) for host, own in replies.items() if _may_have_certificate(host)
        ]

    def _chain(self) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """(URL, the redirect it answers with) as RFC 3986 resolves it, up to the page; then the pages of `then`."""
        url, *later = self.visits()[0]
        for redirect in self.redirects:
            yield url, redirect
            if not isinstance(redirect["location"], str):
                return
            url = _join(url, redirect["location"])
        yield url, None
        yield from ((other, None) for other in later)

    def _page(self) -> Reply:
        """The body of the case with a paragraph behind it: a page without text is no success for a reader."""
        given = self.row.get("response_headers", {}).items()
        headers = tuple(
            (name, value) for name, values in given for value in ([values] if isinstance(values, str) else values)
        )
        body = self.row.get("body", "").encode() + _TEXT
        return Reply(headers=(("Content-Type", "text/html; charset=utf-8"), *headers), body=body)


def ascii_name(name: str) -> str:
    """Lower case, A-labels, without one trailing dot; a label IDNA has no form for keeps its plain Punycode."""
    name = name.lower().removesuffix(".")
    try:
        return idna.encode(name, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        return ".".join(_punycode(label) for label in name.split("."))


def _punycode(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()


def _answers(sets: list[list[str]]) -> Answers:
    four = tuple(tuple(address for address in answers if ":" not in address) for answers in sets)
    six = tuple(tuple(address for address in answers if ":" in address) for answers in sets)
    return Answers(a=four, aaaa=six)


def _redirect(step: dict[str, Any]) -> Reply:
    """A line end inside a field cannot be sent: its CR alone can."""
    location = step["location"]
    values = [location] if isinstance(location, str) else location or []
    encoded = [value.replace("\r\n", "\r").encode() for value in values]
    return Reply(step["status"], tuple(("Location", value) for value in encoded))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _join(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _may_have_certificate(host: str) -> bool:
    return (
        "." in host
        and host.isascii()
        and host.replace(".", "").replace("-", "").replace("_", "").isalnum()
        and len(host) < 254
    )
