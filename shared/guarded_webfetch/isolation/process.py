"""The lock of a child, layer by layer, and the little the broker does for itself.

`enter` runs first thing after the fork, `lock` after the child has imported what it needs: what a child does after `lock`
happens inside every layer. A layer this system does not have lowers the reported level; the broker decides whether that is enough.
"""

import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

from guarded_webfetch.isolation import (
    allow_lists,
    canaries,
    capabilities,
    kernel,
    landlock,
    namespaces,
    seccomp,
    syscalls,
)
from guarded_webfetch.isolation.profiles import PROFILES, ZERO_LIMITS, Profile, RoleName

# prctl(2) options, from linux/prctl.h
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38

# Level "strict" is this and the filter as the canaries saw it; Landlock comes on top where the kernel has it.
_REQUIRED_HYGIENE: Final = frozenset(
    {"descriptors", "rlimits", "capabilities", "unreadable_memory", "no_new_privs", "single_thread"}
)
# Level "max" is all of these besides.
_REQUIRED_NAMESPACES: Final = frozenset(
    {"user_namespace", "pid_namespace", "network_namespace", "mount_namespace", "ipc_namespace", "uts_namespace"}
)


class IsolationError(Exception):
    """A step that every supported system has failed; the child must not receive data."""


def fork(*, namespaced: bool) -> int:
    """os.fork; with `namespaced` into a user and process namespace of its own, where the kernel allows that."""
    return namespaces.fork() if namespaced else os.fork()


def enter(keep: tuple[int, ...], parent: int) -> None:
    """Ties this fresh fork to `parent` and drops every descriptor but `keep` (0-2 become /dev/null).

    The first of `keep` is a pipe whose other end the parent holds.

    Without the closing, a child would keep its own pipe's other end open and never see its end.
    """
    if sys.platform == "linux":
        try:
            kernel.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        except OSError as error:
            raise IsolationError("PR_SET_PDEATHSIG") from error
    if os.getppid() not in (parent, 0):  # the parent died before the signal was armed
        os._exit(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, _open_max())
    if _given_up(keep[0]):  # the same, seen from a process namespace, where every parent outside is 0
        os._exit(1)
    os.setsid()


def lock(role: RoleName, *, namespaced: bool = False) -> dict[str, Any]:
    """Locks this process for ever and says what its own checks saw. `namespaced` is for a child that was forked so.

    {"level": "max", "strict" or "process", "layers": [names], "landlock_abi": 0 where Landlock does nothing,
    "canaries": {forbidden try: name of its errno, or "succeeded"}}
    """
    profile = PROFILES[role]
    view = canaries.look()
    if namespaced:
        _attempt(namespaces.leave)
    _attempt(lambda: _set_limits(profile))
    _attempt(capabilities.drop)
    _attempt(lambda: _set(_PR_SET_DUMPABLE, 0))
    _attempt(lambda: _set(_PR_SET_NO_NEW_PRIVS, 1))
    layers = [*canaries.hygiene(role, view), *(canaries.namespaces(view) if namespaced else [])]
    if view.proc >= 0:
        os.close(view.proc)
    _attempt(lambda: landlock.restrict(role))
    landlock_abi = landlock.abi() if canaries.landlock() else 0
    _attempt(lambda: _limit_descriptors(profile.more_descriptors))  # Landlock needed one more for a moment
    _attempt(lambda: _filter_calls(role))
    return _report(layers, landlock_abi, canaries.seccomp(role))


def protect_broker(memory_bytes: int) -> None:
    """The broker's own limits: no core file, a memory cap, memory unreadable by processes of the same user."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, memory_bytes)
    _attempt(lambda: _set(_PR_SET_DUMPABLE, 0))


def _report(layers: list[str], landlock_abi: int, answers: dict[str, str]) -> dict[str, Any]:
    filtered = set(answers.values()) == {"EPERM"}
    level = "process"
    if filtered and set(layers) >= _REQUIRED_HYGIENE:
        level = "max" if set(layers) >= _REQUIRED_NAMESPACES else "strict"
    layers = [*layers, *(["landlock"] if landlock_abi else []), *(["seccomp"] if filtered else [])]
    return {"level": level, "layers": layers, "landlock_abi": landlock_abi, "canaries": answers}


def _attempt(step: Callable[[], None]) -> None:
    """Takes one step. Whether it worked is for the canaries to see: neither a refusal nor a success is believed."""
    try:
        step()
    except (OSError, ValueError):
        pass


def _set(option: int, value: int) -> None:
    kernel.prctl(option, value)


def _filter_calls(role: RoleName) -> None:
    if syscalls.MACHINE is not None:
        seccomp.install(seccomp.build(allow_lists.calls(role, os.getpid()), syscalls.MACHINE))


def _set_limits(profile: Profile) -> None:
    _limit(resource.RLIMIT_AS, profile.memory_bytes)
    _limit(resource.RLIMIT_CPU, profile.cpu_s)
    for name in ZERO_LIMITS:
        kind = getattr(resource, f"RLIMIT_{name}", None)  # MSGQUEUE exists on Linux only
        if kind is not None:
            _limit(kind, 0)


def _limit_descriptors(more: int) -> None:
    """Room for `more` further descriptors; those that are open stay usable whatever their numbers."""
    lowest_free = os.dup(0)
    os.close(lowest_free)
    _limit(resource.RLIMIT_NOFILE, lowest_free + more if more else 0)


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard not in (resource.RLIM_INFINITY, -1):
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _given_up(fd: int) -> bool:
    """Whether nobody holds the other end of this pipe any more."""
    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))


def _open_max() -> int:
    """One above the highest open descriptor."""
    try:
        return max(map(int, os.listdir("/proc/self/fd")), default=2) + 1
    except OSError:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return soft
