"""One lookup. getaddrinfo needs files and sockets, so this child's lock is wider; its deadline is the broker's kill."""

import socket
from typing import Final

from guarded_webfetch.core import dns_answers
from guarded_webfetch.core.limits import MAX_DNS_ANSWERS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc.channel import Channel, Lock

# "This name has no address" in the words of glibc; musl and macOS lack some of them. All else is a failed lookup.
_NO_ANSWER: Final = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY") if hasattr(socket, name)
)
_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)


def main(channel: Channel, lock: Lock) -> None:
    """Answers one message {"host": name} with one bytes frame, see `core.dns_answers`."""
    channel.send_ready(lock())
    host: str = channel.receive_message()["host"]
    try:
        answers = look_up(host)
    except Refusal as refusal:
        channel.fail(refusal.code)
    channel.send_bytes(dns_answers.encode(answers))


def look_up(host: str) -> list[bytes]:
    """The distinct packed addresses of an ASCII name, in the system's order; Refusal dns_no_answer or dns_failed.

    Asked as bytes with a trailing dot: neither Python's idna codec nor a search list may turn the name into another.
    """
    name = host.removesuffix(".").encode("ascii") + b"."
    try:
        rows = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise Refusal("dns_no_answer" if error.errno in _NO_ANSWER else "dns_failed") from error
    except OSError as error:
        raise Refusal("dns_failed") from error
    packed = [_packed(family, str(address[0])) for family, _, _, _, address in rows if family in _FAMILIES]
    answers = list(dict.fromkeys(packed))[:MAX_DNS_ANSWERS]
    if not answers:
        raise Refusal("dns_no_answer")
    return answers


def _packed(family: int, address: str) -> bytes:
    return socket.inet_pton(family, address.partition("%")[0])  # a zone ("fe80::1%eth0") is no part of the address
