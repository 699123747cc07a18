"""Landlock: a second layer below seccomp that denies files, TCP, signals and unix sockets by what they reach.

Everything the kernel's version (ABI) can deny is denied. Source: Documentation/userspace-api/landlock.rst, linux/landlock.h.
"""

import ctypes
import os
from typing import Final, NamedTuple

from guarded_webfetch.isolation import kernel
from guarded_webfetch.isolation.profiles import RoleName

_VERSION_FLAG: Final = 1
_RULE_PATH, _RULE_PORT = 1, 2
_READ_FILE, _READ_DIR, _RESOLVE_UNIX = 1 << 2, 1 << 3, 1 << 16
_CONNECT_TCP, _CONNECT_SEND_UDP = 1 << 1, 1 << 3
_DNS_PORT: Final = 53

# Where name service files, modules, libraries and sockets live; a home folder is not among them.
_NAME_SERVICE_FOLDERS: Final = (
    "/etc",
    "/usr",
    "/lib",
    "/lib64",
    "/run",
    "/var/run",
    "/var/lib",
    "/nix/store",
    "/gnu/store",
)
_NAME_SERVICE_FILES: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf")  # often links, on WSL to /mnt/wsl


class _Known(NamedTuple):
    """What one ABI can deny, and the size its attribute structure had."""

    files: int
    network: int
    scopes: int
    size: int


def _known(abi: int) -> _Known:
    """All rights of `abi`; of a version newer than 10 those of 10."""
    files = (13, 14, 15, 15, 16, 16, 16, 16, 17, 17)[
        min(abi, 10) - 1
    ]  # 2 refer, 3 truncate, 5 device ioctl, 9 unix sockets
    network = 0 if abi < 4 else 2 if abi < 10 else 4  # 4 TCP bind and connect, 10 the same for UDP
    scopes = 0 if abi < 6 else 2  # abstract unix sockets, signals
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    return _Known((1 << files) - 1, (1 << network) - 1, (1 << scopes) - 1, size)


class _Attributes(ctypes.Structure):
    """struct landlock_ruleset_attr"""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _BeneathPath(ctypes.Structure):
    """struct landlock_path_beneath_attr"""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Port(ctypes.Structure):
    """struct landlock_net_port_attr"""

    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi() -> int:
    """The kernel's Landlock version, asked by system call; 0 when it has none, or has it switched off."""
    try:
        return kernel.call("landlock_create_ruleset", 0, 0, _VERSION_FLAG)
    except OSError:
        return 0


def restrict(role: RoleName) -> None:
    """Denies this thread everything but what the resolver must read and ask. Needs no_new_privs. OSError when refused."""
    known = _known(abi())
    attributes = _Attributes(known.files, known.network, known.scopes)
    ruleset = kernel.call("landlock_create_ruleset", ctypes.addressof(attributes), known.size, 0)
    try:
        if role == "resolver":
            _allow_name_service(ruleset, known)
        kernel.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow_name_service(ruleset: int, known: _Known) -> None:
    targets = [os.path.realpath(path) for path in _NAME_SERVICE_FILES]
    for path in (*_NAME_SERVICE_FOLDERS, *targets):
        is_folder = os.path.isdir(path)
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # not on this system
            continue
        rights = _READ_FILE | (_READ_DIR | _RESOLVE_UNIX if is_folder else 0)
        _add(ruleset, _RULE_PATH, _BeneathPath(rights & known.files, opened))
        os.close(opened)
    if known.network:
        rights = (_CONNECT_TCP | _CONNECT_SEND_UDP) & known.network
        _add(ruleset, _RULE_PORT, _Port(rights, _DNS_PORT))


def _add(ruleset: int, kind: int, rule: ctypes.Structure) -> None:
    kernel.call("landlock_add_rule", ruleset, kind, ctypes.addressof(rule), 0)
