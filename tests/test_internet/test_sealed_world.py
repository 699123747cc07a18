"""The sealed internet itself, seen with the standard library from inside: names, certificates, pages, traps, no way out."""

import json
import socket
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from tests.internet import addresses, sites
from tests.internet.client import Result, SealedInternet
from tests.internet.dns import Answers, fixed
from tests.internet.http_server import TRAP_MARKER
from tests.internet.replies import Reply, Site

pytestmark = pytest.mark.sealed

LOOK_UP = """
import json, socket, sys
out = []
for name in sys.argv[1:]:
    try:
        found = socket.getaddrinfo(name + ".", 80, type=socket.SOCK_STREAM)
        out.append(sorted({item[4][0] for item in found}))
    except socket.gaierror as problem:
        out.append(problem.errno)
print(json.dumps(out))
"""

GET = """
import http.client, sys, urllib.request, urllib.error
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for url in sys.argv[1:]:
    try:
        with opener.open(url, timeout=3) as answer:
            print(answer.status, len(answer.read()))
    except urllib.error.HTTPError as problem:
        print(problem.code, len(problem.read()))
    except (OSError, http.client.HTTPException) as problem:
        print(type(getattr(problem, "reason", problem)).__name__, getattr(problem, "reason", problem))
"""

CONNECT = """
import socket, sys, time
for address in sys.argv[1:]:
    started = time.monotonic()
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as sock:
        sock.settimeout(1)
        try:
            sock.connect((address, 80))
            print("open")
        except TimeoutError:
            print("dark")
        except OSError as problem:
            print(problem.errno if time.monotonic() - started < 0.5 else "slow")
"""

ENETUNREACH = "101"
EHOSTUNREACH = "113"


def python(net: SealedInternet, code: str, *arguments: str) -> Result:
    result = net.run([sys.executable, "-I", "-S", "-c", code, *arguments], timeout=30, env={})
    assert result.returncode == 0, result.stderr
    return result


def look_up(net: SealedInternet, *names: str) -> list[Any]:
    return list(json.loads(python(net, LOOK_UP, *names).stdout))


def get(net: SealedInternet, *urls: str) -> list[str]:
    return python(net, GET, *urls).stdout.splitlines()


def connect(net: SealedInternet, targets: Sequence[str]) -> list[str]:
    return python(net, CONNECT, *targets).stdout.split()


def test_names_resolve_as_the_zone_says(sealed_internet: SealedInternet) -> None:
    names = ("example.com", "both.canal-journal.com", "six.canal-journal.com", "mixed.canal-journal.com")
    answers = look_up(sealed_internet, *names)
    assert answers[0] == [addresses.WEB]
    assert answers[1] == [addresses.WEB6, addresses.WEB]
    assert answers[2] == [addresses.WEB6]
    assert answers[3] == ["10.0.0.1", addresses.WEB]


def test_a_long_answer_comes_whole_over_tcp(sealed_internet: SealedInternet) -> None:
    mark = sealed_internet.mark()
    assert len(look_up(sealed_internet, "many.canal-journal.com")[0]) == 100
    assert "tcp" in [entry["over"] for entry in sealed_internet.log(mark).dns]


def test_missing_and_failing_names_are_told_apart(sealed_internet: SealedInternet) -> None:
    names = ("missing.canal-journal.com", "unheard-of.com", "nodata.canal-journal.com", "servfail.canal-journal.com")
    missing, unheard, nodata, servfail = look_up(sealed_internet, *names)
    assert missing == unheard == socket.EAI_NONAME
    assert nodata in (socket.EAI_NODATA, socket.EAI_NONAME)
    assert servfail == socket.EAI_AGAIN


def test_a_rebinding_name_changes_after_its_first_lookup(sealed_internet: SealedInternet) -> None:
    name, fresh = "a.rebind.canal-journal.com", "b.rebind.canal-journal.com"
    assert look_up(sealed_internet, name, name, name) == [[addresses.WEB], ["127.0.0.1"], ["127.0.0.1"]]
    assert look_up(sealed_internet, fresh) == [[addresses.WEB]]


def test_a_name_that_hangs_is_logged_and_not_answered(sealed_internet: SealedInternet) -> None:
    running = sealed_internet.start([sys.executable, "-I", "-S", "-c", LOOK_UP, "hang.canal-journal.com"], env={})
    assert running.poll(0.7) is None
    running.signal(9)
    result = running.wait(5)
    assert result.returncode == -9
    assert {entry["name"] for entry in result.log.dns} == {"hang.canal-journal.com"}
    assert not result.log.connects


def test_pages_load_with_default_verification(sealed_internet: SealedInternet) -> None:
    size = (sites.PAGES / "lock-gates.html").stat().st_size
    urls = ("http://example.com/", "https://example.com/", "https://news.canal-journal.com/articles/lock-gates")
    plain, secure, article = get(sealed_internet, *urls)
    assert plain == secure
    assert article == f"200 {size}"
    assert 40_000 < size < 60_000


@pytest.mark.parametrize(
    "host", ["expired", "wrong-name", "self-signed", "missing-intermediate", "address-certificate"]
)
def test_a_bad_certificate_is_refused_by_default_verification(sealed_internet: SealedInternet, host: str) -> None:
    (line,) = get(sealed_internet, f"https://{host}.canal-journal.com/")
    assert line.startswith("SSLCertVerificationError")


def test_a_certificate_may_name_an_address(sealed_internet: SealedInternet) -> None:
    (good, bad) = get(sealed_internet, f"https://{addresses.BARE}/", f"https://{addresses.WEB}/")
    assert good.startswith("200 ")
    assert bad.startswith("SSLCertVerificationError")


def test_the_hashed_folder_of_certificates_knows_the_root_too(sealed_internet: SealedInternet) -> None:
    code = """
import os, socket, ssl
paths = ssl.get_default_verify_paths()
if not paths.capath or not any(name.endswith(".0") for name in os.listdir(paths.capath)):
    raise SystemExit("no such folder")
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.load_verify_locations(capath=paths.capath)
with socket.create_connection(("example.com", 443)) as sock, context.wrap_socket(sock, server_hostname="example.com"):
    print("trusted")
"""
    result = sealed_internet.run([sys.executable, "-I", "-S", "-c", code], env={})
    if "no such folder" in result.stderr:
        pytest.skip("this system keeps no hashed folder of certificates")
    assert result.stdout == "trusted\n", result.stderr


def test_nothing_leaves(sealed_internet: SealedInternet) -> None:
    away = ["8.8.8.8", "1.1.1.1", "93.184.216.99", "2606:4700:4700::1111"]
    assert connect(sealed_internet, away) == [ENETUNREACH] * len(away)


def test_dead_addresses_hang_or_fail(sealed_internet: SealedInternet) -> None:
    dead = [addresses.DARK, addresses.DARK6, addresses.UNREACHABLE]
    assert connect(sealed_internet, dead) == ["dark", "dark", EHOSTUNREACH]


TRAPS = [
    "127.0.0.1",
    "127.1.2.3",
    "10.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.168.1.1",
    "172.31.0.1",
    "240.0.0.1",
]
TRAPS6 = ["::1", "fd00::1", "2001:db8::1", "2002:a00:1::1", "64:ff9b::a00:1", "::ffff:10.0.0.1"]


def test_every_contact_with_an_internal_address_is_recorded(sealed_internet: SealedInternet) -> None:
    mark = sealed_internet.mark()
    assert connect(sealed_internet, TRAPS + TRAPS6) == ["open"] * len(TRAPS + TRAPS6)
    seen = [entry["address"] for entry in sealed_internet.log(mark).traps]
    assert sorted(seen) == sorted([*TRAPS, *TRAPS6[:-1], "10.0.0.1"])  # an IPv4-mapped connect is an IPv4 connect


def test_sites_are_no_traps(sealed_internet: SealedInternet) -> None:
    mark = sealed_internet.mark()
    sites_only = [addresses.WEB, addresses.WEB6, addresses.FAKE_IP, "64:ff9b::5db8:d822"]
    assert connect(sealed_internet, sites_only) == ["open"] * 4
    log = sealed_internet.log(mark)
    assert len(log.connects) == 4
    assert not log.traps


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254"])
def test_a_trap_shows_a_page_with_a_marker(sealed_internet: SealedInternet, address: str) -> None:
    for port in (80, 8080):
        result = python(
            sealed_internet,
            "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())",
            f"http://{address}:{port}/any",
        )
        assert TRAP_MARKER in result.stdout
        assert [entry["target"] for entry in result.log.requests] == ["/any"]


def test_the_chain_from_http_to_https_to_www(sealed_internet: SealedInternet) -> None:
    result = python(sealed_internet, GET, "http://canal-journal.com/")
    assert result.stdout.startswith("200 ")
    seen = [(entry["tls"], entry["host"]) for entry in result.log.requests]
    assert seen == [(False, "canal-journal.com"), (True, "canal-journal.com"), (True, "www.canal-journal.com")]


def test_the_soft_404_and_the_cut_body(sealed_internet: SealedInternet) -> None:
    soft, cut = get(sealed_internet, "https://status.canal-journal.com/404", "https://odd.canal-journal.com/half")
    assert soft == f"404 {(sites.PAGES / 'not-found.html').stat().st_size}"
    assert cut.startswith("IncompleteRead")


def test_a_test_can_add_sites_names_and_addresses(sealed_internet: SealedInternet) -> None:
    reply = Reply(headers=(("Content-Type", "text/plain"),), body=b"added" * 200_000)
    sealed_internet.add_site(Site("added.harbour-times.net", "made by a test", {"/": reply}, ("198.41.0.4",)))
    sealed_internet.add_address("198.41.0.4")
    (line,) = get(sealed_internet, "https://added.harbour-times.net/")
    assert line == "200 1000000"
    sealed_internet.set_name("Added.harbour-times.net", fixed("10.9.8.7"))
    assert look_up(sealed_internet, "added.harbour-times.net") == [["10.9.8.7"]]
    sealed_internet.set_name("added.harbour-times.net", Answers(a=(("10.9.8.7",), ("10.9.8.6",))))
    assert look_up(sealed_internet, "added.harbour-times.net", "added.harbour-times.net") == [
        ["10.9.8.7"],
        ["10.9.8.6"],
    ]
