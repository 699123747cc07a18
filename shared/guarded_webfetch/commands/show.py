"""`show RECORD [--html FILE]`: a record for people, in the terminal or as one page."""

import os
import stat
from typing import Final

from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.commands import new_file, show_html, show_text, terminal, visible
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.show_view import view
from guarded_webfetch.core.reasons import Refusal

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def run(argv: list[str]) -> int:
    """Prints the view, or writes the page and prints its path.

    Raises Refusal usage_invalid, path_invalid (a path with a control character, or a page that may not be written there) or
    record_unusable.
    """
    arguments = Arguments("show", "Show a record: verdict, flags, what was removed and where.")
    arguments.add_argument("record", metavar="RECORD", help="path of a result-*.json or failure-*.json")
    arguments.add_argument(
        "--html", metavar="FILE", help="write one self-contained page instead; replaces only its own pages"
    )
    chosen = arguments.parse_args(argv)
    for path in (chosen.record, chosen.html or ""):
        if visible.line(path) != path:
            raise Refusal("path_invalid")
    files = read_record(chosen.record)
    if chosen.html is None:
        terminal.write(show_text.render(view(files), terminal.here()))
    else:
        sent = files._replace(stem=os.path.basename(files.stem))  # a page for others names no folder of this machine
        write_page(chosen.html, show_html.render(view(sent)).encode("utf-8"))
        terminal.write(f"{chosen.html}\n")
    return 0


def write_page(path: str, page: bytes) -> None:
    """`page` as the file `path`, whole or not at all. Refusal path_invalid when something stands there that is not our own page."""
    new_file.write_new(path, page, _is_our_page)


def _is_our_page(folder_fd: int, name: str) -> bool:
    """Whether `name` is an ordinary file of this user that starts as our pages do; False when there is none. OSError otherwise."""
    try:
        fd = os.open(name, _READ, dir_fd=folder_fd)
    except FileNotFoundError:
        return False
    first_line = show_html.FIRST_LINE.encode()
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or file.read(len(first_line)) != first_line:
            raise FileExistsError(name)
    return True
