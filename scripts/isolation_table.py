"""The measuring half of scripts/isolation-report: every escape attempt, once unlocked, once behind each layer alone, once under
each configuration and role, judged by its effect (tests/isolation). Writes references/isolation.md.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "shared")]

from guarded_webfetch.isolation import landlock  # noqa: E402
from tests.isolation.attempts import Attempt  # noqa: E402
from tests.isolation.kinds import KINDS  # noqa: E402
from tests.isolation.locked import STEPS  # noqa: E402
from tests.isolation.test_escape import (  # noqa: E402
    CASES,
    CONFIGURATIONS,
    IDENTITIES,
    ROLES,
    Layers,
    namespaces_refused,
    opens,
)

PAGE = ROOT / "references" / "isolation.md"
_KERNEL = {"seccomp", "landlock", "no_new_privs"}  # the two layers, and what both need
ALONE = {  # layer -> what of the lock is left out, and whether the child has namespaces
    "seccomp": (tuple(STEPS.keys() - {"seccomp", "no_new_privs"}), False),
    "Landlock": (tuple(STEPS.keys() - {"landlock", "no_new_privs"}), False),
    "namespaces": (tuple(STEPS), True),
    "hygiene": (tuple(_KERNEL), False),
}
HEAD = """# Isolation, as measured

Written by scripts/isolation-report on {date}: Linux {kernel}, Landlock {abi}, {attempts} attempts to get out of a child
({provable} of them succeed here without a lock, as {identities}). Judged by effect: the file changed, the victim ended, the
datagram arrived. What each attempt does: `tests/isolation/attempts_on_*.py`.

"""
LAYERS_TEXT = """
## What stops what

Each layer alone, in a parser's lock. A number is how many of the attempts stay open; a dash, none. Hygiene: descriptors closed,
capabilities dropped, rlimits, unreadable memory. An attempt counts once for each identity it succeeds with unlocked.

"""
UNPROVABLE_TEXT = """
## Not provable on this machine

These fail without a lock as well, because the kernel lacks the part or never does it, a setting forbids it, or the privilege is
missing. They were tried under every configuration all the same, and stayed shut. Not run at all: aarch64 on real hardware (its
filter is judged in a simulator), musl, macOS, kernels without Landlock or seccomp (their absence is made by leaving the step out).

"""


class Case(NamedTuple):
    one: Attempt
    identity: str


def measured(one: Attempt, identity: str, role: str | None, without: tuple[str, ...], *, namespaced: bool) -> bool:
    opened, _ = opens(one, role, identity, without, namespaced=namespaced, patience_s=0.3)
    return opened


def provable() -> tuple[list[Case], list[Case]]:
    """(what has its effect unlocked, what has not)"""
    found: tuple[list[Case], list[Case]] = ([], [])
    for one, identity in CASES:
        found[0 if measured(one, identity, None, (), namespaced=False) else 1].append(Case(one, identity))
    return found


def configurations() -> Iterator[str]:
    yield "| open under | " + " | ".join(f"{role}, {identity}" for role in ROLES for identity in IDENTITIES) + " |"
    yield "| --- |" + " ---: |" * (len(ROLES) * len(IDENTITIES))
    for layers in CONFIGURATIONS:
        cells = [_open(layers, role, identity) for role in ROLES for identity in IDENTITIES]
        yield f"| {layers.name.replace('-', ' ')} (`{layers.level}`) | " + " | ".join(cells) + " |"


def _open(layers: Layers, role: str, identity: str) -> str:
    if layers.namespaced and namespaces_refused():
        return "not run"
    tried = [one for one, who in CASES if who == identity]
    still = [one for one in tried if measured(one, identity, role, layers.without, namespaced=layers.namespaced)]
    return f"{len(still)} of {len(tried)}" + "".join(f" {one.name}" for one in still)


def each_layer(cases: list[Case]) -> Iterator[str]:
    yield "| attempts to | tried | " + " | ".join(ALONE) + " |"
    yield "| --- | ---: |" + " ---: |" * len(ALONE)
    total = [0] * (1 + len(ALONE))
    for kind, names in KINDS.items():
        tried = [case for case in cases if case.one.name in names]
        still = [
            sum(measured(*case, "parser", without, namespaced=namespaced) for case in tried)
            for without, namespaced in ALONE.values()
        ]
        total = [one + more for one, more in zip(total, (len(tried), *still), strict=True)]
        yield f"| {kind} | {len(tried)} | " + " | ".join(str(number or "–") for number in still) + " |"
    yield "| **together** | " + " | ".join(f"**{number}**" for number in total) + " |"


def page() -> str:
    shown, hidden = provable()
    names = {case.one.name for case in shown}
    head = HEAD.format(
        date=time.strftime("%Y-%m-%d", time.gmtime()), kernel=os.uname().release.partition("-")[0], abi=landlock.abi(),
        attempts=len({one.name for one, _ in CASES}), provable=len(names), identities=" and ".join(IDENTITIES),
    )  # fmt: skip
    unprovable = sorted({f"- `{case.one.name}` as {case.identity}" for case in hidden})
    lines = [*configurations(), LAYERS_TEXT.rstrip("\n"), "", *each_layer(shown)]
    return head + "\n".join(lines) + "\n" + UNPROVABLE_TEXT + "\n".join(unprovable) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
