"""`agent-grounded`: the skill grounded-answers. What of `gate` and `links` an agent may use; none of it needs a network."""

from collections.abc import Callable
from typing import Final

from guarded_webfetch.commands import gate, links
from guarded_webfetch.core.reasons import Refusal

_GATE: Final = frozenset({"--require", "--provider", "--min", "--level", "--records"})
_ACTIONS: Final[dict[str, tuple[Callable[[list[str]], int], frozenset[str]]]] = {
    "check": (gate.run, _GATE),
    "quotes": (gate.run, frozenset()),
    "prompt": (links.run, frozenset({"--store", "--language"})),
    "build": (
        links.run,
        frozenset({"--store", "--in", "--format", "--complete", "--no-complete", "--allow", "--language", "--out"}),
    ),
}


def run_agent(argv: list[str]) -> int:
    """One action and options of its closed list; a record the caller vouches for (--record-sha256) is a person's word."""
    if not argv or argv[0] not in _ACTIONS:
        raise Refusal("usage_invalid")
    run, options = _ACTIONS[argv[0]]
    if any(word.startswith("-") and word.partition("=")[0] not in options for word in argv[1:]):
        raise Refusal("option_not_allowed")
    return run(argv)
