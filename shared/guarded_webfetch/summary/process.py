"""The process beside a fetch that has the summary written once the record is there.

It is forked first, so it holds nothing of the page, and starts with what must not wait: quarantined children for what the model will
say, then the login, then the check that the client is closed. It reads the finished record as any later reader would.
"""

import contextlib
import os
import resource
import select
import signal
from collections.abc import Callable
from typing import Final

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.record_reader import RecordFiles, read_record
from guarded_webfetch.broker.run import Written
from guarded_webfetch.core import limits
from guarded_webfetch.core.messages import Sanitized
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.summary import client_process, closed_client, login, save
from guarded_webfetch.summary.client_process import ClientFailed
from guarded_webfetch.summary.clients import Folder, summary_task
from guarded_webfetch.summary.settings import Summarizer

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
            with closed_client.private_folder() as folder:
                task = summary_task(summarizer.language)
                closed = closed_client.is_closed(summarizer, task, folder, lambda: not _has_ended(paths_fd))
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


def _ask(summarizer: Summarizer, files: RecordFiles, folder: Folder, variables: dict[str, str], paths_fd: int) -> bytes:
    """What the client answers to the sanitized text, which stands between its marker lines."""
    fence = files.record["fence"]
    text = f"{fence['begin']}\n{files.record['raw_text']}\n{fence['end']}\n".encode()
    asked = closed_client.Asked(summary_task(summarizer.language), text, variables, limits.MODEL_SUMMARY_S)
    return closed_client.ask(summarizer, asked, folder, lambda: not _has_ended(paths_fd))


def _is_ready(files: RecordFiles) -> bool:
    """Whether this is a record of this user's with text that nobody holds back."""
    known = ledger.knows(files.record_sha256, files.links_sha256)
    return known and files.record["outcome"] == "ok" and files.record["verdict"] != "confirm"


def _sanitized(said: bytes, crew: Crew, deadline: Deadline) -> Sanitized:
    paragraphs = said.decode("utf-8", "replace").split("\n\n")
    return closed_client.sanitized([part.strip() for part in paragraphs if part.strip()], crew, deadline)


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
