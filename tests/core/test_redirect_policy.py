"""The redirect decision: relations, refusals, and what browsers and the RFC read differently."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core.limits import MAX_REDIRECT_ORIGIN_CHARS, MAX_REDIRECTS, MAX_URL_CHARS
from guarded_webfetch.core.reasons import REASONS, Refusal
from guarded_webfetch.core.redirect_policy import decide, resolve
from guarded_webfetch.core.url_policy import WIDE_PORTS, parse_url

CASES = json.loads((Path(__file__).parents[1] / "cases" / "redirect_policy.json").read_text("utf-8"))
HERE = parse_url("https://example.com/a/b?c")


def follow(location: bytes, current=HERE, **options):
    return decide(current, 302, [location], **{"visited": [current.text], **options})


@pytest.mark.parametrize("row", CASES["followed"], ids=lambda row: row["why"])
def test_followed(row):
    hop = follow(row["to"].encode(), parse_url(row["from"]))
    assert (hop.url.text, list(hop.relations)) == (row["url"], row["relations"])


@pytest.mark.parametrize("row", CASES["refused"], ids=lambda row: row["why"])
def test_refused(row):
    with pytest.raises(Refusal) as refusal:
        follow(row["to"].encode(), parse_url(row["from"]))
    assert (refusal.value.code, refusal.value.origin) == (row["code"], row.get("origin"))


def test_bytes_beyond_ascii_are_kept_one_by_one():
    assert follow(b"/caf\xe9?\x93\xfa").url.target == "/caf%E9?%93%FA"
    with pytest.raises(Refusal, match="redirect_invalid"):
        follow(b"https://caf\xe9.example.com/")


@pytest.mark.parametrize("locations", [[], [b"/a", b"/b"], [b"/a", b"/a"]])
def test_a_missing_or_repeated_location_is_refused(locations):
    with pytest.raises(Refusal, match="redirect_invalid"):
        decide(HERE, 302, locations, visited=[HERE.text])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_statuses(status):
    assert decide(HERE, status, [b"/x"], visited=[HERE.text]).url.target == "/x"


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306, 309, 404])
def test_other_statuses_are_never_followed(status):
    with pytest.raises(Refusal, match="http_error"):
        decide(HERE, status, [b"/x"], visited=[HERE.text])


@pytest.mark.parametrize("asked", [1, MAX_REDIRECTS, MAX_REDIRECTS + 1])
def test_the_number_of_redirects(asked):
    visited = [f"https://example.com/{n}" for n in range(asked - 1)] + [HERE.text]
    if asked <= MAX_REDIRECTS:
        assert follow(b"/x", visited=visited)
    else:
        with pytest.raises(Refusal, match="redirect_too_many"):
            follow(b"/x", visited=visited)


def test_loops_and_cookie_gates():
    """A page that sets a cookie and sends the reader back to itself is a gate; without a new cookie it is a loop."""
    visited = ["https://example.com/", HERE.text]
    for location in (b"/", b"", b"/a/b?c#x"):
        with pytest.raises(Refusal, match="redirect_loop"):
            follow(location, visited=visited)
        assert follow(location, visited=visited, cookies_changed=True).relations == ("same_origin",)
    with pytest.raises(Refusal, match="redirect_too_many"):
        follow(b"/", visited=visited * MAX_REDIRECTS, cookies_changed=True)


def test_allowed_origins_are_exact():
    allowed = frozenset({"https://other.example.net"})
    assert follow(b"https://other.example.net/x?sig=2", allowed_origins=allowed).relations == ("allowed_origin",)
    assert follow(b"/x", allowed_origins=allowed).relations == ("same_origin",)
    for location, code in (
        (b"https://other.example.net:80/", "redirect_cross_origin"),
        (b"https://www.other.example.net/", "redirect_cross_origin"),
        (b"http://other.example.net/", "redirect_downgrade"),
    ):
        with pytest.raises(Refusal, match=code):
            follow(location, allowed_origins=allowed | {"http://other.example.net"})


def test_checked_mode_lets_any_public_target_pass_but_no_downgrade():
    assert follow(b"https://other.example.net/", mode="checked").relations == ("checked",)
    assert follow(b"https://www.example.com/", mode="checked").relations == ("www_variant",)
    plain = parse_url("http://example.com/")
    assert follow(b"http://other.example.net/", plain, mode="checked").relations == ("checked",)
    for location, code in (
        (b"http://other.example.net/", "redirect_downgrade"),
        (b"https://127.0.0.1/", "address_not_public"),
        (b"https://localhost/", "name_not_public"),
        (b"https://other.example.net:8443/", "url_port"),
    ):
        with pytest.raises(Refusal, match=code):
            follow(location, mode="checked")


def test_a_wide_port_is_not_an_upgrade():
    current = parse_url("http://example.com:8080/", ports=WIDE_PORTS)
    assert follow(b"/x", current).url.text == "http://example.com:8080/x"
    with pytest.raises(Refusal, match="redirect_cross_origin"):
        follow(b"https://example.com:8443/", current, ports=WIDE_PORTS)


def test_length_of_a_target():
    room = MAX_URL_CHARS - len("https://example.com/")
    assert len(follow(b"/" + b"a" * room).url.text) == MAX_URL_CHARS
    with pytest.raises(Refusal, match="url_too_long"):
        follow(b"/" + b"a" * (room + 1))


_PARTS = st.sampled_from(
    [b"http:", b"https:", b"HTTP:", b"/", b"//", b"\\", b"example.com", b"www.", b"other.example.net", b"127.0.0.1", b"[::1]",
     b"..", b".", b"?", b"#", b"@", b":", b":80", b":8443", b"%2f", b"%5c", b"a", b"\xe9", b"\xe6\x97\xa5", b" ", b"\t", b"\r\n",
     b"\0"]
)  # fmt: skip
_LOCATIONS = st.lists(_PARTS, max_size=8).map(b"".join) | st.binary(max_size=40)


@given(_LOCATIONS, st.sampled_from(["same-origin", "checked"]), st.booleans())
def test_only_refusals_are_raised_and_hops_are_clean(location, mode, cookies_changed):
    try:
        hop = follow(location, mode=mode, cookies_changed=cookies_changed)
    except Refusal as refusal:
        assert refusal.code in REASONS
        assert refusal.origin is None or len(refusal.origin) <= MAX_REDIRECT_ORIGIN_CHARS
        return
    assert parse_url(hop.url.text) == hop.url
    assert hop.url.scheme == "https"
    if mode == "same-origin":
        assert hop.url.host in ("example.com", "www.example.com")


@given(_LOCATIONS)
def test_a_relative_reference_never_leaves_the_origin(location):
    """Whatever is neither absolute nor begins with two slashes stays where it was."""
    stripped = location.strip(b" \t")
    if b":" in stripped or stripped[:2] in (b"//", b"/\\", b"\\/", b"\\\\"):
        return
    try:
        assert resolve(HERE, location).origin == HERE.origin
    except Refusal as refusal:
        assert refusal.code in ("redirect_invalid", "url_too_long")
