"""The strict URL parser: what it accepts, how it spells it, and why it refuses the rest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guarded_webfetch
from guarded_webfetch.core.limits import MAX_URL_CHARS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import WIDE_PORTS, mixed_script, parse_origin, parse_url

CASES = json.loads((Path(__file__).parents[1] / "cases" / "url_policy.json").read_text("utf-8"))


@pytest.mark.parametrize("row", CASES["accepted"], ids=lambda row: row["why"])
def test_accepted_urls_have_one_spelling(row):
    assert parse_url(row["url"]).text == row["text"]


@pytest.mark.parametrize("row", CASES["refused"], ids=lambda row: row["why"])
def test_refused_urls_have_their_reason(row):
    with pytest.raises(Refusal) as refusal:
        parse_url(row["url"])
    assert refusal.value.code == row["code"]


@pytest.mark.parametrize(
    ("url", "origin", "host_header", "is_literal"),
    [
        ("https://example.com/x", "https://example.com", "example.com", False),
        ("http://example.com:8080/x", "http://example.com:8080", "example.com:8080", False),
        ("https://[2606:4700::1]:8443/", "https://[2606:4700::1]:8443", "[2606:4700::1]:8443", True),
        ("http://93.184.216.34/", "http://93.184.216.34", "93.184.216.34", True),
    ],
)
def test_parts(url, origin, host_header, is_literal):
    parsed = parse_url(url, ports=WIDE_PORTS)
    assert (parsed.origin, parsed.host_header, parsed.is_literal) == (origin, host_header, is_literal)
    assert parsed.text.startswith(parsed.origin + parsed.target[:1])
    assert "[" not in parsed.host


def test_the_wide_profile_holds_no_bad_port():
    for port in (8000, 8080, 8443):
        assert parse_url(f"http://example.com:{port}/", ports=WIDE_PORTS).port == port
    for port in (1, 22, 25, 6000, 6667, 10080):  # Fetch Standard section 2.9
        with pytest.raises(Refusal, match="url_port"):
            parse_url(f"http://example.com:{port}/", ports=WIDE_PORTS)


@pytest.mark.parametrize("character", ["a", "日", " "])
def test_length_counts_the_rebuilt_ascii_url(character):
    unit = len(parse_url("https://example.com/x" + character + "x").text) - len("https://example.com/xx")
    count = (MAX_URL_CHARS - len("https://example.com/x")) // unit - 1
    url = "https://example.com/" + character * count
    url += "x" * (MAX_URL_CHARS - len(parse_url(url + "x").text) + 1)
    assert len(parse_url(url[:-1]).text) == MAX_URL_CHARS - 1
    assert len(parse_url(url).text) == MAX_URL_CHARS
    assert len(parse_url(url + "#" + "f" * 5000).text) == MAX_URL_CHARS  # what is not sent does not count
    with pytest.raises(Refusal, match="url_too_long"):
        parse_url(url + "x")


@pytest.mark.parametrize("length", [252, 253, 254])
def test_host_length(length):
    tail = "." + ".".join(["a" * 63] * 3) + ".com"
    url = "http://" + "b" * (length - len(tail)) + tail + "/"
    if length <= 253:
        assert len(parse_url(url).host) == length
    else:
        with pytest.raises(Refusal, match="url_host"):
            parse_url(url)


@pytest.mark.parametrize(
    "name",
    ["alt", "arpa", "consul", "corp", "example", "home", "i2p", "internal", "intranet", "invalid",
     "lan", "local", "localdomain", "localhost", "mail", "onion", "private", "svc", "test"],
)  # fmt: skip
def test_special_names_are_special_as_last_label_only(name):
    for host in (name, f"a.{name}", f"a.b.{name.upper()}."):
        with pytest.raises(Refusal, match="name_not_public"):
            parse_url(f"http://{host}/")
    for host in (f"{name}.com", f"{name}.example.com", f"a.{name}s", f"a.x{name}"):
        assert parse_url(f"http://{host}/").host == host


def test_origins():
    assert parse_origin("HTTP://Example.com:80") == "http://example.com"
    assert parse_origin("https://example.com/") == "https://example.com"
    with pytest.raises(Refusal, match="url_invalid"):
        parse_origin("https://example.com/x")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://pдypal.example.com/", True),  # Latin and Cyrillic
        ("https://gοοgle.com/", True),  # Latin and Greek
        ("https://пример.com/", False),  # scripts in different labels
        ("https://ドメイン名例abc.jp/", False),  # kanji, kana and Latin: ordinary Japanese
        ("https://münchen.de/", False),
        ("https://한국abc.kr/", False),
        ("https://example.com/", False),
    ],
)
def test_mixed_scripts(url, expected):
    assert mixed_script(parse_url(url).host) is expected


# ------------------------------------------------------------------------------------------------ properties

_HOSTILE = st.text(alphabet="htps:/\\@#?%[]. \t\n\0-_019axfA日ß。１ｌ①\u00ad\u200d\ufeffדа\ud800", max_size=30)
_ANY_URL = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["http://", "https://", "HTTP://", "http:/", "https:", "", " http://"]),
    st.sampled_from(["example.com", "93.184.216.34", "[2606:4700::1]", "日本語.jp", "xn--fa-hia.de", "", "a_b.co"])
    | _HOSTILE,
    st.sampled_from(["", ":80", ":443", ":", ":0080", ":8080"]),
    st.builds(str.__add__, st.sampled_from(["", "/", "?", "#", "/a/../"]), _HOSTILE | st.text(max_size=20)),
)


@given(_ANY_URL | st.text(max_size=60))
def test_only_refusals_are_raised_and_parsing_is_idempotent(text):
    try:
        url = parse_url(text)
    except Refusal as refusal:
        assert refusal.code.startswith("url_") or refusal.code in ("name_not_public", "address_not_public")
        return
    assert parse_url(url.text) == url
    assert url.text.isascii() and url.text.isprintable() and " " not in url.text
    assert url.target.startswith("/") and "#" not in url.target
    assert "\\" not in url.text.partition("?")[0]


_REFUSED_HOSTS = st.sampled_from(
    ["localhost", "foo.localhost", "printer.local", "metadata.google.internal", "intranet", "127.0.0.1", "10.0.0.5",
     "169.254.169.254", "192.168.1.1", "0.0.0.0", "router.lan", "foo.onion", "x.test"]
)  # fmt: skip
_LOOKALIKES = {
    **{chr(97 + i): [chr(0xFF41 + i), chr(0x24D0 + i), chr(0x1D41A + i)] for i in range(26)},
    **{str(i): [chr(0xFF10 + i), chr(0x1D7CE + i), chr(0x2460 + i - 1) if i else "⓪"] for i in range(10)},
    ".": ["。", "．", "｡"],
}


@given(_REFUSED_HOSTS, st.data())
def test_every_spelling_of_a_refused_host_is_refused(host, data):
    spelled = "".join(
        data.draw(st.sampled_from([char, char.upper(), *_LOOKALIKES.get(char, []), f"%{ord(char):02x}", char + "\u00ad"]))
        for char in host
    ) + data.draw(st.sampled_from(["", ".", "。", ":80", ":"]))  # fmt: skip
    with pytest.raises(Refusal):
        parse_url(f"http://{spelled}/")


@given(st.integers(0, 2**32 - 1), st.data())
def test_only_the_dotted_spelling_of_an_address_is_read(number, data):
    parts = list(number.to_bytes(4, "big"))
    spelled = data.draw(
        st.sampled_from(
            [
                str(number),
                hex(number),
                f"0{number:o}",
                ".".join(map(hex, parts)),
                ".".join(f"0{part:o}" for part in parts),
                ".".join(f"{part:04d}" for part in parts),
                f"{parts[0]}.{number & 0xFFFFFF}",
                f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
                ".".join(map(str, parts)) + ".",
                ".".join(map(str, parts)) + ".0x",
            ]
        )
    )
    with pytest.raises(Refusal):
        parse_url(f"http://{spelled}/")


def test_an_ascii_url_loads_nothing_heavy():
    """The broker must stay small: idna (18 ms) only for names that need it, urllib and ipaddress never."""
    script = (
        "import sys; from guarded_webfetch.core import redirect_policy, url_policy;"
        "url_policy.parse_url('https://example.com/日本'); print(*sys.modules)"
    )
    environment = {"PYTHONPATH": str(Path(guarded_webfetch.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert not {"idna", "ipaddress", "urllib.parse", "dataclasses", "socket", "unicodedata"} & set(run.stdout.split())
