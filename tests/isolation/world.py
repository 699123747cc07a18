"""What an escape could reach: files, listeners, a victim process, passed descriptors. Made anew for every attempt."""

import ctypes
import os
import select
import shutil
import signal
import socket
import struct
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

NOBODY = 65534
SECRET = b"a canary that must stay in its file"
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_LIBC = ctypes.CDLL(None, use_errno=True)


def become(user: bool) -> None:
    """The identity an attempt runs with; without effect where the tests are run by an ordinary user."""
    if user and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    _LIBC.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # a change of user ends it


def disconnect(one: socket.socket) -> None:
    """Ends a connection so that the socket could make another one (connect(2), AF_UNSPEC)."""
    unspecified = ctypes.create_string_buffer(struct.pack("H14x", socket.AF_UNSPEC))
    if _LIBC.connect(one.fileno(), unspecified, 16) != 0:
        raise OSError(ctypes.get_errno(), "connect")


class World:
    """Everything is open and reachable for the identity the attempt runs with."""

    def __init__(self, user: bool, *, patience_s: float = 0.1) -> None:
        self._patience_s = patience_s
        self.folder = Path(tempfile.mkdtemp(prefix="escape-"))
        self.folder.chmod(0o777)
        self.secret = self._file("secret", SECRET)
        self.file = self._file("file", b"untouched")
        self.link = self.folder / "link"
        self.link.symlink_to(self.secret)
        self.machine = os.fsencode(os.uname().nodename)
        if user and os.geteuid() == 0:
            for path in (self.folder, self.secret, self.file):
                os.chown(path, NOBODY, NOBODY)
        self.tcp, self.other_tcp = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
        self.udp = self._bound(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), ("127.0.0.1", 0))
        self.unix = self._bound(socket.socket(socket.AF_UNIX), str(self.folder / "stream"))
        self.abstract = self._bound(socket.socket(socket.AF_UNIX), f"\0escape-{os.getpid()}-{self.folder.name}")
        self.unix_datagrams = self._bound(
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), str(self.folder / "datagrams")
        )
        for name in ("stream", "datagrams"):
            (self.folder / name).chmod(0o777)
        self.unix.listen()
        self.abstract.listen()
        listeners = {"other_tcp": self.other_tcp, "udp": self.udp, "unix": self.unix, "abstract": self.abstract}
        # asked here, since a locked child has none of these sockets
        self.addresses = {name: one.getsockname() for name, one in listeners.items()}
        self.passed = socket.create_connection(self.tcp.getsockname())  # what a fetcher is given
        self._peer, _ = self.tcp.accept()
        self.half_open = socket.create_connection(self.tcp.getsockname())
        disconnect(self.half_open)
        self.tcp.accept()[0].close()
        self.connecting = self._connecting()
        self.datagram_pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.stream_pair = socket.socketpair()
        self.leaked = os.open(self.secret, os.O_RDONLY)  # not among the descriptors a child may keep
        self.victim = self._start_victim(user)

    def keep(self) -> tuple[int, ...]:
        """The descriptors an attempt may use."""
        sockets = (self.passed, self.half_open, self.connecting, *self.datagram_pair, *self.stream_pair)
        return tuple(one.fileno() for one in sockets)

    def victim_killed(self) -> bool:
        readable, _, _ = select.select([self._alive], [], [], self._patience_s)
        return bool(readable)

    def victim_has_limit(self, file_bytes: int) -> bool:
        """As /proc says, which anybody may read."""
        limits = Path(f"/proc/{self.victim}/limits").read_text(encoding="ascii")
        return f"Max file size             {file_bytes} " in limits

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self.victim, signal.SIGKILL)
        os.waitpid(self.victim, 0)
        for one in (
            self.tcp, self.other_tcp, self.udp, self.unix, self.abstract, self.unix_datagrams, self.passed, self._peer,
            self.half_open, *self.datagram_pair, *self.stream_pair, self._busy, *self._waiting,
        ):  # fmt: skip
            one.close()
        os.close(self.leaked)
        os.close(self._alive)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _file(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        path.chmod(0o666)
        return path

    def _bound(self, one: socket.socket, address: object) -> socket.socket:
        one.bind(address)
        return one

    def _connecting(self) -> socket.socket:
        """A socket whose connection is under way for ever: its listener's queue is full."""
        self._busy = socket.create_server(("127.0.0.1", 0), backlog=0)
        self._waiting = [socket.socket() for _ in range(3)]
        for one in self._waiting:
            one.setblocking(False)
            one.connect_ex(self._busy.getsockname())
            one.setblocking(True)
        return self._waiting[-1]

    def _start_victim(self, user: bool) -> int:
        """A process of the attempt's own user that any same-user process may read; `_alive` ends with it."""
        self._alive, writer = os.pipe()
        ready, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            become(user)
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.closerange(0, writer)
            os.write(told, b".")
            while True:
                signal.pause()
        os.close(told)
        os.close(writer)
        os.read(ready, 1)
        os.close(ready)
        return pid
