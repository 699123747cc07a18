"""A sealed internet in which every address exists: one case at a time is set up in it and asked of the product."""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scoring.sockets.case import Case

from tests.internet import addresses, names, sites
from tests.internet.client import SealedInternet
from tests.internet.dns import NXDOMAIN, Answers
from tests.internet.log import Entries

ROOT: Final = Path(__file__).resolve().parents[3]
_WATCH: Final = ROOT / "tests/internet/watch.py"
_SHARED: Final = ROOT / "shared"
_TIMEOUT_S: Final = "5"
_RUN_LIMIT_S: Final = 30.0
_NO_NAME: Final = Answers(rcode=NXDOMAIN)
# One source for all, or the resolver would sort the answers by their distance to it (RFC 6724 section 6, rule 9).
_SOURCE: Final = {"-4": addresses.EXTRA[-1], "-6": addresses.WEB6}
_KEPT: Final = ("PATH", "LANG")
# The console script: as pip writes it, with the place of the code instead of an installed package.
_CONSOLE: Final = (
    f"import sys; sys.path.insert(0, {str(_SHARED)!r}); from guarded_webfetch.boot import console; console()"
)
# A URL that no operating system passes as an argument reaches the same command line from within.
_INNER: Final = (
    f"import sys; sys.path.insert(0, {str(_SHARED)!r}); from guarded_webfetch.commands.cli import main; "
    "sys.exit(main([*sys.argv[1:-1], sys.argv[-1].encode('ascii').decode('unicode_escape')]))"
)


@dataclass(frozen=True)
class Seen:
    """What one process did: its reason code ("ok" for a page), the connects it tried, its record, questions and requests."""

    outcome: str
    tried: list[tuple[str, int]]
    record: dict[str, Any]
    log: Entries
    left_files: list[str] = field(default_factory=list)  # that an environment variable asked for

    @property
    def lookups(self) -> int:
        """The most often one name was looked up; A and AAAA are two questions of one look-up."""
        asked = [(entry["name"], entry["type"]) for entry in self.log.dns]
        return max((asked.count(question) for question in asked), default=0)


class World:
    """A context manager. `visit` is honest about one thing: every run is a fresh process, started as a person starts it."""

    def __enter__(self) -> "World":
        with contextlib.ExitStack() as stack:
            self._net = stack.enter_context(SealedInternet())
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ssrf-")))
            for family in (
                "-4",
                "-6",
            ):  # in the main table, so that an address can be made unreachable by a longer prefix
                self._ip(
                    family, "route", "add", "local", "default", "dev", "lo", "table", "main", "src", _SOURCE[family]
                )
            for name in {*names.NAMES, *(site.host for site in sites.SITES)}:
                self._net.set_name(name, _NO_NAME)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def visit(self, case: Case, urls: list[str]) -> list[Seen]:
        """Sets the case up and asks for each URL in turn."""
        found = case.names()
        for name, answers in found.items():
            self._net.set_name(name, answers)
        for site in case.sites():
            self._net.add_site(site)
        with self._unreachable(case.row.get("unreachable", [])):
            seen = [self._run(case, url) for url in urls]
        for name in found:
            self._net.set_name(name, _NO_NAME)
        return seen

    def tells_of_mixed_scripts(self, url: str) -> bool:
        """What `check-url` says: the notice is about the URL a person gave, so it stands there."""
        result = self._net.run([sys.executable, "-I", "-c", _CONSOLE, "check-url", "--", url], cwd=self._folder)
        return "mixed_script_host" in json.loads(result.stdout).get("notices", [])

    def _run(self, case: Case, url: str) -> Seen:
        environment, asked_for = self._environment(case.row.get("env", {}))
        mark = self._net.mark()
        command = [sys.executable, "-I", "-S", str(_WATCH), *_product(url, case.options)]
        result = self._net.run(command, cwd=self._folder, env=environment, timeout=_RUN_LIMIT_S)
        if result.returncode:
            raise RuntimeError(result.stderr)
        told = json.loads(result.stdout)
        record = self._record(told["stdout"], told["stderr"])
        left = [str(path.name) for path in asked_for if path.exists()]
        outcome = _outcome(told["returncode"], told["stderr"])
        return Seen(outcome, [(address, port) for address, port in told["tried"]], record, self._net.log(mark), left)

    def _environment(self, extra: dict[str, str]) -> tuple[dict[str, str], list[Path]]:
        """The person's environment with the variables of the case; a key log is asked for in our own folder."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"HOME": str(self._folder)}
        key_log = self._folder / "keys.log"
        key_log.unlink(missing_ok=True)
        given = {name: str(key_log) if name == "SSLKEYLOGFILE" else value for name, value in extra.items()}
        return kept | given, [key_log]

    def _record(self, stdout: str, stderr: str) -> dict[str, Any]:
        path = stdout.strip() or stderr.partition(" (record: ")[2].rstrip().removesuffix(")")
        return dict(json.loads((self._folder / path).read_bytes())) if path else {}

    @contextlib.contextmanager
    def _unreachable(self, targets: list[str]) -> Iterator[None]:
        """Packets to these addresses vanish, as where a host is down."""
        for address in targets:
            family, bits = ("-6", 128) if ":" in address else ("-4", 32)
            self._net.run(["ip", family, "addr", "del", f"{address}/{bits}", "dev", "lo"])  # if it is one of the sites'
            self._ip(family, "route", "add", f"{address}/{bits}", "dev", "lo", "src", _SOURCE[family])
        try:
            yield
        finally:
            for address in targets:
                family, bits = ("-6", 128) if ":" in address else ("-4", 32)
                self._ip(family, "route", "del", f"{address}/{bits}", "dev", "lo")

    def _ip(self, *words: str) -> None:
        done = self._net.run(["ip", *words], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        if done.returncode:
            raise RuntimeError(done.stderr)


def _product(url: str, options: tuple[str, ...]) -> list[str]:
    arguments = ["fetch", "--quiet", "--timeout", _TIMEOUT_S, *options, "--"]
    try:
        passable = b"\0" not in os.fsencode(url)
    except UnicodeEncodeError:
        passable = False
    if passable:
        return [sys.executable, "-I", "-c", _CONSOLE, *arguments, url]
    return [sys.executable, "-I", "-c", _INNER, *arguments, url.encode("unicode_escape").decode("ascii")]


def _outcome(returncode: int, stderr: str) -> str:
    """ "ok" or the reason code of the one line on stderr."""
    if returncode == 0:
        return "ok"
    return stderr.removeprefix("guarded-webfetch: ").partition(":")[0] or "no reason given"
