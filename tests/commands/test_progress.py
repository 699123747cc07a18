"""Progress as a terminal shows it, and as a log does."""

import os
import pty
import re
import select
import struct
import sys
from collections.abc import Callable, Iterator
from fcntl import ioctl
from termios import TIOCSWINSZ

import pytest

from guarded_webfetch.commands import progress

URLS = ["https://example.com/", "https://news.example.com/" + "x" * 200, "https://a.example/\u202e\x1b[2Jb"]
Screen = Callable[[int, int], Callable[[], list[str]]]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """`screen(columns, rows)` makes stderr a terminal of that size and gives what reads its lines."""
    kept, opened = os.dup(2), []

    def start(columns: int, rows: int) -> Callable[[], list[str]]:
        ours, theirs = pty.openpty()
        opened.extend((ours, theirs))
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.dup2(theirs, 2)
        monkeypatch.setattr(sys, "stderr", os.fdopen(os.dup(theirs), "w"))
        return lambda: drawn(everything(ours))

    yield start
    os.dup2(kept, 2)
    for fd in (kept, *opened):
        os.close(fd)


def everything(terminal: int) -> str:
    """All that was written: a terminal hands it on in pieces."""
    pieces = []
    while select.select([terminal], [], [], 0.2)[0]:
        pieces.append(os.read(terminal, 100_000))
    return b"".join(pieces).decode()


def drawn(text: str) -> list[str]:
    """The lines after all that was written: enough of a terminal for what progress uses."""
    rows, row = [""], 0
    for piece in re.split(r"(\n|\r|\x1b\[\d*[ABK])", text):
        if piece == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        elif piece.endswith(("A", "B")) and piece.startswith("\x1b"):
            row += int(piece[2:-1]) * (1 if piece.endswith("B") else -1)
        elif piece == "\x1b[K":
            rows[row] = ""
        elif piece != "\r":
            rows[row] += piece
    return rows


def test_each_source_keeps_its_line(screen: Screen) -> None:
    read = screen(80, 24)
    with progress.lines(URLS, quiet=False) as show:
        for number, state in ((0, "fetching"), (1, "fetching"), (1, "robots_unavailable"), (0, "ok"), (2, "fetching")):
            show(number, state)
    lines = read()
    assert len(lines) == 4 and lines[3] == ""
    assert re.fullmatch(r" 1 https://example\.com/ +ok +\d+\.\d s", lines[0])
    assert re.fullmatch(r" 2 https://news\.example\.com/x+… robots_unavailable +\d+\.\d s", lines[1])
    assert "\u202e" not in lines[2] and lines[2].rstrip().endswith("fetching")
    assert all(len(line) < 80 for line in lines)


@pytest.mark.parametrize(("columns", "rows"), [(80, 3), (30, 24), (0, 0)])
def test_where_the_lines_do_not_fit_ends_are_told(screen: Screen, columns: int, rows: int) -> None:
    read = screen(columns, rows)
    with progress.lines(URLS, quiet=False) as show:
        show(0, "fetching")
        show(0, "ok")
    assert read() == [" 1 ok https://example.com/", ""]


def test_a_log_has_a_line_for_each_end(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.lines(URLS, quiet=False) as show:
        show(2, "fetching")
        show(2, "timeout")
    assert capsys.readouterr().err == " 3 timeout https://a.example/\\u{202E}\\u{001B}[2Jb\n"


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.lines(URLS, quiet=True) as show:
        show(0, "ok")
    assert capsys.readouterr().err == ""
