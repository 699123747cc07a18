"""Progress of a run over several sources: one live line each on a terminal, a plain line for each end elsewhere."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.commands import visible
from guarded_webfetch.sources.run import Show

_FETCHING: Final = "fetching"
_MAX_URL_COLUMNS: Final = 60


@contextlib.contextmanager
def lines(urls: Sequence[str], *, quiet: bool) -> Iterator[Show]:
    """Shows what each source is doing on stderr: its number, its URL as the caller gave it, how long, how it ended."""
    if quiet:
        yield lambda number, state: None
    elif not os.isatty(2):
        yield lambda number, state: _plain(number, urls[number], state)
    else:
        with _live(urls) as show:
            yield show


def _plain(number: int, url: str, state: str) -> None:
    if state != _FETCHING:
        print(f"{number + 1:2d} {state} {visible.line(url)}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _live(urls: Sequence[str]) -> Iterator[Show]:
    from tqdm import tqdm  # only for eyes: nobody else waits for its import

    tqdm.monitor_interval = 0  # no thread: the run forks
    bars = [
        tqdm(
            total=1,
            position=number,
            bar_format="{desc} {postfix}",
            desc=_label(number, url),
            postfix="waiting",
            file=sys.stderr,
        )
        for number, url in enumerate(urls)
    ]
    started: dict[int, float] = {}

    def show(number: int, state: str) -> None:
        begun = started.setdefault(number, time.monotonic())
        spent = "" if state == _FETCHING else f"{time.monotonic() - begun:5.1f} s"
        bars[number].set_postfix_str(f"{state:<18}{spent}")

    try:
        yield show
    finally:
        for bar in bars:
            bar.close()


def _label(number: int, url: str) -> str:
    shown, rest = visible.split(visible.line(url), _MAX_URL_COLUMNS)
    shown += "…" if rest else ""
    return f"{number + 1:2d} {shown}{' ' * (_MAX_URL_COLUMNS + 1 - visible.width(shown))}"
