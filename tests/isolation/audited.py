"""Runs a child's own `main` over many inputs under an audit hook that is armed by its lock, in a fresh interpreter without site.

`python -I -S audited.py ROLE KIND CONTROL < JOBS`: {"libraries": [paths]} first, then one JSON object a line,
{"order": …, "body": path} for a parser, {"order": path} for a sanitizer. Prints a line for each:
{"outcome", "events", "answer": path or null}.
"""

import functools
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

# What a locked child cannot do: load code, open anything, ask the system.
FORBIDDEN = (
    "import",
    "open",
    "ctypes.dlopen",
    "os.",
    "socket.",
    "subprocess.",
    "shutil.",
    "glob.",
    "tempfile.",
    "pathlib.",
)


class Ended(Exception):
    """A child that ends with a reason; not an error."""


class Watch:
    def __init__(self) -> None:
        self.armed = False
        self.events: list[str] = []
        sys.addaudithook(self._note)

    def lock(self) -> dict[str, Any]:
        self.armed = True
        return {}

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.armed and event.startswith(FORBIDDEN):
            self.events.append(f"{event} {str(arguments)[:80]}")


def scripted(frames: list[Any], kept: list[Any]) -> Any:
    """A channel whose frames are there already and whose answers are kept."""
    from guarded_webfetch.ipc.channel import Channel

    class Scripted(Channel):
        def receive_message(self, limit_bytes: int = 0) -> Any:
            return frames.pop(0)

        def receive_bytes(self, limit_bytes: int) -> bytes:
            body: bytes = frames.pop(0)
            return body

        def send_ready(self, isolation: dict[str, Any]) -> None:
            pass

        def send_message(self, value: object) -> None:
            kept.append(value)

        def fail(self, code: str) -> Any:
            raise Ended(code)

    return Scripted(-1, -1)


def late(main: Any) -> Any:
    """The positive control: the same child, which imports a module and opens a file after its lock."""

    def too_late(channel: Any, lock: Any) -> None:
        def lock_and_slip() -> dict[str, Any]:
            seen: dict[str, Any] = lock()
            import wave

            with open(wave.__file__, "rb"):
                return seen

        main(channel, lock_and_slip)

    return too_late


def work(role: str, kind: str, job: dict[str, Any], watch: Watch, main: Any) -> dict[str, Any]:
    kept: list[Any] = []
    if role == "parser":
        frames = [{"kind": kind}, job["order"], Path(job["body"]).read_bytes()]
    else:
        frames = [json.loads(Path(job["order"]).read_bytes())]
    channel, watch.events = scripted(frames, kept), []
    try:
        main(channel, watch.lock)
        outcome = "answered"
    except Ended as ended:
        outcome = str(ended)
    finally:
        watch.armed = False
    answer = Path(job["body"] if role == "parser" else job["order"]).with_suffix(f".{role}.json") if kept else None
    if answer:
        answer.write_text(json.dumps(kept[0]), encoding="utf-8")
    return {"outcome": outcome, "events": watch.events, "answer": str(answer) if answer else None}


def run(role: str, kind: str, control: str) -> None:
    sys.path += json.loads(sys.stdin.readline())["libraries"]
    if role == "parser":
        from guarded_webfetch.parser.main import main
    else:
        from guarded_webfetch.sanitizer.main import main
    from guarded_webfetch.core.limits import PARSER_MEMORY_BYTES, PDF_DEADLINE_S

    resource.setrlimit(resource.RLIMIT_AS, (PARSER_MEMORY_BYTES, PARSER_MEMORY_BYTES))
    watch = Watch()
    chosen = late(main) if control == "late" else main
    for line in sys.stdin.read().splitlines():
        one = functools.partial(work, role, kind, json.loads(line), watch, chosen)
        print(json.dumps(apart(one, int(PDF_DEADLINE_S)) if (role, kind) == ("parser", "pdf") else one()))


def apart(one: Any, cpu_s: int) -> dict[str, Any]:
    """The same in a fork: some PDFs are made to end the process that reads them."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
        os.write(writer, json.dumps(one()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        answer = said.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    found: dict[str, Any] = json.loads(answer) if answer else {"outcome": f"ended {code}", "events": [], "answer": None}
    return found


if __name__ == "__main__":
    run(*sys.argv[1:])
