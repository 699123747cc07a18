"""Progress of a run over several sources: one live line each on a terminal, a plain line for each end elsewhere.

A line is rewritten in place with two standard sequences (ECMA-48 CUU and EL), so no library draws on the terminal of the process that
forks every child. A terminal too low to hold all lines gets plain ones.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.commands import visible
from guarded_webfetch.sources.run import Show

FETCHING: Final = "fetching"
_STATE_COLUMNS: Final = 27  # the longest outcome and the seconds
_LEAST_URL_COLUMNS: Final = 20


@contextlib.contextmanager
def lines(urls: Sequence[str], *, quiet: bool) -> Iterator[Show]:
    """Shows what each source is doing on stderr: its number, its URL as the caller gave it, how it ended, how long it took."""
    if quiet:
        yield lambda number, state: None
        return
    columns, rows = os.get_terminal_size(2) if os.isatty(2) else (0, 0)
    if rows <= len(urls) or columns < _LEAST_URL_COLUMNS + _STATE_COLUMNS:
        yield lambda number, state: _plain(number, urls[number], state)
    else:
        yield Live(urls, columns)


def _plain(number: int, url: str, state: str) -> None:
    if state != FETCHING:
        print(f"{number + 1:2d} {state} {visible.line(url)}", file=sys.stderr, flush=True)


class Live:
    """The lines of all sources, the cursor below them; calling it rewrites one."""

    def __init__(self, urls: Sequence[str], columns: int) -> None:
        self._labels: Final = [_label(number, url, columns - _STATE_COLUMNS - 1) for number, url in enumerate(urls)]
        self._started: Final[dict[int, float]] = {}
        _write("".join(f"{label}waiting\n" for label in self._labels))

    def __call__(self, number: int, state: str) -> None:
        now = time.monotonic()
        began = self._started.setdefault(number, now)
        spent = "" if state == FETCHING else f"{now - began:5.1f} s"
        up = len(self._labels) - number
        _write(f"\x1b[{up}A\r\x1b[K{self._labels[number]}{state:<19}{spent}\x1b[{up}B\r")


def _write(text: str) -> None:
    """At once, and as far as it can be shown: progress is no reason to fail."""
    try:
        os.write(2, text.encode("utf-8", "replace"))
    except OSError:
        pass


def _label(number: int, url: str, columns: int) -> str:
    """Number and URL, cut and filled to `columns` columns."""
    room = columns - 4
    shown, rest = visible.split(visible.line(url), room - 1)
    shown += "…" if rest else ""
    return f"{number + 1:2d} {shown}{' ' * (room - visible.width(shown))} "
