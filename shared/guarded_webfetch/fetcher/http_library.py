"""Loads httpx and all it would import later, without what nobody needs here. Runs before the lock.

Measured: `import httpx` costs 115-140 ms CPU where click, rich and anyio are installed, 70-85 ms this way.
"""

import sys
from types import ModuleType
from typing import Final

# httpx._main (a command line), async backends, HTTP/2, SOCKS, and decoders: the fetcher decodes by itself, under a cap.
_UNWANTED: Final = (
    "anyio", "brotli", "brotlicffi", "click", "h2", "pygments", "rich", "sniffio", "socksio", "trio", "zstandard",
)  # fmt: skip

# Codecs load on first use: host names (idna, through ssl's server_hostname), header values, the order's text.
_CODECS: Final = ("ascii", "idna", "latin-1", "utf-8")


def load() -> None:
    """Imports httpx and httpcore and warms their codecs; afterwards a whole fetch imports and opens nothing."""
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    for name in _UNWANTED:
        modules.setdefault(name, None)  # `import name` raises ImportError, which httpx and httpcore expect
    # httpcore imports certifi at once, for a default context never used here: trust is the system's bundle.
    modules.setdefault("certifi", ModuleType("certifi"))
    import httpcore  # noqa: F401
    import httpx  # noqa: F401

    for codec in _CODECS:
        b"a".decode(codec)
        "a".encode(codec)
