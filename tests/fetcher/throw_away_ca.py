"""Certificates made for one test run: an authority and whatever leaf a test asks of it."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_NOW = datetime.datetime.now(datetime.UTC)
_DAY = datetime.timedelta(days=1)


class Authority:
    """A root of its own; `bundle` is its certificate as a PEM file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Throw-away root")
        self._count = 0
        root = _builder(self._name, self._name, self._key.public_key(), _NOW - _DAY, _NOW + _DAY)
        root = root.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self._root = root.sign(self._key, hashes.SHA256())
        self.bundle = folder / "root.pem"
        self.bundle.write_bytes(_pem(self._root))

    def server(
        self, *names: str, expired: bool = False, self_signed: bool = False, only_cn: bool = False
    ) -> ssl.SSLContext:
        """A server context whose leaf is valid for `names` (host names or addresses)."""
        key = ec.generate_private_key(ec.SECP256R1())
        end = _NOW - _DAY / 2 if expired else _NOW + _DAY
        subject = _name(names[0])
        issuer, signing_key = (subject, key) if self_signed else (self._name, self._key)
        leaf = _builder(subject, issuer, key.public_key(), _NOW - _DAY, end)
        if not only_cn:
            leaf = leaf.add_extension(
                x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False
            )
        return self._context(leaf.sign(signing_key, hashes.SHA256()), key)

    def _context(self, leaf: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> ssl.SSLContext:
        self._count += 1
        chain = self._folder / f"leaf-{self._count}.pem"
        pkcs8 = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        chain.write_bytes(pkcs8 + _pem(leaf))
        return server_context(chain)


def server_context(chain: Path) -> ssl.SSLContext:
    """A server context for a PEM file with key and leaf."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    return context


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    start: datetime.datetime,
    end: datetime.datetime,
) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number(), start, end)


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
