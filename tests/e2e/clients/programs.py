"""The installed clients, and the least each needs to be told: where its model is, and to ask nobody else anything.

STUB stands for the URL of the stub model.
"""

import platform
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


@dataclass(frozen=True)
class Programs:
    """The clients that install-clients installed; a client's program itself, never its wrapper."""

    folder: Path

    @property
    def _modules(self) -> Path:
        return self.folder / "node_modules"

    @cached_property
    def claude(self) -> str:
        return str(self._modules / f"@anthropic-ai/claude-code-linux-{_MACHINE}/claude")

    @cached_property
    def codex(self) -> str:
        return str(next(self._modules.glob(f"@openai/codex-linux-{_MACHINE}/vendor/*/bin/codex")))

    @cached_property
    def gemini(self) -> str:
        return str(self._modules / ".bin/gemini")

    @cached_property
    def opencode(self) -> str:
        return str(self._modules / f"opencode-linux-{_MACHINE}/bin/opencode")

    @cached_property
    def sandbox_runtime(self) -> str:
        return str(self._modules / ".bin/srt")


CLAUDE_ENVIRONMENT = {
    "ANTHROPIC_BASE_URL": "STUB",
    "ANTHROPIC_API_KEY": "dummy",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}
CODEX_CONFIG = """\
model = "stub-model"
model_provider = "stub"
sandbox_mode = "SANDBOX"
check_for_update_on_startup = false
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
env_key = "STUB_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[projects."PROJECT"]
trust_level = "trusted"
"""
GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
OPENCODE_CONFIG = {
    "autoupdate": False,
    "share": "disabled",
    "model": "stub/stub-model",
    "small_model": "stub/stub-model",
    "provider": {
        "stub": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "stub",
            "options": {"baseURL": "STUB/v1", "apiKey": "dummy"},
            "models": {"stub-model": {"name": "stub"}},
        }
    },
}
OPENCODE_ENVIRONMENT = {
    f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
}
