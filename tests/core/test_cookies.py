"""The cookies of one redirect chain: back to the host that set them, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core.cookies import CookieJar
from guarded_webfetch.core.limits import MAX_COOKIE_BYTES, MAX_COOKIE_HEADER_BYTES, MAX_COOKIES
from guarded_webfetch.core.url_policy import parse_url

PAGE = parse_url("https://www.example.com/docs/page?x")


def sent(set_cookie: str | list[str], to: str = PAGE.text, by=PAGE) -> str | None:
    jar = CookieJar()
    jar.store(by, [set_cookie] if isinstance(set_cookie, str) else set_cookie)
    return jar.header(parse_url(to))


@pytest.mark.parametrize(
    ("set_cookie", "header"),
    [
        ("k=v", "k=v"),
        ("k=v; Path=/; HttpOnly; SameSite=Lax", "k=v"),
        (' k = "a b" ;Path=/', 'k="a b"'),
        ("k=a=b", "k=a=b"),
        ("k=", "k="),
        (["a=1", "b=2", "a=3"], "a=3; b=2"),
        (["a=1; Path=/", "b=2; Path=/docs"], "b=2; a=1"),  # longest path first
        (["k=v; Path=/", "k=; Path=/; Max-Age=0"], None),
        (["k=v; Path=/", "k=; Path=/; Max-Age=-1"], None),
        (["k=v; Path=/", "k=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], None),
        (["k=v; Path=/", "k=; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT"], None),
        ("k=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "k=v"),  # Max-Age wins
        ("k=v; Expires=Fri, 01 Jan 2038 00:00:00 GMT", "k=v"),
        ("k=v; Max-Age=soon", "k=v"),
        ("__Host-k=v; Secure; Path=/", "__Host-k=v"),
        ("__Secure-k=v; Secure", "__Secure-k=v"),
        # ignored
        ("novalue", None),
        ("=v", None),
        ("k=a\x00b", None),
        ("k=a\r\nX: y", None),
        ("k=v; Path=/\x01", None),
        ("__Host-k=v; Secure; Path=/docs", None),
        ("__Host-k=v; Secure; Path=/; Domain=www.example.com", None),
        ("__Secure-k=v", None),
    ],
)
def test_set_cookie_values(set_cookie, header):
    assert sent(set_cookie) == header


@pytest.mark.parametrize(
    ("domain", "kept"),
    [
        ("www.example.com", True),
        (".Example.com", True),
        ("example.com", True),
        ("other.net", False),
        ("ample.com", False),
    ],
)
def test_a_domain_attribute_never_widens(domain, kept):
    set_cookie = f"k=v; Domain={domain}; Path=/"
    assert sent(set_cookie) == ("k=v" if kept else None)
    for other in ("https://example.com/", "https://a.www.example.com/", "https://other.net/", "https://a.example.com/"):
        assert sent(set_cookie, to=other) is None


@pytest.mark.parametrize(
    ("path", "to", "matches"),
    [
        ("/docs", "/docs", True),
        ("/docs", "/docs/a?b", True),
        ("/docs", "/docsx", False),
        ("/docs/", "/docs", False),
        ("/docs/", "/docs/a", True),
        ("/", "/any", True),
        ("relative", "/docs/other", True),  # the default path: the folder of the page
        ("relative", "/other", False),
    ],
)
def test_paths(path, to, matches):
    assert (sent(f"k=v; Path={path}", to="https://www.example.com" + to) is not None) is matches


def test_secure_cookies_only_over_https():
    plain = parse_url("http://www.example.com/docs/page")
    assert sent("k=v; Secure", by=plain) is None
    assert sent("k=v; Secure", to=plain.text) is None
    assert sent("k=v", to=plain.text) == "k=v"
    assert sent("k=v", by=plain) == "k=v"


def test_store_tells_whether_anything_changed():
    jar = CookieJar()
    assert jar.store(PAGE, ["k=v"])
    assert not jar.store(PAGE, ["k=v", "malformed"])
    assert not jar.store(PAGE, [])
    assert jar.store(PAGE, ["k=w"])
    assert jar.store(PAGE, ["k=; Max-Age=0"])


def test_limits():
    assert sent("k=" + "v" * (MAX_COOKIE_BYTES - 1)) is not None
    assert sent("k=" + "v" * MAX_COOKIE_BYTES) is None
    many = sent([f"k{n}=v" for n in range(MAX_COOKIES + 1)])
    assert many is not None
    assert many.count("=") == MAX_COOKIES
    long = sent([f"k{n}=" + "v" * 2000 for n in range(10)])
    assert long is not None
    assert 2000 < len(long) <= MAX_COOKIE_HEADER_BYTES


@given(st.lists(st.text(alphabet="ak=;, \t\r\n\0\"'éPathDomain/.", max_size=40), max_size=5))
def test_any_value_gives_a_header_without_control_characters(values):
    jar = CookieJar()
    jar.store(PAGE, values)
    header = jar.header(PAGE)
    assert header is None or not any(ord(char) < 0x20 or ord(char) == 0x7F for char in header)
    assert jar.header(parse_url("https://example.com/docs/page")) is None
