"""What the caller asked for, checked and complete: the only thing that steers a run."""

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from guarded_webfetch.core import limits

if TYPE_CHECKING:
    from guarded_webfetch.broker.proxy import Proxy
    from guarded_webfetch.core.robots_policy import Policy
    from guarded_webfetch.summary.settings import Settings, Summarizer

Level = Literal["max", "strict", "process"]
LEVELS: Final[tuple[Level, ...]] = ("process", "strict", "max")  # rising
# Below it nothing is fetched. A person may lower it, an agent may only raise it.
DEFAULT_REQUIRED_ISOLATION: Final[Level] = "strict"


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
    proxy: "Proxy | None" = None  # without its credential, which is read after the last fork
    hosts: frozenset[str] = frozenset()  # from the config file: the only hosts allowed, when not empty
    deny_tlds: frozenset[str] = frozenset()
    summarizer: "Summarizer | None" = None  # who writes the summary once the record is there
    summaries: "Settings | None" = None  # what the config file says about summaries, until one is chosen
    robots: "Policy" = "ignore"
    client_asks: bool = False  # the person's client asks them before it runs the reader for page text

    def loosened(self) -> list[str]:
        """What is in force beyond the defaults, for the record."""
        names = ("fake_ip", "wide_ports", "allow_secret", "proxy")
        found = [name for name in names if getattr(self, name)]
        if LEVELS.index(self.require_isolation) < LEVELS.index(DEFAULT_REQUIRED_ISOLATION):
            found.append("isolation_process")
        if self.summarizer:
            found.append("model_summary")
        return found

    def changed(self) -> dict[str, object]:
        """The fields that differ from their defaults, as JSON values, for the ledger."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in self._asdict().items()
            if value != self._field_defaults[name]
        }
