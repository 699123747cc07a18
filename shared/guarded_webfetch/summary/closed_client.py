"""A model that reads pages: closed in, in a private folder, its words sanitized. What a summary and an answer have in common."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, cast

from guarded_webfetch.broker import user_folders
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core import limits
from guarded_webfetch.core.messages import Block, Sanitized, SanitizeOrder
from guarded_webfetch.summary import client_process, clients, closed_check
from guarded_webfetch.summary.client_process import ClientFailed
from guarded_webfetch.summary.clients import Folder, Task
from guarded_webfetch.summary.settings import Summarizer

_PREFIX: Final = "summary-"
_OLD_S: Final = 3_600.0  # a private folder of a run that was killed


class Asked(NamedTuple):
    """What a client gets: its task, the text on its standard input, the values of its login, and how long it may take."""

    task: Task
    text: bytes
    login: dict[str, str]
    limit_s: float


def is_closed(summarizer: Summarizer, task: Task, folder: Folder, watched: Callable[[], bool]) -> bool:
    """Whether the client may be used; a person's own command is what that person made it."""
    if summarizer.kind == "command":
        return True
    try:
        return closed_check.is_closed(summarizer, task, _below(folder, "check"), limits.CLIENT_CHECK_S, watched)
    except ClientFailed:
        return False


def ask(summarizer: Summarizer, asked: Asked, folder: Folder, watched: Callable[[], bool]) -> bytes:
    """What the client answers; raises ClientFailed."""
    inner = _below(folder, "run")
    command = clients.command(summarizer, asked.task, inner, asked.login)
    return client_process.run(command, inner, asked.text, asked.limit_s, watched)


def sanitized(paragraphs: Sequence[str], crew: Crew, deadline: Deadline) -> Sanitized:
    """What a model said, through the sanitizer like a page; ClientFailed for no text at all."""
    blocks: list[Block] = [{"kind": "paragraph", "text": part, "spans": []} for part in paragraphs]
    if not blocks:
        raise ClientFailed
    order: SanitizeOrder = {
        "kind": "text",
        "verbatim": False,
        "title": None,
        "blocks": blocks,
        "links": [],
        "hidden": [],
        "source": None,
        "summary": "none",
        "link_style": "placeholders",
        "urls": [],
    }
    sanitizer = crew.sanitizer(deadline)
    sanitizer.send_message(order, deadline)
    answer = cast(Sanitized, sanitizer.receive_message("sanitized", limits.FRAME_SANITIZED_BYTES, deadline))
    if not answer["raw_text"].strip():
        raise ClientFailed
    return answer


@contextlib.contextmanager
def private_folder() -> Iterator[Folder]:
    """An empty folder of this user's state, removed afterwards; OSError where an agent might write into it."""
    base = user_folders.state()
    if base is None or user_folders.below_working_folder(base):
        raise OSError("no private place")
    os.makedirs(base, 0o700, exist_ok=True)
    _remove_old(base)
    path = tempfile.mkdtemp(prefix=_PREFIX, dir=base)
    try:
        yield Folder(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _below(folder: Folder, name: str) -> Folder:
    made = Folder(os.path.join(folder.path, name))
    for path in (made.path, made.home, made.work):
        os.mkdir(path, 0o700)
    return made


def _remove_old(base: str) -> None:
    for entry in os.scandir(base):
        ours = entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False)
        if ours and time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD_S:
            shutil.rmtree(entry.path, ignore_errors=True)
