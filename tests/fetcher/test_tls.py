"""Certificate and name checks of a real handshake, and how a TLS body may end."""

import socket
import ssl
from pathlib import Path

import pytest

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.fetcher import trust_store

from .harness import Answer, Serve, chunked, close_politely, fetch, page, respond
from .throw_away_ca import Authority

HOST = "site.example"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def fetch_tls(authority: Authority, serve: Serve, context: ssl.SSLContext, **order: object) -> Answer:
    return fetch(serve, context=context, ca_bundle=str(authority.bundle), **order)


def test_a_page_over_tls(authority: Authority) -> None:
    context = authority.server(HOST)
    seen: list[str | None] = []
    context.sni_callback = lambda _, name, __: seen.append(name)
    versions: list[str | None] = []

    def serve(connection: socket.socket) -> None:
        assert isinstance(connection, ssl.SSLSocket)
        versions.extend((connection.version(), connection.selected_alpn_protocol()))
        connection.sendall(page(b"z" * 200_000))

    context.set_alpn_protocols(["h2", "http/1.1"])
    answer = fetch_tls(authority, serve, context)
    assert (answer.failure, answer.body) == (None, b"z" * 200_000)
    assert answer.end == {"length_unknown": False}  # although no close_notify came
    assert (seen, versions) == ([HOST], ["TLSv1.3", "http/1.1"])


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_accepted_versions(authority: Authority, version: ssl.TLSVersion) -> None:
    context = authority.server(HOST)
    context.minimum_version = context.maximum_version = version
    assert fetch_tls(authority, respond(page(b"x")), context).body == b"x"


@pytest.mark.parametrize(
    ("host", "names"),
    [
        pytest.param("www.site.example", ["*.site.example"], id="wildcard"),
        pytest.param(
            "site.example.", ["site.example"], id="a trailing dot is no part of the name (RFC 6066 section 3)"
        ),
        pytest.param("a.b.site.example", ["site.example", "a.b.site.example"], id="second of two names"),
        pytest.param("xn--fsq.example", ["xn--fsq.example"], id="A-label"),
        pytest.param("xn--strae-oqa.example", ["xn--strae-oqa.example"], id="A-label of IDNA 2008 (aio-libs/yarl#148)"),
        pytest.param("a_b.example", ["a_b.example"], id="underscore"),
        pytest.param("192.0.2.7", ["192.0.2.7"], id="IPv4 address"),
        pytest.param("2001:db8::7", ["2001:db8::7"], id="IPv6 address"),
    ],
)
def test_names_that_fit(authority: Authority, host: str, names: list[str]) -> None:
    answer = fetch_tls(authority, respond(page(b"x")), authority.server(*names), host=host)
    assert (answer.failure, answer.body) == (None, b"x")


@pytest.mark.parametrize(
    ("host", "names"),
    [
        pytest.param(HOST, ["other.example"], id="another name"),
        pytest.param(HOST, ["*.site.example"], id="a wildcard does not cover its parent"),
        pytest.param("a.b.site.example", ["*.site.example"], id="a wildcard covers one label"),
        pytest.param(HOST, ["127.0.0.1"], id="the address connected to"),
        pytest.param("192.0.2.7", ["192.0.2.8"], id="another address"),
        pytest.param("192.0.2.7", ["site.example"], id="a name where an address is asked"),
    ],
)
def test_names_that_do_not_fit(authority: Authority, host: str, names: list[str]) -> None:
    answer = fetch_tls(authority, respond(page(b"x")), authority.server(*names), host=host)
    assert (answer.failure, answer.status, answer.sent_to_server) == ("tls_certificate", None, b"")


def test_a_common_name_is_no_name(authority: Authority) -> None:
    assert fetch_tls(authority, respond(page(b"x")), authority.server(HOST, only_cn=True)).failure == "tls_certificate"


def test_expired(authority: Authority) -> None:
    assert fetch_tls(authority, respond(page(b"x")), authority.server(HOST, expired=True)).failure == "tls_certificate"


def test_self_signed(authority: Authority) -> None:
    context = authority.server(HOST, self_signed=True)
    assert fetch_tls(authority, respond(page(b"x")), context).failure == "tls_certificate"


def test_an_unknown_authority(authority: Authority, tmp_path: Path) -> None:
    context = Authority(tmp_path).server(HOST)
    assert fetch_tls(authority, respond(page(b"x")), context).failure == "tls_certificate"


def test_the_host_header_has_no_say_in_names(authority: Authority) -> None:
    context = authority.server("other.example")
    answer = fetch_tls(authority, respond(page(b"x")), context, host_header="other.example")
    assert answer.failure == "tls_certificate"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(page(b"not TLS"), id="plain HTTP on a TLS port"),
        pytest.param(b"", id="closed at once"),
        pytest.param(b"\x15\x03\x03\x00\x02\x02\x28", id="fatal alert"),
        pytest.param(b"\x16\x03\x03\xff\xff" + b"\0" * 70_000, id="record too long"),
    ],
)
def test_a_failing_handshake(authority: Authority, reply: bytes) -> None:
    class NoTls(ssl.SSLContext):
        def wrap_socket(self, sock: socket.socket, **_: object) -> socket.socket:  # type: ignore[override]
            return sock

    context = NoTls(ssl.PROTOCOL_TLS_SERVER)
    assert fetch_tls(authority, respond(reply), context, early=True).failure == "tls_failed"


@pytest.mark.parametrize(
    ("serve", "body", "length_unknown", "failure"),
    [
        pytest.param(close_politely(page(b"abc", length=False)), b"abc", False, None, id="close_notify proves the end"),
        pytest.param(respond(page(b"abc", length=False)), b"abc", True, None, id="no length, no close_notify"),
        pytest.param(respond(page(b"abc")), b"abc", False, None, id="a length, no close_notify"),
        pytest.param(respond(chunked(b"3\r\nabc\r\n0\r\n\r\n")), b"abc", False, None, id="chunks, no close_notify"),
        pytest.param(respond(page(b"abc", "Content-Length: 9", length=False)), b"abc", None, "body_incomplete",
                     id="cut"),
        pytest.param(close_politely(page(b"abc", "Content-Length: 9", length=False)), b"abc", None, "body_incomplete",
                     id="cut, close_notify"),
    ],
)  # fmt: skip
def test_how_a_body_ends(
    authority: Authority, serve: Serve, body: bytes, length_unknown: bool | None, failure: str | None
) -> None:
    answer = fetch_tls(authority, serve, authority.server(HOST))
    assert answer.failure == failure
    assert answer.body == (body if failure is None else answer.body)
    assert answer.end == (None if length_unknown is None else {"length_unknown": length_unknown})


def test_environment_variables_add_no_trust(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key_log = tmp_path / "keys"
    monkeypatch.setenv("SSLKEYLOGFILE", str(key_log))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.bundle))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    refused = fetch(respond(page(b"x")), context=authority.server(HOST))
    assert refused.failure == "tls_certificate"
    assert fetch_tls(authority, respond(page(b"x")), authority.server(HOST)).body == b"x"
    assert not key_log.exists()


def _no_system_bundle(monkeypatch: pytest.MonkeyPatch, *bundles: Path) -> None:
    monkeypatch.setattr(trust_store, "_system_bundles", lambda: tuple(map(str, bundles)))


def test_no_bundle_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _no_system_bundle(monkeypatch, tmp_path / "missing")
    with pytest.raises(Refusal) as caught:
        trust_store.client_context(None)
    assert caught.value.code == "trust_store_missing"


def test_the_first_usable_bundle_counts(authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty, garbage = tmp_path / "empty", tmp_path / "garbage"
    empty.touch()
    garbage.write_text("no certificates here")
    second = Authority(tmp_path)
    _no_system_bundle(monkeypatch, tmp_path / "missing", empty, garbage, authority.bundle, second.bundle)
    assert len(trust_store.client_context(None).get_ca_certs()) == 1


def test_the_callers_bundle_comes_on_top(authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _no_system_bundle(monkeypatch, Authority(tmp_path).bundle)
    assert len(trust_store.client_context(str(authority.bundle)).get_ca_certs()) == 2


@pytest.mark.parametrize("content", [None, b"", b"no certificates here"])
def test_a_bad_bundle_of_the_caller(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    _no_system_bundle(monkeypatch, authority.bundle)
    bundle = tmp_path / "bundle.pem"
    if content is not None:
        bundle.write_bytes(content)
    with pytest.raises(Refusal) as caught:
        trust_store.client_context(str(bundle))
    assert caught.value.code == "trust_store_missing"
