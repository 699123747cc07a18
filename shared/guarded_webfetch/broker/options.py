"""What the caller asked for, checked and complete: the only thing that steers a run."""

from typing import Final, Literal, NamedTuple

from guarded_webfetch.core import limits

Level = Literal["max", "strict", "process"]
LEVELS: Final[tuple[Level, ...]] = ("process", "strict", "max")  # rising
# The kernel layers are the next step of the project; until they are there this is the level every child can reach, and a
# record made below "strict" says so (isolation_degraded).
DEFAULT_REQUIRED_ISOLATION: Final[Level] = "process"


class Options(NamedTuple):
    """Defaults are the strictest values; the fields after `out` can only be changed by a person."""

    timeout_s: float = limits.DEADLINE_S
    summary: Literal["extractive", "none"] = "extractive"
    links: Literal["placeholders", "inline"] = "placeholders"
    allowed_origins: frozenset[str] = frozenset()
    redirects: Literal["same-origin", "checked"] = "same-origin"
    raw_html: bool = True
    quiet: bool = False
    ca_bundle: str | None = None
    require_isolation: Level = DEFAULT_REQUIRED_ISOLATION
    out: str | None = None
    wide_ports: bool = False
    fake_ip: bool = False
    allow_secret: bool = False
    hosts: frozenset[str] = frozenset()  # from the config file: the only hosts allowed, when not empty
    deny_tlds: frozenset[str] = frozenset()

    def loosened(self) -> list[str]:
        """What is in force beyond the defaults, for the record."""
        names = ("fake_ip", "wide_ports", "allow_secret")
        found = [name for name in names if getattr(self, name)]
        if LEVELS.index(self.require_isolation) < LEVELS.index(DEFAULT_REQUIRED_ISOLATION):
            found.append("isolation_process")
        return found

    def changed(self) -> dict[str, object]:
        """The fields that differ from their defaults, as JSON values, for the ledger."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in self._asdict().items()
            if value != self._field_defaults[name]
        }
