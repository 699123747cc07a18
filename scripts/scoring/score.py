"""What a scorer returns: how many rows it looked at, what failed, and the figures."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Score:
    """`keys` are those of references/contract.md section 7; `peers` maps a tool to the same keys."""

    inspected: int
    keys: dict[str, Any]
    failures: list[str] = field(default_factory=list)  # one line each
    skipped: list[str] = field(default_factory=list)  # what was not looked at, and why
    notes: list[str] = field(default_factory=list)  # further figures, one line each
    peers: dict[str, dict[str, Any]] = field(default_factory=dict)

    def text(self) -> str:
        """Failing rows, what was skipped, and a table with the peers below ours."""
        lines = [*self.failures, *self.notes, *(f"skipped: {reason}" for reason in self.skipped), ""]
        rows = {"guarded-webfetch": self.keys, **self.peers}
        flat = [name for name, value in self.keys.items() if not isinstance(value, dict)]
        width = max(map(len, rows))
        lines.append(" ".join([" " * width, *(f"{name:>14}" for name in flat)]))
        for tool, keys in rows.items():
            lines.append(" ".join([f"{tool:<{width}}", *(f"{_shown(keys.get(name)):>14}" for name in flat)]))
        for name, value in self.keys.items():
            if isinstance(value, dict):
                lines.append(f"{name}: " + ", ".join(f"{key} {_shown(part)}" for key, part in value.items()))
        lines.append(f"{self.inspected} rows inspected")
        return "\n".join(lines)


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
