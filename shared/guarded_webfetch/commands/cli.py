"""The console: finds the subcommand, runs it, turns every failure into one line and an exit code."""

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Final

from guarded_webfetch import __version__
from guarded_webfetch.commands.outcome import refuse
from guarded_webfetch.core.reasons import Refusal

COMMANDS: Final = {
    "fetch": "fetch one URL and write its record",
    "sanitize": "sanitize a local file, without a network",
    "check-url": "say whether a URL may be fetched, and why not",
    "show": "show a record to a person, in the terminal or as a page",
    "rules": "list the pattern rules, or check their examples",
    "sources": "fetch a list of URLs into fenced files for an agent",
    "gate": "ask whether an answer's sources were really fetched",
    "links": "build a page from a model's draft with links from a store",
    "purge": "remove old results",
    "setup": "build the environment ahead of the first fetch",
    "doctor": "check what this machine can do",
}

# What the scripts of the skills start: closed lists of options.
_LAUNCHERS: Final = {
    "agent": "fetch",
    "read-result": "read_result",
    "agent-sources": "sources",
    "agent-grounded": "grounded",
}


def main(argv: list[str]) -> int:
    """Runs one command line (without the program's name) and returns the exit code; never raises, never prints a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the children die with this process
    try:
        return _command(argv)
    except Refusal as refusal:
        return refuse(refusal.code)
    except SystemExit as stop:  # argparse has printed its --help
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:  # whoever read the output has seen enough
        return 0
    except Exception:
        _keep_traceback()
        return refuse("internal_error")
    finally:
        _flush()


def _command(argv: list[str]) -> int:
    name, rest = (argv[0], argv[1:]) if argv else ("", [])
    run: Callable[[list[str]], int]
    if name in _LAUNCHERS:
        run = import_module(f"guarded_webfetch.commands.{_LAUNCHERS[name]}").run_agent
        return run(rest)
    if name in ("", "--help", "-h", "help"):
        return _usage()
    if name == "--version":
        print(f"guarded-webfetch {__version__}")
        return 0
    if name not in COMMANDS:
        raise Refusal("usage_invalid")
    run = import_module(f"guarded_webfetch.commands.{name.replace('-', '_')}").run
    return run(rest)


def _usage() -> int:
    print("usage: guarded-webfetch COMMAND [ARGUMENTS]   (COMMAND --help tells more)\n")
    for name, what in COMMANDS.items():
        print(f"  {name:<10} {what}")
    return 0


def _keep_traceback() -> None:
    """Leaves the traceback in the user's state folder: printed, it could show an agent what a page chose."""
    import traceback

    from guarded_webfetch.broker import user_folders

    folder = user_folders.state()
    if folder is None or user_folders.below_working_folder(folder):
        return
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with open(os.open(os.path.join(folder, "last-crash.txt"), flags, 0o600), "w", encoding="utf-8") as file:
            file.write(f"guarded-webfetch {__version__}, Python {sys.version}\n{traceback.format_exc()}")
    except OSError:
        pass


def _flush() -> None:
    for fd, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            if stream is not None:
                stream.flush()
        except OSError:  # the reader has gone away
            os.dup2(os.open(os.devnull, os.O_WRONLY), fd)
