"""The second baseline of `latency`: a fetch by the product's own code in one process, nothing forked, locked, framed or checked.

`python -I -S bench_one_process.py URL` runs the agent's command with a crew whose members are calls: the same URL policy, look-up,
connection, transport, parser and sanitizer, the same files written. Not done, since only isolation needs them: warming before a
lock, encoding and checking messages, the lock itself.
"""

import gc
import os
import socket
import sys
from typing import Any

SHARED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shared")


class Call:
    """Stands for a child: messages in, then one call, then messages out."""

    def __init__(self) -> None:
        self.given: list[Any] = []
        self.answers: list[Any] = []
        self.passed = -1

    def send_message(self, value: Any, deadline: Any) -> None:
        self.given.append(value)

    def send(self, kind: int, payload: bytes, deadline: Any) -> None:
        self.given.append(payload)

    def pass_socket(self, connection: socket.socket) -> None:
        self.passed = connection.detach()

    def receive(self, accepted: dict[int, int], deadline: Any) -> Any:
        return self.receive_message("", 0, deadline)

    def receive_message(self, schema: str, limit_bytes: int, deadline: Any) -> Any:
        if not self.answers:
            self.answers = self.work()
        return self.answers.pop(0)

    def work(self) -> list[Any]:
        raise NotImplementedError

    def blame_content(self) -> None:
        pass

    def kill(self) -> None:
        pass


class Resolver(Call):
    def work(self) -> list[Any]:
        from guarded_webfetch.core import dns_answers
        from guarded_webfetch.ipc import frames
        from guarded_webfetch.resolver.main import look_up

        return [frames.Frame(frames.BYTES, dns_answers.encode(look_up(self.given[0]["host"])))]


class Fetcher(Call):
    """Answers its order at once: {"go": true} is given before it is asked for, and a chunk is kept as the frame it would be."""

    def work(self) -> list[Any]:
        from guarded_webfetch.core.reasons import Refusal
        from guarded_webfetch.fetcher import http_library, trust_store
        from guarded_webfetch.ipc import frames, strict_json
        from guarded_webfetch.ipc.channel import Channel

        http_library.load()
        from guarded_webfetch.fetcher import exchange

        said: list[Any] = []

        class Kept(Channel):
            def receive_message(self, limit_bytes: int = 0) -> Any:
                return {"go": True}

            def send_message(self, value: Any) -> None:
                said.append(value if len(said) < 2 else frames.Frame(frames.MESSAGE, strict_json.dumps(value)))

            def send_bytes(self, data: bytes) -> None:
                said.append(frames.Frame(frames.BYTES, data))

            def fail(self, code: str) -> Any:
                raise Refusal(code)

        setup, order = self.given
        context = trust_store.client_context(setup["ca_bundle"]) if setup["scheme"] == "https" else None
        exchange.run(Kept(-1, -1), setup, context, self.passed, order)
        return said


class Parser(Call):
    def work(self) -> list[Any]:
        from guarded_webfetch.parser.main import parse

        order, body = self.given
        return [parse(body, order)]


class Sanitizer(Call):
    def work(self) -> list[Any]:
        from guarded_webfetch.rules.compact import load
        from guarded_webfetch.sanitizer.sanitize import sanitize
        from guarded_webfetch.text.patterns import Matcher

        return [sanitize(self.given[0], Matcher(load()))]


class OneProcessCrew:
    """What `broker.run` asks of a crew."""

    def __init__(self, *_: object, **__: object) -> None:
        self.isolation: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "OneProcessCrew":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def resolver(self) -> Call:
        return Resolver()

    def fetcher(self) -> Call:
        return Fetcher()

    def parser(self, kind: str, deadline: Any) -> Call:
        return Parser()

    def sanitizer(self, deadline: Any) -> Call:
        return Sanitizer()

    def prepare_redirects(self) -> None:
        pass

    def check(self, child: Call, deadline: Any) -> None:
        pass

    def level(self) -> str:
        return "process"

    def cpu_ms(self) -> dict[str, float]:
        return {}


def main() -> int:
    from guarded_webfetch import boot

    gc.disable()  # as in the product
    sys.path += boot._environment_libraries()
    from guarded_webfetch.broker import run
    from guarded_webfetch.commands.cli import main as command

    vars(run)["Crew"] = OneProcessCrew
    return command(["agent", sys.argv[1]])


if __name__ == "__main__":
    sys.path.append(SHARED)
    os._exit(main())
