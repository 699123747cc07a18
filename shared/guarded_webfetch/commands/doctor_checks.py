"""The checks of `doctor`. Each says what it found and, where something is wrong, the command or step that puts it right."""

import os
import platform
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from importlib import import_module, metadata
from typing import Final, Literal, NamedTuple

from guarded_webfetch.broker import outer_sandbox as outer
from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import DEFAULT_REQUIRED_ISOLATION, Options
from guarded_webfetch.broker.store import DEFAULT_FOLDER
from guarded_webfetch.commands import config, doctor_kernel, environments
from guarded_webfetch.commands.advice import ADVICE
from guarded_webfetch.commands.client_files import folders_upwards, with_parents
from guarded_webfetch.core.reasons import Refusal

State = Literal["ok", "fail", "warn", "note"]
SUPPORTED_PYTHONS: Final = ((3, 11), (3, 14))  # what the lock has wheels for
LIBRARIES: Final = ("httpcore", "lxml.html", "readability", "pypdfium2", "regex")  # what the children import
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\\n]+)([^\n]*)", re.MULTILINE)
_CHILDREN_S: Final = 20.0
_SET_UP: Final = "guarded-webfetch setup"


class Check(NamedTuple):
    """`fail`: a fetch cannot run. `warn`: something beside it does not work. `note`: a fact, neither good nor bad."""

    state: State
    name: str
    finding: str
    fix: str = ""


def python() -> Check:
    version = platform.python_version()
    low, high = SUPPORTED_PYTHONS
    found = f"{platform.python_implementation()} {version}"
    if sys.version_info[:2] < low:
        return Check("fail", "Python", f"{found}; 3.11 or later is needed", "sudo apt-get install python3 python3-venv")
    if sys.version_info[:2] > high or platform.python_implementation() != "CPython":
        return Check("warn", "Python", f"{found}; tested are CPython 3.11 to 3.14")
    return Check("ok", "Python", found)


def packages() -> Check:
    """Every package of the lock, by the version that is installed."""
    if not environments.LOCKS[0].exists():
        return Check("warn", "Packages", "the lock of the packages is not beside the program")
    pinned = _PINNED.findall(environments.LOCKS[0].read_text(encoding="utf-8"))
    missing = [name for name, _, marker in pinned if _version(name) is None and ";" not in marker]
    other = [name for name, version, _ in pinned if _version(name) not in (None, version)]
    if missing:
        return Check("fail", "Packages", f"missing: {', '.join(missing)}", _SET_UP)
    if other:
        return Check("warn", "Packages", f"not the version of the lock: {', '.join(other)}", _SET_UP)
    return Check("ok", "Packages", f"{len(pinned)}, as locked")


def libraries() -> Check:
    broken = [name for name in LIBRARIES if not doctor_kernel.succeeds(lambda name=name: import_module(name))]  # type: ignore[misc]
    if broken:
        return Check("fail", "Libraries", f"cannot be imported: {', '.join(broken)}", _SET_UP)
    return Check("ok", "Libraries", f"{len(LIBRARIES)} can be imported")


def certificates() -> Check:
    from guarded_webfetch.fetcher.trust_store import client_context

    try:
        trusted = client_context(None).cert_store_stats()["x509_ca"]
    except Refusal:
        return Check("fail", "Certificates", "no system bundle found", "sudo apt-get install ca-certificates")
    return Check("ok", "Certificates", f"{trusted} authorities in the system's bundle")


def jq() -> Check:
    if shutil.which("jq"):
        return Check("ok", "jq", "found")
    return Check("warn", "jq", "not found; agents read records with it", "sudo apt-get install jq")


def results_folder() -> Check:
    """A file is written and removed in the deepest folder there is, as access(2) knows nothing of Landlock."""
    try:
        fd, missing = _deepest(DEFAULT_FOLDER)
    except OSError:
        return Check(
            "fail",
            "Results folder",
            f"{DEFAULT_FOLDER} is a link or no folder",
            f"mv {DEFAULT_FOLDER} {DEFAULT_FOLDER}.old",
        )
    try:
        found = os.fstat(fd)
        if not missing and (found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022):
            return Check("fail", "Results folder", f"{DEFAULT_FOLDER} is not private", f"chmod go-w {DEFAULT_FOLDER}")
        name = f".tmp-{secrets.token_hex(8)}"
        os.close(os.open(name, _NEW_FILE, 0o600, dir_fd=fd))
        os.unlink(name, dir_fd=fd)
    except OSError:
        return Check(
            "fail", "Results folder", "cannot be written", "cd to a folder of yours, or leave the read-only sandbox"
        )
    finally:
        os.close(fd)
    return Check("ok", "Results folder", f"{DEFAULT_FOLDER} {'can be made' if missing else 'can be written'}")


def git_ignore() -> Check:
    """Whether results stay out of a repository. git itself is not run: a repository's configuration can start programs."""
    if not any(os.path.exists(os.path.join(folder, ".git")) for folder in folders_upwards()):
        return Check("note", "Git", "this is no repository")
    if not os.path.isdir(DEFAULT_FOLDER):
        return Check("ok", "Git", "the first fetch will make the results folder ignored")
    ignore = os.path.join(DEFAULT_FOLDER, ".gitignore")
    try:
        with open(os.open(ignore, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            ignored = b"*" in file.read(10_000).split()
    except OSError:
        ignored = False
    if ignored:
        return Check("ok", "Git", "results are ignored")
    return Check("warn", "Git", "results may end up in the repository", f"echo '*' >> {ignore}")


def cache_folder() -> Check:
    """The folder that code is run from, and every folder above it: nobody else may be able to put something there."""
    folder = environments.folder()
    if folder is None:
        return Check("warn", "Cache folder", "there is no home", "export HOME=… (an absolute path)")
    if not os.path.isdir(folder):
        return Check("note", "Cache folder", "not there yet; the first run makes it")
    for path in with_parents(os.path.realpath(folder)):
        found = os.stat(path)
        shared = stat.S_IMODE(found.st_mode) & 0o022 and not found.st_mode & stat.S_ISVTX
        if shared or found.st_uid not in (0, os.geteuid(), *_overflow_owner()):
            return Check(
                "fail", "Cache folder", f"others can write to {path}", f"chmod go-w {path}, or set XDG_CACHE_HOME"
            )
    return Check("ok", "Cache folder", "yours alone")


def ledger() -> Check:
    folder = user_folders.state()
    if folder is None or user_folders.below_working_folder(folder):
        finding = "no place outside the working folder; records cannot be believed later (--from)"
        return Check("warn", "Ledger", finding, "cd to a project folder, or set XDG_STATE_HOME")
    return Check("ok", "Ledger", "kept outside the working folder")


def config_file() -> Check:
    try:
        changed = config.apply(Options()) != Options()
    except Refusal as refusal:
        return Check("fail", "Config file", refusal.reason.sentence, ADVICE[refusal.code])
    return Check("note" if changed else "ok", "Config file", "changes the defaults" if changed else "nothing changed")


def outer_sandbox() -> Iterator[Check]:
    """Facts about a sandbox around this process, as far as they can be seen from inside."""
    if outer.network_is_disabled() or not doctor_kernel.may_open_sockets():
        yield Check("fail", "Network", "an outer sandbox blocks it", ADVICE["network_blocked"])
    else:
        yield Check("ok", "Network", "sockets can be opened")
    if outer.proxy_is_announced():
        yield Check("note", "Proxy", "one is announced in the environment; it is not used")


def kernel() -> Iterator[Check]:
    abi = doctor_kernel.landlock_abi()
    yield Check("note", "Landlock", f"ABI {abi}" if abi else "not available")
    yield Check("note", "seccomp", "available" if doctor_kernel.has_seccomp() else "not available")
    usable = doctor_kernel.has_user_namespaces()
    yield Check("note", "User namespaces", "available" if usable else "not available")


def children() -> Check:
    """The whole crew of one fetch starts, locks itself and answers."""
    deadline = Deadline.after(_CHILDREN_S, "fetch_deadline")
    try:
        with Crew("html", DEFAULT_REQUIRED_ISOLATION, deadline) as crew:
            fetcher = crew.fetcher()
            fetcher.send_message({"scheme": "https", "ca_bundle": None}, deadline)
            crew.check(fetcher, deadline)
            crew.check(crew.resolver(), deadline)
            crew.sanitizer(deadline)
            crew.parser("html", deadline)
            return Check(
                "ok", "Child processes", f"{len(crew.isolation)} start, lock and answer; isolation: {crew.level()}"
            )
    except Refusal as refusal:
        fix = ADVICE[refusal.code] if refusal.reason.exit_code == 3 else _SET_UP
        return Check("fail", "Child processes", refusal.reason.sentence, fix)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _deepest(path: str) -> tuple[int, bool]:
    """(descriptor of the deepest folder there is on the way to `path`, whether something is missing), following no link."""
    fd = os.open(".", _FOLDER)
    for name in path.split("/"):
        try:
            deeper = os.open(name, _FOLDER, dir_fd=fd)
        except FileNotFoundError:
            return fd, True
        except OSError:
            os.close(fd)
            raise
        os.close(fd)
        fd = deeper
    return fd, False


def _overflow_owner() -> tuple[int, ...]:
    """Who root's folders seem to belong to in a user namespace that does not map root (user_namespaces(7))."""
    try:
        with (
            open("/proc/self/uid_map", encoding="ascii") as mapped,
            open("/proc/sys/kernel/overflowuid", encoding="ascii") as owner,
        ):
            overflow = int(owner.read())
            return (overflow,) if sum(int(line.split()[2]) for line in mapped) < overflow else ()
    except (OSError, ValueError, IndexError):
        return ()
