"""The children of one run. All are forked before anything arrives from outside, so none can inherit a byte of it."""

from importlib import import_module
from types import TracebackType
from typing import Any, Final

from guarded_webfetch.broker.child import Child, spawn
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import LEVELS, Level
from guarded_webfetch.core.limits import MAX_REDIRECTS, MAX_ROBOTS_REDIRECTS
from guarded_webfetch.core.messages import ParserKind
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc.channel import Channel, Lock
from guarded_webfetch.isolation.profiles import PROFILES, RoleName

# Standard modules that at least two of the children's libraries ask for: imported once, before the fork, and not in each of them.
# Measured: 12 ms CPU of a fetch; the same imports after the first fork cost 5 ms more, for the pages that are then copied.
SHARED: Final = ("dataclasses", "encodings.idna", "inspect", "string", "threading", "urllib.parse", "zlib")
_AT_MOST_STRICT: Final = frozenset(role for role, profile in PROFILES.items() if profile.needs_system)


def _resolve(channel: Channel, lock: Lock) -> None:
    from guarded_webfetch.resolver.main import main

    main(channel, lock)


def _fetch(channel: Channel, lock: Lock) -> None:
    from guarded_webfetch.fetcher.main import main

    main(channel, lock)


def _parse(channel: Channel, lock: Lock) -> None:
    from guarded_webfetch.parser.main import main

    main(channel, lock)


def _sanitize(channel: Channel, lock: Lock) -> None:
    from guarded_webfetch.sanitizer.main import main

    main(channel, lock)


class Crew:
    """Starts, hands out and ends the children of one run; a context manager that leaves no process behind."""

    def __init__(
        self,
        guessed_kind: ParserKind,
        required: Level,
        deadline: Deadline,
        *,
        network: bool = True,
        look_up: bool = True,
    ) -> None:
        """`look_up`: the first connection leads to a name and not to an address. Of "robots" nothing is delivered, so nothing sanitizes."""
        self.isolation: Final[dict[str, dict[str, Any]]] = {}
        self._required = required
        self._children: list[Child] = []
        self._resolvers: list[Child] = []
        self._fetchers: list[Child] = []
        self._redirects_prepared = False
        self._guess: ParserKind = guessed_kind
        try:
            for name in SHARED:
                import_module(name)
            self._parser = self._add("parser")  # it has most to load
            self._parser.send_message({"kind": guessed_kind}, deadline)
            if network:
                self._add_network(look_up=look_up)
            if guessed_kind != "robots":
                self._sanitizer = self._add("sanitizer")
                self._spare_parser = self._add("parser")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kills and reaps every child that is still there; first all are killed, so that none keeps the others waiting."""
        for child in self._children:
            child.strike()
        for child in self._children:
            child.kill()

    def resolver(self) -> Child:
        """A fresh resolver; each is used for one look-up."""
        return self._resolvers.pop(0)

    def fetcher(self) -> Child:
        """A fresh fetcher; each is used for one origin."""
        return self._fetchers.pop(0)

    def prepare_redirects(self, *, look_up: bool = True) -> None:
        """Forks what all further hops may need, once: the last fork of a run. `look_up`: they may lead to names.

        Called when a redirect is known but not one byte of it has been read, or before a proxy's credential is.
        """
        most = MAX_ROBOTS_REDIRECTS if self._guess == "robots" else MAX_REDIRECTS
        hops = 0 if self._redirects_prepared else most
        self._redirects_prepared = True
        for _ in range(hops):
            self._add_network(look_up=look_up)

    def parser(self, kind: ParserKind, deadline: Deadline) -> Child:
        """A locked parser for `kind`. The one that has been warming up serves, unless the guess was wrong."""
        chosen = self._parser
        serves = kind == self._guess or (kind, self._guess) == ("text", "html")
        if not serves:
            self._parser.kill()
            chosen = self._spare_parser
            chosen.send_message({"kind": kind}, deadline)
        elif kind != "robots":
            self._spare_parser.kill()
        self.check(chosen, deadline)
        return chosen

    def sanitizer(self, deadline: Deadline) -> Child:
        """The locked sanitizer."""
        self.check(self._sanitizer, deadline)
        return self._sanitizer

    def check(self, child: Child, deadline: Deadline) -> None:
        """Waits until `child` is locked; sandbox_unavailable when its level is below what it must reach."""
        child.await_ready(deadline)
        level = child.isolation.get("level")
        if level not in LEVELS:
            raise Refusal("child_frame_invalid")
        if LEVELS.index(level) < LEVELS.index(self._due(child.role)):
            raise Refusal("sandbox_unavailable")
        self.isolation[child.role] = child.isolation

    def level(self) -> Level:
        """The weakest level among the children that were used; a resolver at "strict", its best, lowers no "max"."""
        reached: list[Level] = [report["level"] for report in self.isolation.values()]
        best = [role for role, report in self.isolation.items() if report["level"] == self._due(role)]
        if self._required == "max" and "max" in reached and len(best) == len(reached):
            return "max"
        return LEVELS[min(map(LEVELS.index, reached), default=0)]

    def cpu_ms(self) -> dict[str, float]:
        """CPU time by role, of all children that have been reaped."""
        total: dict[str, float] = {}
        for child in self._children:
            total[child.role] = round(total.get(child.role, 0.0) + child.cpu_ms, 1)
        return total

    def _add_network(self, *, look_up: bool) -> None:
        self._fetchers.append(self._add("fetcher"))
        if look_up:
            self._resolvers.append(self._add("resolver"))

    def _due(self, role: str) -> Level:
        """What a child of this role must reach: a resolver needs files and networks, so "max" asks only "strict" of it."""
        return "strict" if self._required == "max" and role in _AT_MOST_STRICT else self._required

    def _add(self, role: RoleName) -> Child:
        main = {"resolver": _resolve, "fetcher": _fetch, "parser": _parse, "sanitizer": _sanitize}[role]
        namespaced = self._due(role) == "max"
        child = spawn(role, main, takes_socket=role == "fetcher", namespaced=namespaced)
        self._children.append(child)
        return child
