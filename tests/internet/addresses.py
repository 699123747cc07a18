"""Every address of the sealed internet: where sites live, what is dead, and which blocks are traps.

Public-looking addresses are bound to the namespace's own loopback. Every special-purpose block is routed there too, so
that a connect to any internal address reaches a trap and is recorded. All else has no route: a connect fails at once.
"""

import ipaddress
from typing import Final

WEB: Final = "93.184.216.34"
WEB6: Final = "2606:2800:220:1::34"
SECOND: Final = "93.184.216.35"  # another origin at another address
BARE: Final = "93.184.216.36"  # its certificate names the address, not a host
TLS_SILENT: Final = "93.184.216.37"  # accepts, then says nothing, on every port
TLS_GARBAGE: Final = "93.184.216.38"  # answers anything with bytes that are neither TLS nor HTTP
RESETTING: Final = "93.184.216.39"  # accepts, then resets
CLOSING: Final = "93.184.216.40"  # accepts, then closes
EXTRA: Final = ("93.184.216.41", "93.184.216.42")  # for sites that a test adds
FAKE_IP: Final = "198.18.0.23"  # what a VPN tool with fake addresses answers (RFC 2544 block)
DARK: Final = "93.184.216.50"  # packets vanish: a connect hangs
DARK6: Final = "2606:2800:220:1::50"
MANY_BLOCK: Final = "93.184.217.0/24"  # every address of it reaches the sites
PROXY: Final = "10.0.0.53"  # forward proxies listen here, on ports where no site does
UNREACHABLE: Final = "93.184.216.51"  # a connect fails at once

LOCAL4: Final = (WEB, SECOND, BARE, TLS_SILENT, TLS_GARBAGE, RESETTING, CLOSING, *EXTRA, FAKE_IP)
LOCAL6: Final = (WEB6, "64:ff9b::5db8:d822")  # the second is WEB through NAT64 (RFC 6052)

# IANA special-purpose registries; 127.0.0.0/8 and ::1 are local anyway, multicast takes no TCP.
TRAP_BLOCKS4: Final = (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
)  # fmt: skip
TRAP_BLOCKS6: Final = ("::/3", "fc00::/7", "fe80::/10", "fec0::/10", "2001::/23", "2001:db8::/32", "2002::/16")

HTTP_PORTS: Final = (80, 8000, 8080)
HTTPS_PORTS: Final = (443, 8443)

_NETWORKS: Final = [ipaddress.ip_network(block) for block in (*TRAP_BLOCKS4, *TRAP_BLOCKS6)]


def is_trap(address: str) -> bool:
    """Whether a connect to this address is one that a guard must never make."""
    if address in LOCAL4 or address in LOCAL6:
        return False
    parsed = ipaddress.ip_address(address)
    return any(parsed in network for network in _NETWORKS if network.version == parsed.version)
