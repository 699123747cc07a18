"""Which addresses may be connected to: an own frozen table, so that every Python version gives the same answer.

Addresses are packed: 4 or 16 bytes in network order. The predicates of the standard library's `ipaddress` are not used:
they change with patch releases (cpython gh-113171) and count multicast, NAT64 and unallocated space as global.

Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries, IANA IPv6 Global Unicast Allocations (only 2000::/3 is
given out), RFC 4291 (mapped addresses), RFC 6052 (NAT64), the Azure documentation for 168.63.129.16.
"""

from collections.abc import Sequence
from typing import Final, Literal

from guarded_webfetch.core.reasons import Refusal

AddressClass = Literal[
    "public",
    "this_network",
    "private",
    "shared",  # carrier-grade NAT, RFC 6598
    "loopback",
    "link_local",
    "protocol_assignment",
    "documentation",
    "six_to_four",
    "benchmark",  # 198.18.0.0/15, where VPN and proxy tools put their fake answers
    "multicast",
    "reserved",
    "anycast_service",  # AS112 and AMT: public by registry, but nothing there serves pages
    "cloud_internal",
    "unspecified",
    "unique_local",
    "site_local",
    "translation",
    "retired",
    "unallocated",
    "malformed",
]

_Block = tuple[int, int, AddressClass]  # network as a number, bits to shift away, class

_V4_TABLE: Final[tuple[tuple[str, AddressClass], ...]] = (
    ("0.0.0.0/8", "this_network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud_internal"),  # Azure's wire server: public by registry, internal in every Azure machine
    ("169.254.0.0/16", "link_local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol_assignment"),  # with 192.0.0.192, Oracle's metadata service
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "anycast_service"),
    ("192.52.193.0/24", "anycast_service"),
    ("192.88.99.0/24", "six_to_four"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "anycast_service"),
    ("198.18.0.0/15", "benchmark"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
)

# Inside 2000::/3, the only space IANA has allocated.
_V6_EXCEPTIONS: Final[tuple[tuple[str, AddressClass], ...]] = (
    ("2001::/23", "protocol_assignment"),  # Teredo, ORCHID, AMT and the rest of the protocol block
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "six_to_four"),
    ("2620:4f:8000::/48", "anycast_service"),
    ("3ffe::/16", "retired"),  # 6bone, RFC 3701
    ("3fff::/20", "documentation"),
)

# Outside 2000::/3 everything is refused; these rows only name why. First match wins.
_V6_NAMES: Final[tuple[tuple[str, AddressClass], ...]] = (
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("64:ff9b:1::/48", "translation"),
    ("::ffff:0:0:0/96", "translation"),  # SIIT, RFC 2765
    ("fc00::/7", "unique_local"),
    ("fe80::/10", "link_local"),
    ("fec0::/10", "site_local"),
    ("ff00::/8", "multicast"),
    ("::/0", "unallocated"),
)

_MAPPED_PREFIX: Final = bytes(10) + b"\xff\xff"
_NAT64_PREFIX: Final = b"\x00\x64\xff\x9b" + bytes(8)


def classify_address(packed: bytes) -> AddressClass:
    """The kind of block an address lies in. A mapped or NAT64 address is judged by the IPv4 address inside it."""
    if len(packed) == 4:
        return _find(_V4_BLOCKS, packed) or "public"
    if len(packed) != 16:
        return "malformed"
    if packed[:12] in (_MAPPED_PREFIX, _NAT64_PREFIX):
        return classify_address(packed[12:])
    if packed[0] >> 5 == 0b001:
        return _find(_V6_EXCEPTION_BLOCKS, packed) or "public"
    return _find(_V6_NAME_BLOCKS, packed) or "unallocated"


def is_public(packed: bytes) -> bool:
    """True when a connection to the address may be made."""
    return classify_address(packed) == "public"


def judge_answers(answers: Sequence[bytes], *, fake_ip_allowed: bool = False) -> tuple[bytes, ...]:
    """The addresses to connect to, in the order given, each once, mapped ones as plain IPv4.

    One bad answer refuses the name: a resolver that mixes public and internal answers is being used for rebinding.
    Raises Refusal dns_no_answer, address_not_public, address_mixed, or address_fake_ip when every bad answer lies in
    198.18.0.0/15. `fake_ip_allowed` lets such answers (plain IPv4 only) pass; it must never be used for literals.
    """
    if not answers:
        raise Refusal("dns_no_answer")
    unwrapped = dict.fromkeys(packed[12:] if packed[:12] == _MAPPED_PREFIX else packed for packed in answers)
    bad = [packed for packed in unwrapped if not is_public(packed)]
    fake = [packed for packed in bad if len(packed) == 4 and classify_address(packed) == "benchmark"]
    if bad and len(fake) == len(bad):
        if not fake_ip_allowed:
            raise Refusal("address_fake_ip")
    elif bad:
        raise Refusal("address_not_public" if len(bad) == len(unwrapped) else "address_mixed")
    return tuple(unwrapped)


def parse_ipv4(text: str) -> bytes | None:
    """The packed form of a canonical dotted address; None for every other spelling (octal, hex, short, padded)."""
    parts = text.split(".")
    if len(parts) != 4:
        return None
    numbers = [_decimal_byte(part) for part in parts]
    return None if any(number is None for number in numbers) else bytes(number or 0 for number in numbers)


def parse_ipv6(text: str) -> bytes | None:
    """The packed form of an address in RFC 4291 section 2.2 text, without brackets; None for all else, zone ids too."""
    head, compressed, tail = text.partition("::")
    left, right = _groups(head, last=not compressed), _groups(tail, last=True)
    if left is None or right is None:
        return None
    missing = 16 - len(left) - len(right)
    if (missing < 2) if compressed else (missing != 0):
        return None
    return left + bytes(missing) + right


def format_address(packed: bytes) -> str:
    """Canonical text: dotted, or RFC 5952 lower-case groups with the longest run of zeros compressed.

    The IPv4 part of a mapped address is written as groups, as the WHATWG URL serializer does. ValueError for any other
    length.
    """
    if len(packed) == 4:
        return ".".join(map(str, packed))
    if len(packed) != 16:
        raise ValueError("an address has 4 or 16 bytes")
    groups = [f"{packed[i] << 8 | packed[i + 1]:x}" for i in range(0, 16, 2)]
    start, length = _longest_zero_run(groups)
    if length < 2:
        return ":".join(groups)
    return ":".join(groups[:start]) + "::" + ":".join(groups[start + length :])


def _longest_zero_run(groups: list[str]) -> tuple[int, int]:
    """(start, length) of the first longest run of "0"."""
    best_start, best_length, length = 0, 0, 0
    for index, group in enumerate(groups):
        length = length + 1 if group == "0" else 0
        if length > best_length:
            best_start, best_length = index - length + 1, length
    return best_start, best_length


def _decimal_byte(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()) or len(text) > 3 or (len(text) > 1 and text[0] == "0"):
        return None
    number = int(text)
    return number if number < 256 else None


_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


def _groups(text: str, *, last: bool) -> bytes | None:
    """Packed groups of one side of "::"; an IPv4 tail may end the `last` side."""
    packed = b""
    parts = text.split(":") if text else []
    for index, part in enumerate(parts):
        if "." in part and last and index == len(parts) - 1:
            tail = parse_ipv4(part)
            if tail is None:
                return None
            packed += tail
        elif 1 <= len(part) <= 4 and _HEX_DIGITS.issuperset(part):
            packed += int(part, 16).to_bytes(2, "big")
        else:
            return None
    return packed


def _compile(table: tuple[tuple[str, AddressClass], ...]) -> tuple[_Block, ...]:
    blocks: list[_Block] = []
    for text, kind in table:
        network, _, prefix = text.partition("/")
        packed = parse_ipv4(network) or parse_ipv6(network) or b""
        shift = len(packed) * 8 - int(prefix)
        blocks.append((int.from_bytes(packed, "big") >> shift, shift, kind))
    return tuple(blocks)


def _find(blocks: tuple[_Block, ...], packed: bytes) -> AddressClass | None:
    number = int.from_bytes(packed, "big")
    return next((kind for network, shift, kind in blocks if number >> shift == network), None)


_V4_BLOCKS: Final = _compile(_V4_TABLE)
_V6_EXCEPTION_BLOCKS: Final = _compile(_V6_EXCEPTIONS)
_V6_NAME_BLOCKS: Final = _compile(_V6_NAMES)
