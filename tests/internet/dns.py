"""A small name server (RFC 1035): fixed answers, sequences, refusals, silence and slowness, as the zone says."""

import ipaddress
import struct
from dataclasses import dataclass, field
from typing import Final, NamedTuple

NOERROR: Final = 0
SERVFAIL: Final = 2
NXDOMAIN: Final = 3
REFUSED: Final = 5
TYPES: Final = {1: "A", 5: "CNAME", 28: "AAAA"}
UDP_LIMIT_BYTES: Final = 512  # RFC 1035 section 4.2.1; a longer answer is cut and asked for again over TCP


@dataclass(frozen=True)
class Answers:
    """What one name answers. `a` and `aaaa` list address sets, one a lookup; the last one stays."""

    a: tuple[tuple[str, ...], ...] = ()
    aaaa: tuple[tuple[str, ...], ...] = ()
    rcode: int = NOERROR
    delay_s: float = 0.0
    silent: bool = False
    alias: str | None = None  # CNAME the addresses stand behind


def fixed(*addresses: str) -> Answers:
    """The same addresses at every lookup, IPv4 and IPv6 sorted out."""
    four = tuple(address for address in addresses if ":" not in address)
    six = tuple(address for address in addresses if ":" in address)
    return Answers(a=(four,), aaaa=(six,))


class Question(NamedTuple):
    name: str  # lower case, no trailing dot
    type: int
    wire: bytes


class Answer(NamedTuple):
    """What to send (None: nothing), when, and what the log says about it."""

    packet: bytes | None
    delay_s: float
    addresses: tuple[str, ...]
    rcode: int


@dataclass
class Zone:
    """Names, also `*.suffix`; what is not listed does not exist."""

    names: dict[str, Answers]
    _asked: dict[tuple[str, int], int] = field(default_factory=dict)

    def set(self, name: str, answers: Answers) -> None:
        """Replaces a name and starts its sequences again."""
        self.names[name.lower()] = answers
        for kind in TYPES:
            self._asked.pop((name.lower(), kind), None)

    def find(self, name: str) -> Answers:
        wild = "*." + name.partition(".")[2]
        return self.names.get(name) or self.names.get(wild) or Answers(rcode=NXDOMAIN)

    def answer(self, packet: bytes, *, over_udp: bool) -> tuple[Question, Answer]:
        """Question and answer of one packet. Raises ValueError when it is not a plain query."""
        question = parse_question(packet)
        found = self.find(question.name)
        addresses = self._addresses(question, found)
        if found.silent:
            return question, Answer(None, 0.0, (), found.rcode)
        reply = build_answer(packet[:2], question, found, addresses)
        if over_udp and len(reply) > UDP_LIMIT_BYTES:
            reply = _header(packet[:2], found.rcode, 0, truncated=True) + question.wire
        return question, Answer(reply, found.delay_s, addresses, found.rcode)

    def _addresses(self, question: Question, found: Answers) -> tuple[str, ...]:
        sets = {1: found.a, 28: found.aaaa}.get(question.type, ())
        if not sets:
            return ()
        key = (question.name, question.type)
        turn = self._asked.get(key, 0)
        self._asked[key] = turn + 1
        return sets[min(turn, len(sets) - 1)]


def parse_question(packet: bytes) -> Question:
    """The one question of a query."""
    if len(packet) < 17 or packet[2] & 0x80 or struct.unpack_from(">H", packet, 4)[0] != 1:
        raise ValueError("not a query with one question")
    labels: list[str] = []
    at = 12
    while at < len(packet) and packet[at]:
        labels.append(packet[at + 1 : at + 1 + packet[at]].decode("latin-1"))
        at += 1 + packet[at]
    if at + 5 > len(packet):
        raise ValueError("question cut short")
    kind = struct.unpack_from(">H", packet, at + 1)[0]
    return Question(".".join(labels).lower(), kind, packet[12 : at + 5])


def build_answer(ident: bytes, question: Question, found: Answers, addresses: tuple[str, ...]) -> bytes:
    records = []
    owner = b"\xc0\x0c"  # pointer to the name in the question
    if found.alias and (addresses or found.a or found.aaaa):
        owner = _labels(found.alias)
        records.append(_record(b"\xc0\x0c", 5, owner))
    records += [_record(owner, question.type, ipaddress.ip_address(address).packed) for address in addresses]
    return _header(ident, found.rcode, len(records)) + question.wire + b"".join(records)


def _header(ident: bytes, rcode: int, answers: int, *, truncated: bool = False) -> bytes:
    flags = 0x8580 | (0x0200 if truncated else 0) | rcode  # answer, authoritative, recursion asked for and available
    return ident + struct.pack(">HHHHH", flags, 1, answers, 0, 0)


def _record(owner: bytes, kind: int, data: bytes) -> bytes:
    return owner + struct.pack(">HHIH", kind, 1, 0, len(data)) + data  # class IN, TTL 0


def _labels(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"
