"""Rules as data: one TOML file per language or family, every rule with its reason, source and examples."""
