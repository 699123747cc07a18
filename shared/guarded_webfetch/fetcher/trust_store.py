"""Which certificates are trusted: the system's bundle plus one the caller named. Environment variables have no say."""

import ssl
from functools import cache
from typing import Final

from guarded_webfetch.core.reasons import Refusal

# Where distributions keep their bundle, in the order and after the list of Go's crypto/x509 (root_linux.go).
KNOWN_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL 6
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/pki/tls/cacert.pem",  # OpenELEC
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # CentOS, RHEL 7 and later
    "/etc/ssl/cert.pem",  # Alpine, macOS
)


def client_context(ca_bundle: str | None) -> ssl.SSLContext:
    """A context that checks certificate and name, with all trust in memory; reads files, so call it before the lock.

    Refusal trust_store_missing: no bundle could be read, or the caller's cannot be.
    """
    context = _loaded(ca_bundle, _system_bundles())
    ssl.RAND_bytes(1)  # seeds the generator of this very process while files can still be opened
    return context


@cache
def _loaded(ca_bundle: str | None, bundles: tuple[str, ...]) -> ssl.SSLContext:
    """The context, read once: 20 ms that a process which forks many fetchers spends for all of them."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # CERT_REQUIRED and check_hostname; unlike create_default_context
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # it does not look at SSLKEYLOGFILE
    context.hostname_checks_common_name = False  # RFC 9525: names stand in subjectAltName only
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    found = any(_load(context, path) for path in bundles)
    if ca_bundle is not None:
        found = _load(context, ca_bundle)
    if not found:
        raise Refusal("trust_store_missing")
    return context


def _system_bundles() -> tuple[str, ...]:
    built_in = ssl.get_default_verify_paths().openssl_cafile  # compiled into OpenSSL; `.cafile` heeds the environment
    return (*KNOWN_BUNDLES, built_in)


def _load(context: ssl.SSLContext, path: str) -> bool:
    try:
        context.load_verify_locations(cafile=path)
    except OSError:  # missing, unreadable, or (ssl.SSLError) not a bundle
        return False
    return True
