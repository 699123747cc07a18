"""A throw-away certificate authority, made with the openssl command (a stock Debian has it; a package it needs not).

EC keys throughout: the whole set takes about a tenth of a second. Keys never leave the sealed internet's own folder.
"""

import os
import ssl
import subprocess
import time
from pathlib import Path

_CONFIG = """\
[req]
distinguished_name = name
prompt = no
[name]
CN = unused
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = {san}
{issued}
[ca]
default_ca = signing
[signing]
new_certs_dir = .
database = index.txt
rand_serial = yes
default_md = sha256
policy = policy
unique_subject = no
email_in_dn = no
[policy]
commonName = supplied
"""


class Authority:
    """Root, intermediate and leaf certificates in one folder.

    `issue` makes a leaf; `context` loads one for a server. Raises subprocess.CalledProcessError when openssl refuses.
    """

    def __init__(self, folder: Path, openssl: str) -> None:
        self._folder = folder
        self._openssl = openssl
        folder.mkdir(mode=0o700)
        (folder / "index.txt").touch()
        self._configure("DNS:unused")
        self._run("req", "-x509", "-days", "30", "-extensions", "root", *_new_key("root"), "-out", "root.pem")
        self._sign("intermediate", "Sealed internet intermediate", "root", "intermediate")

    @property
    def root(self) -> Path:
        return self._folder / "root.pem"

    def subject_hash(self) -> str:
        """The name OpenSSL looks for in a folder of certificates, without the ".0"."""
        return self._run("x509", "-noout", "-subject_hash", "-in", "root.pem").strip()

    def issue(self, name: str, san: str, *, days: tuple[int, int] = (-1, 30)) -> None:
        """A leaf for subject alternative names such as "DNS:a.com,IP:1.2.3.4", valid from..to days from now."""
        self._configure(san, issued="authorityKeyIdentifier = keyid")
        self._sign(name, f"Sealed site {name}", "intermediate", "leaf", days)
        chain = (self._folder / f"{name}.pem").read_text() + (self._folder / "intermediate.pem").read_text()
        (self._folder / f"{name}.chain").write_text(chain)

    def self_signed(self, name: str, san: str) -> None:
        self._configure(san)
        key = _new_key(name, ("-subj", f"/CN=Sealed site {name}"))
        self._run("req", "-x509", "-days", "30", "-extensions", "leaf", *key, "-out", f"{name}.chain")

    def context(self, name: str, *, with_intermediate: bool = True) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        suffix = "chain" if with_intermediate else "pem"
        context.load_cert_chain(self._folder / f"{name}.{suffix}", self._folder / f"{name}.key")
        return context

    def _sign(
        self, name: str, common_name: str, issuer: str, extensions: str, days: tuple[int, int] = (-1, 30)
    ) -> None:
        subject = ("-subj", f"/CN={common_name}")
        self._run("req", "-new", *_new_key(name, subject), "-out", f"{name}.csr")
        signed_by = ("-cert", f"{issuer}.pem", "-keyfile", f"{issuer}.key")
        span = ("-startdate", _date(days[0]), "-enddate", _date(days[1]))
        files = ("-in", f"{name}.csr", "-out", f"{name}.pem")
        self._run(
            "ca", "-batch", "-notext", "-config", "openssl.cnf", "-extensions", extensions, *signed_by, *span, *files
        )

    def _configure(self, san: str, issued: str = "") -> None:
        (self._folder / "openssl.cnf").write_text(_CONFIG.format(san=san, issued=issued))

    def _run(self, *arguments: str) -> str:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}  # no OPENSSL_CONF of the caller
        done = subprocess.run(
            [self._openssl, *arguments], cwd=self._folder, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout


def _new_key(name: str, subject: tuple[str, str] = ("-subj", "/CN=Sealed internet root")) -> tuple[str, ...]:
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    return (*curve, "-keyout", f"{name}.key", "-config", "openssl.cnf", *subject)


def _date(days_from_now: int) -> str:
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + days_from_now * 86_400))
