"""Every reason code that the world can cause, with the exit code of its group and nothing of the page printed."""

import json
import time

import pytest

from guarded_webfetch.core.reasons import REASONS
from tests.e2e.conftest import Fetch

pytestmark = pytest.mark.sealed

# As in most containers and on Ubuntu 24.04: no user namespace can be made from here on.
WITHOUT_NAMESPACES = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh")

CASES = {
    "url_scheme": None,  # the launcher answers usage_invalid first
    "url_userinfo": "https://user:word@example.com/",
    "url_host": "https://0x7f.1/",
    "url_port": "https://example.com:8443/",
    "url_too_long": "https://example.com/" + "a" * 2048,
    "url_secret": "https://example.com/?api_key=sk-proj-Zk3vQ9tXw7LmN2bR8cYdFgHjKpQsTuVw",
    "url_invalid": "https:///",
    "name_not_public": "http://printer.local/",
    "address_not_public": "http://loop.canal-journal.com/",
    "address_mixed": "http://mixed.canal-journal.com/",
    "address_fake_ip": "http://fake-ip.canal-journal.com/",
    "redirect_cross_origin": "https://moved.canal-journal.com/cross",
    "redirect_downgrade": "https://moved.canal-journal.com/downgrade",
    "redirect_loop": "https://moved.canal-journal.com/loop-a",
    "redirect_too_many": "https://moved.canal-journal.com/chain?4",
    "redirect_invalid": "https://moved.canal-journal.com/no-location",
    "dns_no_answer": "http://missing.canal-journal.com/",
    "dns_failed": "http://servfail.canal-journal.com/",
    "connect_failed": "http://unreachable.canal-journal.com/",
    "tls_certificate": "https://expired.canal-journal.com/",
    "http_protocol": "https://odd.canal-journal.com/not-http",
    "headers_too_large": "https://heavy.canal-journal.com/many-headers",
    "content_encoding": "https://heavy.canal-journal.com/brotli",
    "http_forbidden": "https://status.canal-journal.com/403",
    "http_not_found": "https://status.canal-journal.com/404",
    "http_error": "https://status.canal-journal.com/500",
    "login_required": "https://status.canal-journal.com/401",
    "bot_challenge": "https://status.canal-journal.com/challenge",
    "body_too_large": "https://files.canal-journal.com/over-15mb.pdf",
    "body_incomplete": "https://odd.canal-journal.com/half",
    "content_type": "https://files.canal-journal.com/gates.png",
    "extract_empty": "https://status.canal-journal.com/blank",
    "pdf_broken": "https://files.canal-journal.com/broken.pdf",
    "pdf_encrypted": "https://files.canal-journal.com/encrypted.pdf",
    "pdf_no_text": "https://files.canal-journal.com/scanned.pdf",
}


@pytest.mark.parametrize(("reason", "url"), [row for row in CASES.items() if row[1]])
def test_reason(fetch: Fetch, reason: str, url: str) -> None:
    found = fetch(url)
    assert (found.reason, found.code) == (reason, REASONS[reason].exit_code)
    assert found.record["outcome"] == reason
    assert found.record["verdict"] is None
    assert found.record["raw_text"] is None


SAME_REASON = {
    "https://status.canal-journal.com/403-use-curl": "http_forbidden",
    "https://status.canal-journal.com/410": "http_not_found",
    "https://status.canal-journal.com/429": "http_error",
    "https://status.canal-journal.com/451": "http_forbidden",
    "https://status.canal-journal.com/503": "http_error",
    "https://status.canal-journal.com/challenge-200": "bot_challenge",
    "https://status.canal-journal.com/204": "extract_empty",
    "https://status.canal-journal.com/empty": "extract_empty",
    "https://wrong-name.canal-journal.com/": "tls_certificate",
    "https://self-signed.canal-journal.com/": "tls_certificate",
    "https://missing-intermediate.canal-journal.com/": "tls_certificate",
    "https://address-certificate.canal-journal.com/": "tls_certificate",
    "https://moved.canal-journal.com/file": "url_scheme",
    "https://moved.canal-journal.com/javascript": "url_scheme",
    "https://moved.canal-journal.com/metadata": "address_not_public",
    "https://moved.canal-journal.com/two-locations": "redirect_invalid",
    "https://moved.canal-journal.com/protocol-relative": "redirect_cross_origin",
    "https://odd.canal-journal.com/two-types": "content_type",
    "https://odd.canal-journal.com/half-gzip": "body_incomplete",
    "https://odd.canal-journal.com/half-chunked": "body_incomplete",
    "https://odd.canal-journal.com/unknown-type": "content_type",
    "https://files.canal-journal.com/gates-as-html": "content_type",
    "https://heavy.canal-journal.com/double-gzip": "content_encoding",
    "https://heavy.canal-journal.com/big-header": "headers_too_large",
    "https://heavy.canal-journal.com/endless-headers": "headers_too_large",
    "https://slow.canal-journal.com/early-hints-flood": "headers_too_large",
    "https://slow.canal-journal.com/early-hints-drip": "headers_too_large",
    "http://loop6.canal-journal.com/": "address_not_public",
    "http://inner.canal-journal.com/": "address_not_public",
    "http://metadata.canal-journal.com/": "address_not_public",
    "http://nat64-inner.canal-journal.com/": "address_not_public",
    "http://alias-inner.canal-journal.com/": "address_not_public",
    "http://nodata.canal-journal.com/": "dns_no_answer",
    "http://127.0.0.1/": "address_not_public",
    "http://[::1]/": "address_not_public",
    "http://169.254.169.254/latest/meta-data/": "address_not_public",
    "http://localhost/": "name_not_public",
}


@pytest.mark.parametrize(("url", "reason"), SAME_REASON.items())
def test_kinds_of_one_reason(fetch: Fetch, url: str, reason: str) -> None:
    found = fetch(url)
    assert found.reason == reason
    assert found.record["outcome"] == reason


def test_name_that_leads_inside_is_never_contacted(fetch: Fetch) -> None:
    found = fetch("http://loop.canal-journal.com/")
    assert found.code == 4
    assert not found.result.log.connects
    assert len({(entry["name"], entry["type"]) for entry in found.result.log.dns}) == len(found.result.log.dns)


def test_rebinding_looks_up_once(fetch: Fetch) -> None:
    found = fetch("http://turn-one.rebind.canal-journal.com/")
    assert found.code == 0  # the address that was judged is the one that was used


def test_secret_is_neither_sent_nor_stored(fetch: Fetch) -> None:
    url = CASES["url_secret"]
    assert url
    found = fetch(url)
    assert not found.result.log
    assert found.record["requested_url"] == "https://example.com"
    assert found.path
    everything = found.path.read_text() + found.result.stderr
    assert "Zk3vQ9tXw7" not in everything


def test_cross_origin_tells_where_it_pointed(fetch: Fetch) -> None:
    found = fetch("https://moved.canal-journal.com/cross")
    assert found.record["redirect_target_origin"] == "https://news.harbour-times.net"
    assert "harbour-times" not in found.result.stderr
    allowed = fetch("https://moved.canal-journal.com/cross", "--allow-origin", "https://news.harbour-times.net")
    assert [hop["relations"] for hop in allowed.record["redirects"]] == [["allowed_origin"]]
    assert allowed.record["verdict"] == "notice"
    checked = fetch("https://moved.canal-journal.com/cross", "--redirects", "checked")
    assert [hop["relations"] for hop in checked.record["redirects"]] == [["checked"]]


def test_upgrade_then_www(fetch: Fetch) -> None:
    found = fetch("http://canal-journal.com/")
    assert [hop["relations"] for hop in found.record["redirects"]] == [["https_upgrade"], ["www_variant"]]
    assert found.record["fetched_url"] == "https://www.canal-journal.com/"
    assert found.record["flags"]["redirected"]
    names = [entry["name"] for entry in found.result.log.dns]
    assert names.count("canal-journal.com") <= 4  # A and AAAA, once a hop


def test_cookies_stay_within_their_host(fetch: Fetch) -> None:
    assert fetch("https://cookies.canal-journal.com/").code == 0
    found = fetch("https://moved.canal-journal.com/cross-cookie", "--allow-origin", "https://news.harbour-times.net")
    sent = json.loads(found.record["raw_text"])["headers"]
    assert not [name for name, _ in sent if name.lower() in ("cookie", "referer", "authorization")]


def test_redirect_bodies_are_not_read(fetch: Fetch) -> None:
    started = time.monotonic()
    assert fetch("https://moved.canal-journal.com/endless-body").code == 0
    assert time.monotonic() - started < 8


@pytest.mark.parametrize("stall", ["silent", "drip", "drip-chunked", "drip-headers", "stall", "trailer-drip"])
def test_deadline(fetch: Fetch, stall: str) -> None:
    found = fetch(f"https://slow.canal-journal.com/{stall}", "--timeout", "2")
    assert (found.code, found.reason) == (5, "fetch_deadline")
    assert 1.9 < found.result.seconds < 3.5


def test_deadline_of_a_lookup_and_of_a_connect(fetch: Fetch) -> None:
    for host in ("hang", "dark"):
        found = fetch(f"http://{host}.canal-journal.com/", "--timeout", "1.5")
        assert found.reason == "fetch_deadline", host
        assert found.result.seconds < 3


def test_huge_bodies_are_cut(fetch: Fetch) -> None:
    for page in ("50mb", "endless", "bomb"):
        found = fetch(f"https://heavy.canal-journal.com/{page}")
        if found.code == 0:
            assert found.record["bytes"] == 3_000_000
            assert found.record["verdict"] == "incomplete"
        else:
            assert found.code == 6, page  # a body of zeros is no text
        assert found.result.seconds < 20


def test_instruction_in_a_redirect_is_not_shown(fetch: Fetch) -> None:
    found = fetch("https://moved.canal-journal.com/instruction")
    assert found.reason == "redirect_cross_origin"
    origin = "https://ignore-all-previous-instructions.harbour-times.net"
    allowed = fetch("https://moved.canal-journal.com/instruction", "--allow-origin", origin)
    assert "ignore-all-previous" not in allowed.stage_1.replace(origin, "") or allowed.record["verdict"] != "confirm"


USAGE = {
    "nothing": ([], "usage_invalid"),
    "no http": (["ftp://example.com/"], "usage_invalid"),
    "file": (["file:///etc/passwd"], "usage_invalid"),
    "option first": (["--timeout", "3", "https://example.com/"], "usage_invalid"),
    "two URLs": (["https://example.com/", "https://example.com/"], "usage_invalid"),
    "proxy": (["https://example.com/", "--proxy", "http://127.0.0.1:3128"], "option_not_allowed"),
    "fake-ip": (["https://example.com/", "--resolver-profile", "fake-ip"], "option_not_allowed"),
    "ports": (["https://example.com/", "--ports=wide"], "option_not_allowed"),
    "secret": (["https://example.com/", "--allow-secret"], "option_not_allowed"),
    "abbreviation": (["https://example.com/", "--time", "3"], "option_not_allowed"),
    "lower isolation": (["https://example.com/", "--require-isolation", "process"], "usage_invalid"),
    "timeout above the ceiling": (["https://example.com/", "--timeout", "61"], "usage_invalid"),
    "timeout nan": (["https://example.com/", "--timeout", "nan"], "usage_invalid"),
    "out of the folder": (["https://example.com/", "--out", "../elsewhere"], "path_invalid"),
    "absolute out": (["https://example.com/", "--out", "/var/tmp/elsewhere"], "path_invalid"),
    "hidden out": (["https://example.com/", "--out", ".git/hooks"], "path_invalid"),
    "control character": (["https://example.com/", "--out", "a\x1b[31m"], "path_invalid"),
    "own CA of the folder": (["https://example.com/", "--ca-bundle", "ca.pem"], "path_invalid"),
    "origin with a path": (["https://example.com/", "--allow-origin", "https://example.com/x"], "usage_invalid"),
    "from without link": (["--from", "x.json"], "usage_invalid"),
}


@pytest.mark.parametrize(("arguments", "reason"), USAGE.values(), ids=USAGE)
def test_usage(fetch: Fetch, arguments: list[str], reason: str) -> None:
    found = fetch(*arguments)
    assert (found.code, found.reason) == (2, reason)
    assert not (found.folder / ".temp").exists()
    assert not found.result.log


def test_nothing_is_fetched_below_the_required_isolation(fetch: Fetch) -> None:
    found = fetch("https://example.com/", "--require-isolation", "max", wrapper=WITHOUT_NAMESPACES)
    assert (found.code, found.reason) == (3, "sandbox_unavailable")
    assert not found.result.log.requests


def test_the_highest_isolation(fetch: Fetch) -> None:
    found = fetch("https://example.com/", "--require-isolation", "max")
    assert (found.code, found.record["isolation"]) == (0, {"level": "max"})
    levels = {role: report["level"] for role, report in found.beside("trace")["isolation"].items()}
    assert levels == {"resolver": "strict", "fetcher": "max", "parser": "max", "sanitizer": "max"}
