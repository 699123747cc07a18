"""Standard output as a person sees it: how wide, in colour or not, in which encoding."""

import os
import shutil
import sys
from typing import Final, NamedTuple

_MIN_COLUMNS: Final = 40
_MAX_COLUMNS: Final = 110  # longer lines are hard to read
_PLAIN_SIGNS: Final = str.maketrans({"│": "|", "·": "-", "×": "x", "…": "..."})  # for terminals without UTF-8


class Terminal(NamedTuple):
    """Where the text goes. `columns` is what the window has."""

    columns: int = 100
    colour: bool = False

    @property
    def usable(self) -> int:
        return max(_MIN_COLUMNS, min(self.columns, _MAX_COLUMNS))

    def painted(self, text: str, code: str) -> str:
        """`text` in the colour `code` (SGR parameters, ECMA-48 section 8.3.117)."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def here() -> Terminal:
    """This process's output. Colours only on a terminal, and not where NO_COLOR (no-color.org) or TERM=dumb asks for none."""
    if not sys.stdout.isatty():
        return Terminal()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return Terminal(columns=shutil.get_terminal_size().columns, colour=not plain)


def write(text: str) -> None:
    """Prints `text` whatever the encoding is; a reader that stops early (`| head`) is no error."""
    encoding = sys.stdout.encoding or "utf-8"
    if not encoding.lower().startswith("utf"):
        text = text.translate(_PLAIN_SIGNS).encode(encoding, "backslashreplace").decode(encoding)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
