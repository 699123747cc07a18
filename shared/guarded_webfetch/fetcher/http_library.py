"""Loads httpcore, the transport of httpx, without what nobody needs here. Runs before the lock.

Measured: `import httpx` costs 70-85 ms CPU (115-140 where click, rich and anyio are installed), httpcore alone 40: ADR 8.
"""

import sys
from types import ModuleType
from typing import Final

# Async backends, HTTP/2, SOCKS.
_UNWANTED: Final = ("anyio", "h2", "sniffio", "socksio", "trio")

# Codecs load on first use: header values, the order's text.
_CODECS: Final = ("ascii", "latin-1", "utf-8")


def load() -> None:
    """Imports httpcore and warms its codecs; afterwards a whole fetch imports and opens nothing."""
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    for name in _UNWANTED:
        modules.setdefault(name, None)  # `import name` raises ImportError, which httpcore expects
    # httpcore imports certifi at once, for a default context never used here: trust is the system's bundle.
    modules.setdefault("certifi", ModuleType("certifi"))
    import httpcore  # noqa: F401

    for codec in _CODECS:
        b"a".decode(codec)
        "a".encode(codec)
