"""What the environment tells about a sandbox around this program: facts, never settings."""

import os
from typing import Final

# Codex sets the first in its default sandbox. The launcher sets the second where a proxy variable is set, as Claude Code's
# sandbox does; the proxy itself is not taken from there.
_FACTS: Final = ("CODEX_SANDBOX_NETWORK_DISABLED", "GUARDED_WEBFETCH_PROXY_SEEN")


def blocks_direct_connections() -> bool:
    """Whether a direct connection that fails has probably been stopped on this side."""
    return any(os.environ.get(name) == "1" for name in _FACTS)
