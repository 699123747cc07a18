"""What is known about the robots.txt of a site, kept for a day in the user's state folder: its meaning, when, and its bytes.

The bytes are kept and not the answers, since an answer is about one path: fifteen pages of a site ask it once (ADR 12). The first
line of a file is ours; the rest is the site's, and nothing reads it but a locked parser.
"""

import hashlib
import os
from typing import Final

from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.store import Store
from guarded_webfetch.core.limits import MAX_ROBOTS_BYTES, ROBOTS_KEPT_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.robots_policy import MEANINGS, Known

_MARK: Final = "guarded-webfetch/robots@1"
_HEAD_BYTES: Final = 100
_FOLDER: Final = "robots"


class Shelf:
    """The kept answer of one authority. Where there is no private place outside the working folder, nothing is kept."""

    def __init__(self, origin: str) -> None:
        self._name: Final = f"{hashlib.sha256(origin.encode()).hexdigest()}.robots"
        self._store: Final = _open()

    def head(self) -> Known | None:
        """What is known, without the bytes."""
        line, _, _ = self._read(_HEAD_BYTES).partition(b"\n")
        return _parsed(line)

    def body(self) -> bytes:
        return self._read(_HEAD_BYTES + MAX_ROBOTS_BYTES + 1).partition(b"\n")[2]

    def keep(self, known: Known) -> None:
        """A folder that cannot be written is no reason to fail: the site is asked again."""
        if self._store is None:
            return
        head = f"{_MARK} {known.meaning} {known.known_since:.0f}\n".encode()
        try:
            self._store.write(self._name, head + known.body)
        except Refusal:
            pass

    def _read(self, at_most: int) -> bytes:
        return (self._store.read(self._name, at_most) if self._store else None) or b""


def forget_old() -> int:
    """Removes what nobody asked for in thirty days; how many files."""
    store = _open()
    if store is None:
        return 0
    return sum(store.remove(name) for name in store.names(older_than_s=ROBOTS_KEPT_S) if name.endswith(".robots"))


def _open() -> Store | None:
    state = user_folders.state()
    if state is None or user_folders.below_working_folder(state):
        return None
    try:
        return Store.open(os.path.join(state, _FOLDER))
    except Refusal:
        return None


def _parsed(line: bytes) -> Known | None:
    words = line.decode("ascii", "replace").split(" ")
    if len(words) != 3 or words[0] != _MARK or words[1] not in MEANINGS or not words[2].isdigit():
        return None
    return Known(MEANINGS[words[1]], float(words[2]))
