"""Nothing a locked child tries reaches anything; every try first succeeds unlocked, or is reported as not provable here."""

import functools
import os
from typing import Any

import pytest
from tests.isolation.attempts import ATTEMPTS, Attempt
from tests.isolation.locked import Outcome, run
from tests.isolation.world import World

from guarded_webfetch.isolation.syscalls import MACHINE

pytestmark = pytest.mark.skipif(MACHINE is None, reason="the kernel layers exist for Linux on x86-64 and aarch64")

ROLES = ("fetcher", "parser", "sanitizer")
IDENTITIES = ("user", "root") if os.geteuid() == 0 else ("user",)
CASES = [(one, identity) for one in ATTEMPTS for identity in IDENTITIES if not (one.root_only and identity == "user")]
NAMES = [f"{one.name}-{identity}" for one, identity in CASES]

# Tries that fail unlocked on every system of today as well; all the others must be provable on a continuous integration machine.
RARELY_PROVABLE = frozenset({
    "call_by_an_x32_number",  # few kernels are built with x32
    "vsock_socket", "crypto_socket",  # modules that may not be loaded
    "set_an_attribute",  # depends on the file system
    "move_the_victim_to_one_processor",  # proves nothing with one processor
    "raise_its_limits",  # root without CAP_SYS_RESOURCE
    "userfaultfd", "performance_counter", "kernel_log", "io_uring", "new_user_namespace", "message_queue", "shared_memory",
    "connect_over_multipath_tcp", "add_a_key", "keyring", "fast_open_on_a_shut_socket", "watch_all_files", "open_by_handle",
    "bpf_map", "mount_a_file_system", "new_network_namespace", "memory_file",  # settings, containers, outer sandboxes
})  # fmt: skip


def opens(one: Attempt, role: Any, identity: str) -> tuple[bool, Outcome]:
    """Whether the attempt had its effect, and what the child said."""
    user = identity == "user"
    with World(user, patience_s=0.1 if role else 2.0) as world:
        outcome = run(one.do, world, role, user=user)
        return (one.effect(world) if one.effect else bool(outcome.said)), outcome


@functools.cache
def control(one: Attempt, identity: str) -> bool:
    """Whether it has its effect unlocked."""
    return opens(one, None, identity)[0]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("one", "identity"), CASES, ids=NAMES)
def test_a_locked_child_cannot(one: Attempt, identity: str, role: str) -> None:
    opened, outcome = opens(one, role, identity)
    assert outcome.report is not None and outcome.report["level"] == "strict"
    assert not opened
    if not control(one, identity):
        pytest.skip(f"not provable here: {one.name} as {identity} fails unlocked as well")


@pytest.mark.parametrize(("one", "identity"), CASES, ids=NAMES)
def test_the_attempt_is_real(one: Attempt, identity: str) -> None:
    """A suite of attempts that cannot succeed anywhere would prove nothing."""
    assert control(one, identity) or one.name in RARELY_PROVABLE


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) >= 60
    assert sum(control(one, "user") for one in ATTEMPTS if not one.root_only) >= 40
