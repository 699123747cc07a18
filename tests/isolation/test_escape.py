"""Nothing a locked child tries reaches anything; every try first succeeds unlocked, or is reported as not provable here."""

import functools
import os
from dataclasses import dataclass
from typing import Any

import pytest

from guarded_webfetch.isolation import landlock
from guarded_webfetch.isolation.syscalls import MACHINE
from tests.isolation.attempts import ATTEMPTS, Attempt
from tests.isolation.kinds import KINDS
from tests.isolation.locked import STEPS, Outcome, run
from tests.isolation.world import World

pytestmark = pytest.mark.skipif(MACHINE is None, reason="the kernel layers exist for Linux on x86-64 and aarch64")

ROLES = ("fetcher", "parser", "sanitizer")
LONG = os.environ.get("GUARDED_WEBFETCH_LONG") == "1"


@dataclass(frozen=True)
class Layers:
    """What a machine offers, and the level a child reaches there."""

    name: str
    level: str
    namespaced: bool = False
    without: tuple[str, ...] = ()


CONFIGURATIONS = (
    Layers("all", "max", namespaced=True),
    Layers("no-user-namespaces", "strict"),
    Layers("no-landlock", "max", namespaced=True, without=("landlock",)),
    Layers("seccomp-only", "strict", without=("landlock",)),
)
IDENTITIES = ("user", "root") if os.geteuid() == 0 else ("user",)
CASES = [(one, identity) for one in ATTEMPTS for identity in IDENTITIES if not (one.root_only and identity == "user")]
NAMES = [f"{one.name}-{identity}" for one, identity in CASES]
# In the short run each attempt with one identity, taking turns, where the other tells little more.
HALF = [
    pytest.param(one, identity, id=f"{one.name}-{identity}")
    for number, one in enumerate(ATTEMPTS)
    for identity in IDENTITIES
    if (one, identity) in CASES and (LONG or one.root_only or IDENTITIES[number % len(IDENTITIES)] == identity)
]

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
    "memory_file", "change_root", "raw_socket", "packet_socket", "attach_a_filter_program", "compare_with_the_victim",
    "become_real_time", "semaphores", "old_message_queue", "enter_a_namespace", "name_the_machine", "make_a_device",
    "map_the_first_page", "open_a_setting_of_the_kernel",
    "name_another_host_on_a_live_connection",  # no kernel does that; the broker gives each host a fetcher of its own besides
})  # fmt: skip


def opens(
    one: Attempt,
    role: Any,
    identity: str,
    without: tuple[str, ...] = (),
    *,
    namespaced: bool = False,
    patience_s: float | None = None,
) -> tuple[bool, Outcome]:
    """Whether the attempt had its effect, and what the child said."""
    user = identity == "user"
    stays_shut = role and (not without or without == ("landlock",))
    with World(user, patience_s=patience_s or (0.1 if stays_shut else 2.0)) as world:
        outcome = run(one.do, world, role, user=user, without=without, namespaced=namespaced)
        return (one.effect(world) if one.effect else bool(outcome.said)), outcome


# What a resolver can reach beyond its name service, and what narrows it later: Landlock 9 unix sockets, 10 datagrams to port 53.
RESOLVER_MAY = {
    "stat_a_file": 0, "probe_access": 0, "read_a_link": 0,
    "pass_a_descriptor_on": 0,  # over a socket it was given here; a resolver of the product is given none
    "send_a_datagram": 10, "connect_to_a_unix_socket": 9,
    "send_to_a_path_on_a_datagram_pair": 9, "sendmsg_to_a_path_on_a_datagram_pair": 9,
}  # fmt: skip


@functools.cache
def control(one: Attempt, identity: str) -> bool:
    """Whether it has its effect unlocked."""
    return opens(one, None, identity)[0]


@functools.cache
def namespaces_refused() -> bool:
    """Whether this machine keeps an ordinary user, or root, from having namespaces."""
    with World(True) as world:
        report = run(lambda _: True, world, "parser", namespaced=True).report
    return report is None or report["level"] != "max"


def sampled(case: int, layers: Layers, role: str) -> bool:
    """The long run tries all; the short one each attempt in three configurations, in one role each, taking turns."""
    number = CONFIGURATIONS.index(layers)
    return LONG or (number < len(ROLES) and (case + number) % len(ROLES) == ROLES.index(role))


RUNS = [
    pytest.param(one, identity, layers, role, id=f"{one.name}-{identity}-{layers.name}-{role}")
    for case, (one, identity) in enumerate(CASES)
    for layers in CONFIGURATIONS
    for role in ROLES
    if sampled(case, layers, role)
]


@pytest.mark.parametrize(("one", "identity", "layers", "role"), RUNS)
def test_a_locked_child_cannot(one: Attempt, identity: str, layers: Layers, role: str) -> None:
    if layers.namespaced and namespaces_refused():
        pytest.skip("user namespaces are refused here")
    opened, outcome = opens(one, role, identity, layers.without, namespaced=layers.namespaced)
    assert outcome.report is not None and outcome.report["level"] == layers.level
    assert ("landlock" in outcome.report["layers"]) == (landlock.abi() > 0 and "landlock" not in layers.without)
    assert not opened
    if not control(one, identity):
        pytest.skip(f"not provable here: {one.name} as {identity} fails unlocked as well")


@pytest.mark.skipif(landlock.abi() < 6, reason="an older Landlock leaves the resolver more than this")
@pytest.mark.parametrize(("one", "identity"), HALF)
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


@pytest.mark.parametrize(("one", "identity"), HALF)
def test_only_the_lock_stops_it(one: Attempt, identity: str) -> None:
    """With every step left out the attempt works as in its control: it fails for no other reason than the lock."""
    assert opens(one, "parser", identity, tuple(STEPS))[0] == control(one, identity)


def test_each_attempt_is_of_one_kind() -> None:
    named = [name for names in KINDS.values() for name in names]
    assert sorted(named) == sorted(one.name for one in ATTEMPTS)


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) >= 90
    assert sum(control(one, "user") for one in ATTEMPTS if not one.root_only) >= 60
