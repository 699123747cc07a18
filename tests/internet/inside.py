"""The keeper: the process inside the namespace. Sets it up, starts the servers, runs commands, clears away.

Started by `client` as `unshare -Urnm PYTHON -I -S inside.py FOLDER CONTROL_FD ORDERS_FD`. CONTROL is a SEQPACKET socket:
first it says {"ready": true} or {"problem": text}; then each message is a command to run, with four descriptors (standard
input, output, error, and a pipe for what becomes of it). The end of CONTROL ends everything.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.internet import namespace, processes

MAX_MESSAGE_BYTES: Final = 1_000_000


class Keeper:
    """Runs commands in the namespace until its client is gone. Single-threaded, so that forking is safe."""

    def __init__(self, control: socket.socket, servers_pid: int) -> None:
        self._control = control
        self._servers_pid = servers_pid
        self._running: dict[int, tuple[subprocess.Popen[bytes], int]] = {}  # pid -> process, reply descriptor
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        wakeup, wake = socket.socketpair()
        wake.setblocking(False)
        signal.set_wakeup_fd(wake.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(wakeup, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is wakeup:
                    wakeup.recv(4096)
                    if not self._reap():
                        return
                elif not self._take_command():
                    return

    def _take_command(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self._control, MAX_MESSAGE_BYTES, 4)
        if not message:
            return False
        *streams, reply = descriptors
        try:
            process = self._start(json.loads(message), streams)
        except OSError as problem:
            missing = isinstance(problem, FileNotFoundError)
            _tell(reply, f"exit {127 if missing else 126} {problem.strerror}: {os.fsdecode(problem.filename or '')}")
            os.close(reply)
        else:
            _tell(reply, f"pid {process.pid}")
            self._running[process.pid] = (process, reply)
        for descriptor in streams:
            os.close(descriptor)
        return True

    def _start(self, order: dict[str, Any], streams: list[int]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            order["argv"], cwd=order["cwd"], env=order["env"], start_new_session=order["session"],
            stdin=streams[0], stdout=streams[1], stderr=streams[2], preexec_fn=processes.die_with_parent,  # noqa: PLW1509
        )  # fmt: skip

    def _reap(self) -> bool:
        """Tells clients what ended, also reaps orphans; False when the servers are gone."""
        for pid, returncode in processes.reap_all():
            if pid == self._servers_pid:
                return False
            if pid in self._running:
                process, reply = self._running.pop(pid)
                process.returncode = returncode  # reaped here, not by the object
                _tell(reply, f"exit {returncode}")
                os.close(reply)
        return True


def _tell(reply: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # a client that no longer waits
        os.write(reply, os.fsencode(text) + b"\n")


def set_up(folder: Path, orders: socket.socket, control: socket.socket) -> int:
    """Prepares the namespace and forks the servers; returns their process id when every port is open."""
    from tests.internet import servers
    from tests.internet.authority import Authority

    namespace.open_network(_tool("ip"))
    authority = Authority(folder / "authority", _tool("openssl"))
    servers.issue_certificates(authority)
    mounted = folder / "mounted"
    mounted.mkdir(mode=0o755)
    namespace.cover_name_files(mounted)
    namespace.cover_trust_store(mounted, authority)
    ready, tell_ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be_servers(folder, authority, orders, control, tell_ready)
    os.close(tell_ready)
    orders.close()
    if os.read(ready, 1) != b"r":
        raise RuntimeError("the servers did not start")
    os.close(ready)
    return pid


def _be_servers(folder: Path, authority: Any, orders: socket.socket, control: socket.socket, tell_ready: int) -> None:
    from tests.internet import servers

    try:
        processes.die_with_parent()
        control.close()
        servers.serve(folder, authority, orders, tell_ready)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _tool(name: str) -> str:
    """`ip` lives in a folder that an ordinary user's PATH may lack."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    found = shutil.which(name, path=path)
    if found is None:
        raise RuntimeError(f"{name} is missing")
    return found


def main() -> int:
    folder = Path(sys.argv[1])
    control, orders = (socket.socket(fileno=int(argument)) for argument in sys.argv[2:4])
    for inherited in (control, orders):
        inherited.set_inheritable(False)
    processes.ignore_terminal_signals()
    processes.become_subreaper()
    try:
        try:
            servers_pid = set_up(folder, orders, control)
        except (OSError, RuntimeError, subprocess.CalledProcessError) as problem:
            control.send(json.dumps({"problem": str(problem)}).encode())
            return 1
        control.send(json.dumps({"ready": True}).encode())
        Keeper(control, servers_pid).run()
        return 0
    finally:
        processes.kill_descendants(os.getpid())
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
