"""Rules as data: one TOML file per language or family, every rule with its reason, source and examples."""

from typing import Final

RULES_VERSION: Final = "2026.12.1"
