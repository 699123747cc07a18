"""A command line parser that fails the way this tool fails: with a reason code, printing nothing by itself."""

import argparse
from typing import NoReturn

from guarded_webfetch.core.reasons import Refusal


class Arguments(argparse.ArgumentParser):
    """argparse without abbreviations; every error is Refusal usage_invalid. `--help` prints and raises SystemExit(0)."""

    def __init__(self, command: str, description: str) -> None:
        super().__init__(
            prog=f"guarded-webfetch {command}", description=description, allow_abbrev=False, formatter_class=_Help
        )

    def error(self, message: str) -> NoReturn:
        """What argparse found wrong may hold anything the caller typed, so it is not repeated."""
        raise Refusal("usage_invalid")


class _Help(argparse.HelpFormatter):
    """A fixed width: asking the terminal would import shutil on every fetch."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)
