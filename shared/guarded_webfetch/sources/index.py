"""index.json: what a run set out to read, and how far it is. Written before the first fetch and after every one that ends.

It holds what the caller gave and fixed words; nothing a server chose. A file is named here before it is made, so that the next run
and `purge` know which files are theirs.
"""

import json
import os
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from guarded_webfetch.core.limits import MAX_URLS_PER_RUN
from guarded_webfetch.sources.outcomes import NOT_FINISHED

SCHEMA: Final = "guarded-webfetch/sources@1"
NAME: Final = "index.json"
DEFAULT_FOLDER: Final = os.path.join(".temp", "guarded-webfetch-sources")
MAX_INDEX_BYTES: Final = 200_000  # fifteen URLs of the longest kind and their words
FILE_NAME: Final = re.compile(r"[0-9]{2}-[a-z0-9][a-z0-9.-]{0,79}\.txt")

_UNSAFE: Final = re.compile(r"[^a-z0-9.-]+")


@dataclass
class Entry:
    """One source. `file` is None where there is none; `http_status` None without an answer."""

    url: str
    ok: bool = False
    file: str | None = None
    http_status: int | None = None
    outcome: str = NOT_FINISHED
    nonce: str | None = None
    chars: int = 0


@dataclass
class Index:
    """`max_chars` is the budget of the run, `chars` what its files hold of it."""

    started_at: str  # UTC, as in a record
    tool_version: str
    max_chars: int
    language: str
    sources: list[Entry] = field(default_factory=list)
    finished: bool = False

    def dumps(self) -> bytes:
        """The file: one JSON object, a line for each source."""
        head = {
            "schema": SCHEMA,
            "started_at": self.started_at,
            "finished": self.finished,
            "tool_version": self.tool_version,
            "language": self.language,
            "max_chars": self.max_chars,
            "chars": self.chars,
        }
        rows = ",\n  ".join(json.dumps(asdict(entry)) for entry in self.sources)
        return (json.dumps(head)[:-1] + f', "sources": [\n  {rows}\n]}}\n').encode()

    @property
    def chars(self) -> int:
        return sum(entry.chars for entry in self.sources)


def file_name(number: int, host: str | None) -> str:
    """`NN-<host>.txt`; a name that is no host of letters, digits, dots and hyphens is made one."""
    safe = _UNSAFE.sub("-", (host or "").lower()).strip("-.")[:80].strip("-.")
    return f"{number:02d}-{safe or 'unknown'}.txt"


def named_files(data: bytes) -> list[str]:
    """The files an earlier index names, of our own pattern only; empty for what is no index."""
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, dict) or found.get("schema") != SCHEMA or not isinstance(found.get("sources"), list):
        return []
    names = [row.get("file") for row in found["sources"][:MAX_URLS_PER_RUN] if isinstance(row, dict)]
    return [name for name in names if isinstance(name, str) and FILE_NAME.fullmatch(name)]
