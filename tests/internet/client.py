"""The way into a sealed internet from outside: start it once, run any number of commands inside.

with SealedInternet() as net:
    result = net.run(["curl", "-s", "https://example.com/"])
    assert result.returncode == 0 and not result.log.traps
"""

import contextlib
import json
import os
import pickle
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Self

from tests.internet import log, processes
from tests.internet.dns import Answers
from tests.internet.replies import Site

START_LIMIT_S: Final = 20.0
PACKAGES: Final = {"unshare": "util-linux", "ip": "iproute2", "openssl": "openssl"}


class Unavailable(Exception):
    """This machine cannot run a sealed internet; the message is one line that names the package or setting."""


@dataclass(frozen=True)
class Result:
    """What a command did. `returncode` is negative for a signal, as subprocess has it; `log` is what it caused."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float
    log: log.Entries


class Running:
    """A command at work inside. `pid` is valid outside too: there is no process namespace."""

    def __init__(self, net: "SealedInternet", offset: int, reply: IO[str], streams: tuple[IO[bytes], ...]) -> None:
        self._net = net
        self._offset = offset
        self._reply = reply
        self._streams = streams
        self._started = time.monotonic()
        self._returncode: int | None = None
        self.pid = self._read_pid()

    def _read_pid(self) -> int:
        word, _, rest = self._reply.readline().strip().partition(" ")
        if word == "pid":
            return int(rest)
        if word != "exit":
            raise RuntimeError("the sealed internet ended")
        code, _, text = rest.partition(" ")
        raise CannotStart(int(code), text)

    def signal(self, number: int) -> None:
        """To the command itself; nothing when it has ended. Safe in a signal handler."""
        if self._returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def poll(self, limit_s: float | None) -> int | None:
        """The exit code, waiting at most so long (None: for ever); None while it runs."""
        if self._returncode is None and select.select([self._reply], [], [], limit_s)[0]:
            word, _, rest = self._reply.readline().strip().partition(" ")
            if word != "exit":
                raise RuntimeError("the sealed internet ended")
            self._returncode = int(rest)
            self._reply.close()
        return self._returncode

    def wait(self, timeout: float = 60.0) -> Result:
        """Waits for the end. Raises subprocess.TimeoutExpired after killing it and all below it."""
        returncode = self.poll(timeout)
        if returncode is None:
            line = processes.command_line(self.pid)
            processes.kill_descendants(self.pid)
            self.signal(signal.SIGKILL)
            self.poll(5.0)
            raise subprocess.TimeoutExpired(line, timeout)
        seconds = time.monotonic() - self._started
        out, err = (_text(stream) for stream in self._streams) if self._streams else ("", "")
        return Result(returncode, out, err, seconds, self._net.log(self._offset))


class CannotStart(Exception):
    """A command that does not exist (127) or cannot be executed (126)."""

    def __init__(self, returncode: int, text: str) -> None:
        super().__init__(text)
        self.returncode = returncode


class SealedInternet:
    """One namespace with its servers. Raises Unavailable when the machine lacks what it needs."""

    def __init__(self) -> None:
        unshare = _find_tools()
        self.folder = Path(tempfile.mkdtemp(prefix="sealed-internet-"))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 closed in close()
        self._asking = threading.Lock()
        self._services: set[int] = set()
        self._control, control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1_000_000)
        self._orders, orders = socket.socketpair()
        inside = [sys.executable, "-I", "-S", str(Path(__file__).with_name("inside.py")), str(self.folder)]
        with control, orders:
            descriptors = (control.fileno(), orders.fileno())
            self._keeper = subprocess.Popen(
                [unshare, "-Urnm", *inside, *map(str, descriptors)],
                pass_fds=descriptors, stdin=subprocess.DEVNULL, stdout=self._errors, stderr=self._errors, cwd="/",
            )  # fmt: skip
        try:
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every process inside and removes the folder. Idempotent."""
        self._control.close()
        self._orders.close()
        try:
            self._keeper.wait(10.0)
        except subprocess.TimeoutExpired:
            processes.kill_descendants(self._keeper.pid)
            self._keeper.kill()
            self._keeper.wait()
        self._errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ------------------------------------------------------------ commands

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float = 60.0,
    ) -> Result:
        """Runs a command to its end, output captured. A command that cannot start is a Result with 126 or 127."""
        try:
            return self.start(argv, cwd=cwd, env=env, stdin=stdin).wait(timeout)
        except CannotStart as problem:
            return Result(problem.returncode, "", str(problem), 0.0, log.Entries())

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        service: bool = False,
    ) -> Running:
        """Starts a command in a session of its own, output kept in unnamed files until `wait`.

        A `service` is part of the world, such as a server of a test: `processes` leaves it out.
        """
        offset = self.mark()
        given, out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        with given:
            given.write(stdin)
            given.seek(0)
            reply = self._order(argv, cwd, env, (given.fileno(), out.fileno(), err.fileno()), session=True)
        running = Running(self, offset, reply, (out, err))
        if service:
            self._services.add(running.pid)
        return running

    def start_attached(self, argv: Sequence[str]) -> Running:
        """Starts a command on this process's own terminal, folder, environment and streams."""
        return Running(self, self.mark(), self._order(argv, None, None, (0, 1, 2), session=False), ())

    def processes(self) -> list[tuple[int, str]]:
        """(pid, command line) of everything at work inside besides keeper, servers and services."""
        inside = str(Path(__file__).with_name("inside.py"))
        found = ((pid, processes.command_line(pid)) for pid in processes.descendants(self._keeper.pid))
        return [(pid, line) for pid, line in found if inside not in line and pid not in self._services]

    def _order(
        self,
        argv: Sequence[str],
        cwd: str | Path | None,
        env: Mapping[str, str] | None,
        streams: tuple[int, int, int],
        *,
        session: bool,
    ) -> IO[str]:
        order = {
            "argv": list(argv),
            "cwd": str(cwd or os.getcwd()),
            "env": dict(os.environ if env is None else env),
            "session": session,
        }
        reply, tell = os.pipe()
        try:
            socket.send_fds(self._control, [json.dumps(order).encode()], [*streams, tell])
        finally:
            os.close(tell)
        return os.fdopen(reply, encoding="utf-8", errors="surrogateescape")

    # ------------------------------------------------------------ what happened

    def log(self, offset: int = 0) -> log.Entries:
        """Log entries since `mark()`. Every connect and question that came before this call is in it."""
        self._tell_servers("sync", None)
        return log.read(self.folder / "log.jsonl", offset)

    def mark(self) -> int:
        self._tell_servers("sync", None)
        return (self.folder / "log.jsonl").stat().st_size

    # ------------------------------------------------------------ more of the world, at run time

    def add_site(self, site: Site) -> None:
        """Adds or replaces a host with its routes, its name and (https) its certificate. Replies must be picklable."""
        self._tell_servers("site", site)

    def set_name(self, name: str, answers: Answers) -> None:
        """Adds or replaces what one name resolves to; its sequences start again."""
        self._tell_servers("name", (name, answers))

    def add_address(self, address: str) -> None:
        """Makes one more public address reach the sites."""
        family, bits = ("-6", 128) if ":" in address else ("-4", 32)
        command = ["ip", family, "addr", "replace", f"{address}/{bits}", "dev", "lo"]
        done = self.run(command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        if done.returncode:
            raise RuntimeError(done.stderr)

    def _tell_servers(self, what: str, value: Any) -> None:
        order = pickle.dumps((what, value))
        with self._asking:
            self._orders.sendall(len(order).to_bytes(8) + order)
            answer = self._orders.recv(1)
        if answer != b".":
            raise RuntimeError("the servers of the sealed internet ended")

    def _wait_until_ready(self) -> None:
        self._control.settimeout(START_LIMIT_S)
        try:
            answer = self._control.recv(65_536)
        except TimeoutError:
            answer = b""
        self._control.settimeout(None)
        problem = json.loads(answer).get("problem") if answer else _why_no_namespace(_text(self._errors))
        if problem:
            raise Unavailable(problem)


def _find_tools() -> str:
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    for tool, package in PACKAGES.items():
        if shutil.which(tool, path=path) is None:
            raise Unavailable(f"{tool} is missing; install the package {package}")
    return str(shutil.which("unshare", path=path))


def _why_no_namespace(said: str) -> str:
    """One line that names the setting in the way, as far as the kernel lets us see it."""
    settings = {
        "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),  # Ubuntu 24.04
        "kernel/unprivileged_userns_clone": ("0", "1"),  # Debian before 11, some hardened kernels
        "user/max_user_namespaces": ("0", "10000"),
    }
    for name, (bad, good) in settings.items():
        path = Path("/proc/sys", name)
        if path.exists() and path.read_text().strip() == bad:
            return f"user namespaces are refused here; run: sudo sysctl -w {name.replace('/', '.')}={good}"
    if "unshare" in said:
        return "user namespaces are refused here, as in a container without --security-opt seccomp=unconfined"
    return "the sealed internet did not start: " + (said.strip().splitlines() or ["no reason given"])[-1]


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "surrogateescape")
