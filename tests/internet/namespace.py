"""Turns the fresh network and mount namespaces of this process into the sealed internet's own ground.

Everything bound here is seen inside only; the files of the machine stay as they are.
"""

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.internet import addresses
from tests.internet.authority import Authority

MS_BIND: Final = 4096  # mount(2)

# One name server, nothing but files and it: mdns, systemd-resolved and nscd would ask outside over a unix socket.
NAME_FILES: Final = {
    "/etc/resolv.conf": "nameserver 127.0.0.1\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
NAME_SWITCH: Final = "/etc/nsswitch.conf"
NAME_CACHES: Final = ("/run/nscd", "/var/run/nscd")

# Where systems keep their trusted certificates: Debian and Arch, Red Hat, openSUSE, Alpine and BSD style.
TRUST_FOLDERS: Final = ("/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted/pem/directory-hash")
TRUST_FILES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/tls/cert.pem",
    "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/lib/ssl/cert.pem",
)
HASHED_NAME: Final = re.compile(r"[0-9a-f]{8}\.\d+")


def open_network(ip: str) -> None:
    """lo up, sites and traps on it, two dead addresses, no other route. Raises CalledProcessError."""
    four = ["link set lo up"]
    four += [f"addr add {address}/32 dev lo" for address in addresses.LOCAL4]
    four += [f"route add local {block} dev lo" for block in addresses.TRAP_BLOCKS4 if block != "127.0.0.0/8"]
    four += [f"route add local {addresses.MANY_BLOCK} dev lo"]
    four += [f"route add {addresses.DARK}/32 dev lo", f"route add unreachable {addresses.UNREACHABLE}/32"]
    six = [f"addr add {address}/128 dev lo nodad" for address in addresses.LOCAL6]
    six += [f"route add local {block} dev lo" for block in addresses.TRAP_BLOCKS6]
    six += [f"route add {addresses.DARK6}/128 dev lo"]
    _batch([ip, "-batch", "-"], four)
    if os.path.exists("/proc/net/if_inet6"):
        _batch([ip, "-6", "-batch", "-"], six)


def _batch(command: list[str], lines: list[str]) -> None:
    subprocess.run(command, input="\n".join(lines) + "\n", text=True, check=True, stdout=subprocess.DEVNULL)


def cover_name_files(folder: Path) -> None:
    """Binds our resolver files over the system's. A file that does not exist has defaults that suit us."""
    for target, text in NAME_FILES.items():
        if os.path.exists(target):
            source = folder / os.path.basename(target)
            source.write_text(text)
            _mount(str(source), target)
    if os.path.exists(NAME_SWITCH):
        kept = re.sub(r"(?m)^\s*hosts:.*$", "", Path(NAME_SWITCH).read_text())
        (folder / "nsswitch.conf").write_text(kept + "\nhosts: files dns\n")
        _mount(str(folder / "nsswitch.conf"), NAME_SWITCH)
    for target in NAME_CACHES:
        if os.path.isdir(target):
            _mount("none", target, "tmpfs", 0)


def cover_trust_store(folder: Path, authority: Authority) -> None:
    """Adds our root to every bundle and folder of trusted certificates, by copies bound over the originals.

    The system's own certificates stay in the copies, so that loading them costs what it costs outside.
    """
    root = authority.root.read_text()
    for number, target in enumerate(_real(TRUST_FILES, os.path.isfile)):
        copy = folder / f"bundle-{number}.pem"
        copy.write_text(Path(target).read_text(errors="surrogateescape") + root, errors="surrogateescape")
        _mount(str(copy), target)
    for number, target in enumerate(_real(TRUST_FOLDERS, os.path.isdir)):
        if any(HASHED_NAME.fullmatch(name) for name in os.listdir(target)):
            copy = folder / f"trusted-{number}"
            shutil.copytree(target, copy, symlinks=True)
            (copy / f"{authority.subject_hash()}.0").write_text(root)
            _mount(str(copy), target)


def _real(paths: tuple[str, ...], exists: Callable[[str], bool]) -> list[str]:
    found = dict.fromkeys(os.path.realpath(path) for path in paths)
    return [path for path in found if exists(path)]


def _mount(source: str, target: str, kind: str | None = None, flags: int = MS_BIND) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    kind_bytes = kind.encode() if kind else None
    if libc.mount(os.fsencode(source), os.fsencode(target), kind_bytes, ctypes.c_ulong(flags), None):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)
