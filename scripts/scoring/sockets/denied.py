"""Which addresses nobody may contact: the scorer's own list, so that a hole in the product's table shows as one.

Sources: IANA special-purpose address registries, IPv6 global unicast assignments (only 2000::/3), RFC 6052 for NAT64.
"""

import ipaddress
from typing import Final

_FOUR: Final = (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
    "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
)  # fmt: skip
_SIX: Final = ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20")
_DENIED4: Final = tuple(map(ipaddress.IPv4Network, _FOUR))
_DENIED6: Final = tuple(map(ipaddress.IPv6Network, _SIX))
_FAKE: Final = ipaddress.IPv4Network("198.18.0.0/15")
_GLOBAL: Final = ipaddress.IPv6Network("2000::/3")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


def is_denied(text: str, *, fake_ip: bool = False) -> bool:
    """Whether a connect to this address is a bypass. `fake_ip`: the person has opted into 198.18.0.0/15."""
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None)
        if inner is None:
            scoped = address.scope_id is not None
            return scoped or address not in _GLOBAL or any(address in block for block in _DENIED6)
        address = inner
    if fake_ip and address in _FAKE:
        return False
    return any(address in block for block in _DENIED4)
