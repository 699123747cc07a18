"""The process beside a fetch that has the summary written once the record is there.

It is forked first, so it holds nothing of the page, and starts with what must not wait: quarantined children for what the model will
say, then the login, then the check that the client is closed. It reads the finished record as any later reader would.
"""

import contextlib
import os
import resource
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Final, cast

from guarded_webfetch.broker import ledger, user_folders
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.record_reader import RecordFiles, read_record
from guarded_webfetch.broker.run import Written
from guarded_webfetch.core import limits
from guarded_webfetch.core.messages import Block, Sanitized, SanitizeOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.summary import client_process, clients, closed_check, login, save
from guarded_webfetch.summary.client_process import ClientFailed
from guarded_webfetch.summary.clients import Folder
from guarded_webfetch.summary.settings import Summarizer

_PREFIX: Final = "summary-"
_OLD_S: Final = 3_600.0  # a private folder of a run that was killed
_DONE: Final = b"."
_GRACE_S: Final = 10.0  # beyond the deadlines of the process, for what it does besides waiting


def summarized(fetch: Callable[[], Written], options: Options) -> Written:
    """What `fetch` wrote, its summary by `options.summarizer` where that works; the record tells when it did not.

    Raises what `fetch` raises.
    """
    if options.summarizer is None:
        return fetch()
    paths, tell = os.pipe()
    done, finished = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(tell)
        os.close(done)
        _live(paths, finished, options, options.summarizer)
    os.close(paths)
    os.close(finished)
    try:
        written = fetch()
        if written.code == "ok" and written.verdict != "confirm":
            _show("waiting for the summary …", options)
            with contextlib.suppress(BrokenPipeError):
                os.write(tell, os.fsencode(os.path.abspath(written.path)) + b"\n")
                _await(done, limits.CLIENT_CHECK_S + limits.MODEL_SUMMARY_S + _GRACE_S)
            _show("", options)
        return written
    finally:
        os.close(tell)  # tells it to end, if it still lives
        _await(done, _GRACE_S)
        os.close(done)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _show(stage: str, options: Options) -> None:
    """One line on a person's terminal, as the fetch shows its own."""
    if not options.quiet and os.isatty(2):
        os.write(2, f"\r\x1b[K{stage}".encode())


def _await(done_fd: int, limit_s: float) -> None:
    poll = select.poll()
    poll.register(done_fd, select.POLLIN)
    if poll.poll(limit_s * 1000):
        os.read(done_fd, 1)


def _live(paths_fd: int, finished_fd: int, options: Options, summarizer: Summarizer) -> None:
    """The whole life of the process; it never returns, prints nothing and leaves no process behind."""
    try:
        client_process.become_subreaper()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # it will hold a login
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        _serve(paths_fd, options, summarizer)
    except (ClientFailed, OSError, Refusal):
        pass
    finally:
        with contextlib.suppress(OSError):
            os.write(finished_fd, _DONE)
        os._exit(0)


def _serve(paths_fd: int, options: Options, summarizer: Summarizer) -> None:
    limit_s = options.timeout_s + limits.CLIENT_CHECK_S + limits.MODEL_SUMMARY_S + _GRACE_S
    deadline = Deadline.after(limit_s, "fetch_deadline")
    with Crew("text", options.require_isolation, deadline, network=False) as crew:
        keep = frozenset(client_process.children())
        try:
            variables = login.take(summarizer.login)
            with _private_folder() as folder:
                closed = _is_closed(summarizer, folder, paths_fd)
                path = _read_path(paths_fd)
                files = read_record(path) if path else None
                if path is None or files is None or not _is_ready(files):
                    return
                try:
                    said = _ask(summarizer, files, folder, variables, paths_fd) if closed else b""
                    sanitized = _sanitized(said, crew, deadline)
                except (ClientFailed, OSError, Refusal):
                    save.failure(path, files, options)
                else:
                    save.summary(path, files, sanitized, summarizer.kind, options)
        finally:
            client_process.end_all(keep)


def _is_closed(summarizer: Summarizer, folder: Folder, paths_fd: int) -> bool:
    """Whether the client may be used; a person's own command is what that person made it."""
    if summarizer.kind == "command":
        return True
    try:
        inner = _below(folder, "check")
        return closed_check.is_closed(summarizer, inner, limits.CLIENT_CHECK_S, lambda: not _has_ended(paths_fd))
    except ClientFailed:
        return False


def _ask(summarizer: Summarizer, files: RecordFiles, folder: Folder, variables: dict[str, str], paths_fd: int) -> bytes:
    """What the client answers to the sanitized text, which stands between its marker lines."""
    fence = files.record["fence"]
    text = f"{fence['begin']}\n{files.record['raw_text']}\n{fence['end']}\n".encode()
    inner = _below(folder, "run")
    command = clients.command(summarizer, inner, variables)
    return client_process.run(command, inner, text, limits.MODEL_SUMMARY_S, lambda: not _has_ended(paths_fd))


def _is_ready(files: RecordFiles) -> bool:
    """Whether this is a record of this user's with text that nobody holds back."""
    known = ledger.knows(files.record_sha256, files.links_sha256)
    return known and files.record["outcome"] == "ok" and files.record["verdict"] != "confirm"


def _sanitized(said: bytes, crew: Crew, deadline: Deadline) -> Sanitized:
    """What the model said, through the sanitizer like a page; ClientFailed for no text at all."""
    text = said.decode("utf-8", "replace").strip()
    if not text:
        raise ClientFailed
    blocks: list[Block] = [
        {"kind": "paragraph", "text": part.strip(), "spans": []} for part in text.split("\n\n") if part.strip()
    ]
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


def _read_path(fd: int) -> str | None:
    """The path of the record; None when the fetch ended without one."""
    data = bytearray()
    while not data.endswith(b"\n"):
        part = os.read(fd, 4096)
        if not part:
            return None
        data += part
    return os.fsdecode(bytes(data[:-1]))


def _has_ended(fd: int) -> bool:
    """Whether the process that waits for us has gone away."""
    poll = select.poll()
    poll.register(fd, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


@contextlib.contextmanager
def _private_folder() -> Iterator[Folder]:
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
