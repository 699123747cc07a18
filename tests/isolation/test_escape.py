"""Nothing a locked child tries reaches anything; every try first succeeds unlocked, or is reported as not provable here."""

import functools
import os
from typing import Any

import pytest

from guarded_webfetch.isolation import landlock
from guarded_webfetch.isolation.syscalls import MACHINE
from tests.isolation.attempts import ATTEMPTS, Attempt
from tests.isolation.locked import STEPS, Outcome, run
from tests.isolation.world import World

pytestmark = pytest.mark.skipif(MACHINE is None, reason="the kernel layers exist for Linux on x86-64 and aarch64")

ROLES = ("fetcher", "parser", "sanitizer")
IDENTITIES = ("user", "root") if os.geteuid() == 0 else ("user",)
CASES = [(one, identity) for one in ATTEMPTS for identity in IDENTITIES if not (one.root_only and identity == "user")]
NAMES = [f"{one.name}-{identity}" for one, identity in CASES]

# Tries that fail unlocked on every system of today as well; all the others must be provable on a continuous integration machine.
RARELY_PROVABLE = frozenset({
    "call_by_an_x32_number",  # few kernels are built with x32
    "vsock_socket", "crypto_socket", "connect_over_multipath_tcp",  # modules that may not be loaded
    "set_an_attribute",  # depends on the file system
    "move_the_victim_to_one_processor",  # proves nothing with one processor
    "raise_its_limits",  # root without CAP_SYS_RESOURCE
    "fast_open_on_a_half_open_socket", "fast_open_by_sendmsg", "shut_down_then_fast_open",  # net.ipv4.tcp_fastopen
    # what settings, containers and outer sandboxes take away
    "userfaultfd", "performance_counter", "kernel_log", "io_uring", "new_user_namespace", "message_queue", "shared_memory",
    "add_a_key", "keyring", "watch_all_files", "open_by_handle", "bpf_map", "mount_a_file_system", "new_network_namespace",
    "memory_file", "change_root", "raw_socket", "packet_socket",
})  # fmt: skip


def opens(one: Attempt, role: Any, identity: str, without: tuple[str, ...] = ()) -> tuple[bool, Outcome]:
    """Whether the attempt had its effect, and what the child said."""
    user = identity == "user"
    with World(user, patience_s=0.1 if role and not without else 2.0) as world:
        outcome = run(one.do, world, role, user=user, without=without)
        return (one.effect(world) if one.effect else bool(outcome.said)), outcome


# What a resolver can reach beyond its name service, and what narrows it later: Landlock 9 unix sockets, 10 datagrams to port 53.
RESOLVER_MAY = {
    "stat_a_file": 0, "probe_access": 0, "send_a_datagram": 10, "connect_to_a_unix_socket": 9,
    "send_to_a_path_on_a_datagram_pair": 9, "sendmsg_to_a_path_on_a_datagram_pair": 9,
}  # fmt: skip


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


@pytest.mark.skipif(landlock.abi() < 6, reason="an older Landlock leaves the resolver more than this")
@pytest.mark.parametrize(("one", "identity"), CASES, ids=NAMES)
def test_a_locked_resolver_can_no_more_than_this(one: Attempt, identity: str) -> None:
    closed_from = RESOLVER_MAY.get(one.name)
    may = closed_from is not None and (closed_from == 0 or landlock.abi() < closed_from)
    opened, outcome = opens(one, "resolver", identity)
    assert outcome.report is not None and outcome.report["level"] == "strict"
    assert opened == may


@pytest.mark.parametrize(("one", "identity"), CASES, ids=NAMES)
def test_the_attempt_is_real(one: Attempt, identity: str) -> None:
    """A suite of attempts that cannot succeed anywhere would prove nothing."""
    assert control(one, identity) or one.name in RARELY_PROVABLE


@pytest.mark.parametrize(("one", "identity"), CASES, ids=NAMES)
def test_only_the_lock_stops_it(one: Attempt, identity: str) -> None:
    """With every step left out the attempt works as in its control: it fails for no other reason than the lock."""
    assert opens(one, "parser", identity, tuple(STEPS))[0] == control(one, identity)


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) >= 60
    assert sum(control(one, "user") for one in ATTEMPTS if not one.root_only) >= 40
