"""What names resolve to beyond the hosts of `sites`: internal answers, rebinding, silence, dead addresses."""

from typing import Final

from tests.internet.addresses import DARK, DARK6, FAKE_IP, PROXY, SECOND, UNREACHABLE, WEB, WEB6
from tests.internet.dns import NOERROR, REFUSED, SERVFAIL, Answers, fixed

_ZONE: Final = "canal-journal.com"

_BY_LABEL: Final[dict[str, Answers]] = {
    # internal addresses
    "loop": fixed("127.0.0.1"),
    "loop6": fixed("::1"),
    "inner": fixed("10.0.0.1"),
    "ula": fixed("fd00::1"),
    "metadata": fixed("169.254.169.254"),
    "cgnat": fixed("100.64.0.1"),
    "zero": fixed("0.0.0.0"),
    "mapped": fixed("::ffff:10.0.0.1"),
    "nat64-inner": fixed("64:ff9b::a00:1"),
    "mixed": fixed(WEB, "10.0.0.1"),
    "mixed6": fixed(WEB, "fd00::1"),
    "fake-ip": fixed(FAKE_IP),
    "proxy": fixed(PROXY),
    "alias-inner": Answers(a=(("10.0.0.1",),), alias="inner.canal-journal.com"),
    "*.rebind": Answers(a=((WEB,), ("127.0.0.1",))),  # a fresh label has a fresh sequence
    # no answer, or not a useful one
    "nodata": Answers(rcode=NOERROR),
    "servfail": Answers(rcode=SERVFAIL),
    "refused": Answers(rcode=REFUSED),
    "hang": Answers(silent=True),
    "slow-name": Answers(a=((WEB,),), delay_s=1.5),
    # legitimate, but unusual
    "alias": Answers(a=((WEB,),), alias="edge.cdn-canal-journal.net"),
    "many": Answers(a=((WEB, *(f"93.184.217.{n}" for n in range(1, 100))),)),  # only over TCP
    "six": fixed(WEB6),
    "both": fixed(WEB, WEB6),
    "nat64": fixed("64:ff9b::5db8:d822"),
    "dead-six": fixed(WEB, DARK6),
    "half-dark": fixed(DARK, SECOND),
    "dark": fixed(DARK),
    "unreachable": fixed(UNREACHABLE),
}

NAMES: Final[dict[str, Answers]] = {f"{label}.{_ZONE}": answers for label, answers in _BY_LABEL.items()}

# Names of the list that lead to a site, with what is special about them; `sites` gives each the example page.
SERVED: Final[dict[str, str]] = {
    f"{label}.{_ZONE}": about
    for label, about in {
        "mixed": "a public and an internal address",
        "mixed6": "a public IPv4 and an internal IPv6 address",
        "fake-ip": "an address of 198.18.0.0/15, as VPN tools answer",
        "*.rebind": "first a public address, then 127.0.0.1; each label counts by itself",
        "slow-name": "the name server takes 1.5 s",
        "alias": "a CNAME into another domain",
        "many": "100 addresses, more than fit a UDP answer",
        "six": "IPv6 only",
        "both": "IPv4 and IPv6",
        "nat64": "IPv6 through NAT64, a public address inside",
        "dead-six": "IPv6 address where packets vanish, IPv4 works",
        "half-dark": "one IPv4 address where packets vanish, one that works",
        "dark": "packets vanish",
        "unreachable": "no route",
    }.items()
}
# not listed, so NXDOMAIN: missing.canal-journal.com
