"""Runs one function in a freshly forked child, unlocked as its control or behind the real lock, and tells what it said."""

import json
import os
import resource
import select
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from guarded_webfetch.isolation import capabilities, landlock, process
from tests.isolation.world import World, become

PATIENCE_S = 10.0
SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Outcome:
    """`report` is what the lock said (None unlocked), `said` what the function returned, "" after a refusal by the kernel."""

    report: dict[str, Any] | None
    said: Any
    status: int  # of waitpid


@dataclass(frozen=True)
class Conditions:
    """Under which lock, with which identity, without which of its steps, and in namespaces of its own or not."""

    role: Any
    user: bool
    without: tuple[str, ...]
    namespaced: bool


def _nothing(*_: object) -> None:
    """A step that says it worked and did nothing."""


# Each step of the lock by name: where it lives, and under what name.
STEPS: dict[str, tuple[Any, str]] = {
    "seccomp": (process, "_filter_calls"),
    "landlock": (landlock, "restrict"),
    "capabilities": (capabilities, "drop"),
    "descriptor limit": (process, "_limit_descriptors"),
    "closing": (os, "closerange"),
    "AS": (process, "RLIMIT_AS"), "CPU": (process, "RLIMIT_CPU"), "CORE": (process, "RLIMIT_CORE"),
    "FSIZE": (process, "RLIMIT_FSIZE"), "NPROC": (process, "RLIMIT_NPROC"),
    "MEMLOCK": (process, "RLIMIT_MEMLOCK"), "MSGQUEUE": (process, "RLIMIT_MSGQUEUE"),
    "undumpable": (process, "_PR_SET_DUMPABLE"), "no_new_privs": (process, "_PR_SET_NO_NEW_PRIVS"),
}  # fmt: skip


def remove(step: str) -> None:
    """Makes `step` a no-op in this process."""
    owner, name = STEPS[step]
    if name.startswith("RLIMIT_"):
        real, kind = process._limit, getattr(process.resource, name)
        process._limit = lambda which, value: None if which == kind else real(which, value)
    elif name.startswith("_PR_SET_"):
        real_set, option = process._set, getattr(process, name)
        process._set = lambda which, value: None if which == option else real_set(which, value)
    else:
        setattr(owner, name, _nothing)


def run(
    function: Callable[[World], Any],
    world: World,
    role: Any,
    *,
    user: bool = True,
    without: tuple[str, ...] = (),
    namespaced: bool = False,
) -> Outcome:
    """`role` None runs the function unlocked; `without` names steps of the lock that are left out."""
    reader, writer = os.pipe()
    conditions = Conditions(role, user, without, namespaced)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        become(user)
        if namespaced:
            parent = _fork_inside(writer)
        _child(function, world, conditions, writer, parent)
    os.close(writer)
    data = _read_all(reader, pid)
    _, status = os.waitpid(pid, 0)
    lines = data.decode().splitlines()
    report = json.loads(lines.pop(0)) if role is not None and lines else None
    said = json.loads(lines[0]) if lines else ""
    assert not (isinstance(said, str) and said.startswith("broken test")), said
    return Outcome(report, said, status)


def _fork_inside(writer: int) -> int:
    """Returns in a child in namespaces of its own, with its parent; the parent itself ends as that child does."""
    parent = os.getpid()
    pid = process.fork(namespaced=True)
    if pid == 0:
        return parent
    os.close(writer)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(parent, -code)
    os._exit(code)


def _child(function: Callable[[World], Any], world: World, conditions: Conditions, writer: int, parent: int) -> None:
    try:
        if conditions.role is not None:
            for step in conditions.without:
                remove(step)
            process.enter((writer, *world.keep()), parent)
            os.write(
                writer, json.dumps(process.lock(conditions.role, namespaced=conditions.namespaced)).encode() + b"\n"
            )
        try:
            said = function(world)
            answer = said if isinstance(said, (*SCALARS, list, dict)) else bool(said)
        except (OSError, MemoryError):
            answer = ""
        except BaseException as error:
            answer = f"broken test: {type(error).__name__} {error}"
        os.write(writer, json.dumps(answer).encode() + b"\n")
    finally:
        os._exit(0)


def _read_all(reader: int, pid: int) -> bytes:
    data = b""
    while True:
        readable, _, _ = select.select([reader], [], [], PATIENCE_S)
        if not readable:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError("a child hangs")
        part = os.read(reader, 65536)
        if not part:
            os.close(reader)
            return data
        data += part
