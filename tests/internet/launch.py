"""What scripts/sealed-internet runs: one command, or a shell, inside; then everything is gone.

The command has the caller's terminal, working folder and environment; its exit code, or the signal that ended it, is
passed on. Exit 3 and one line when the machine lacks something, 70 when the servers inside died.
"""

import contextlib
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.internet import processes
from tests.internet.client import CannotStart, Running, SealedInternet, Unavailable

TERM_GRACE_S: Final = 2.0
WELCOME: Final = """\
A sealed internet: no packet leaves it. Some of what is here (tests/internet/README.md has the whole table):
  https://example.com/                                      a short page
  https://news.canal-journal.com/articles/lock-gates        a long article
  https://news.canal-journal.com/injected                   a page that gives orders to its reader
  https://www.city.tsukishiro.lg.jp/kurashi/gomi.html       a Japanese page in Shift_JIS
  https://files.canal-journal.com/report.pdf                a PDF; also levels.json, locks.csv, notes.txt
  http://canal-journal.com/                                 redirects to https, then to www
  https://moved.canal-journal.com/cross                     redirects to another origin
  https://status.canal-journal.com/404                      a missing page with a long text
  http://loop.canal-journal.com/                            a name that leads to 127.0.0.1
  https://slow.canal-journal.com/drip                       a page that never ends
Leave with: exit
"""


class Stopped(Exception):
    """The launcher was told to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: list[str]) -> int:
    """Exit code; negative for a signal."""
    processes.become_subreaper()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        with SealedInternet() as net:
            if not arguments:
                sys.stderr.write(WELCOME)
                sys.stderr.flush()
            return _run(net, arguments or [_shell()])
    except Unavailable as reason:
        print(f"sealed-internet: {reason}", file=sys.stderr)
        return 3
    except CannotStart as problem:
        print(f"sealed-internet: {problem}", file=sys.stderr)
        return problem.returncode
    except Stopped as stopped:
        return -stopped.number
    except RuntimeError as problem:
        print(f"sealed-internet: {problem}", file=sys.stderr)
        return 70
    finally:
        processes.kill_descendants(os.getpid())  # what a keeper that was itself killed left behind


def _run(net: SealedInternet, command: list[str]) -> int:
    started: list[Running] = []

    def pass_on(number: int, _: object) -> None:
        if started and not _in_foreground():
            started[0].signal(number)

    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, pass_on)
    started.append(running := net.start_attached(command))
    try:
        returncode = running.poll(None)
    except Stopped as stopped:
        _end(running, stopped.number)
        raise
    assert returncode is not None
    return returncode


def _stop(number: int, _: object) -> None:
    raise Stopped(number)


def _end(running: Running, number: int) -> None:
    """Passes the signal on and gives the command a moment to end by itself."""
    running.signal(number)
    with contextlib.suppress(Stopped):  # told twice: no more patience
        running.poll(TERM_GRACE_S)


def _in_foreground() -> bool:
    """Whether the terminal sent Ctrl-C to this whole process group, the command included."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _shell() -> str:
    named = os.environ.get("SHELL", "")
    return named if os.access(named, os.X_OK) else "/bin/sh"


def _end_as(returncode: int) -> None:
    """Ends this process the way the command ended."""
    if returncode >= 0:
        sys.exit(returncode)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if -returncode not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-returncode, signal.SIG_DFL)
    os.kill(os.getpid(), -returncode)


if __name__ == "__main__":
    _end_as(main(sys.argv[1:]))
