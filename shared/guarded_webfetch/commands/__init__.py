"""One module per subcommand: `run(argv) -> exit code`, failures as Refusal."""
