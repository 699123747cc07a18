"""What the environment tells about a sandbox around this program: facts, never settings."""

import os


def network_is_disabled() -> bool:
    """Codex says so in its default sandbox."""
    return os.environ.get("CODEX_SANDBOX_NETWORK_DISABLED") == "1"


def proxy_is_announced() -> bool:
    """The launcher says so where a proxy variable is set, as Claude Code's sandbox does; the proxy is not taken from there."""
    return os.environ.get("GUARDED_WEBFETCH_PROXY_SEEN") == "1"


def blocks_direct_connections() -> bool:
    """Whether a direct connection that fails has probably been stopped on this side."""
    return network_is_disabled() or proxy_is_announced()
