"""Run as a fresh interpreter: fetches under an audit hook, so that nothing is loaded yet that the fetcher should load itself.

`python -m tests.fetcher.audited_fetches BUNDLE CHAIN OTHER_CHAIN` prints one line per fetch: outcome and exit code.
`python -m tests.fetcher.audited_fetches control` does after the lock what the hook must notice.
"""

import os
import sys
import zlib
from pathlib import Path
from typing import Any

from tests.fetcher.harness import Answer, Fetcher, Serve, chunked, fetch, page, respond
from tests.fetcher.throw_away_ca import server_context

NOTICED = 77  # exit code of a fetcher that did something else than compute, read and write
# socket.recv_fds makes an array; h11 turns its local error into a remote one by setting its class.
HARMLESS = ("array.__new__", "object.__setattr__")


def audited_lock() -> dict[str, Any]:
    sys.addaudithook(lambda event, _: None if event in HARMLESS else os._exit(NOTICED))
    unwanted = ("anyio", "certifi.core", "click", "h2", "pygments", "rich", "sniffio", "socksio", "trio", "asyncio")
    return {"unwanted": [name for name in unwanted if sys.modules.get(name)]}


def lock_then_open() -> dict[str, Any]:
    audited_lock()
    with open(os.devnull):
        return {}


def report(answer: Answer) -> None:
    outcome = answer.failure or f"{len(answer.body)} bytes"
    print(outcome, answer.exit_code, answer.isolation)


def plain() -> dict[str, Serve]:
    return {
        "identity": respond(page(b"z" * 100_000)),
        "gzip": respond(page(zlib.compress(b"z" * 100_000, wbits=31), "Content-Encoding: gzip")),
        "chunked": respond(chunked(b"3\r\nabc\r\n0\r\n\r\n")),
        "unknown coding": respond(page(b"x", "Content-Encoding: br")),
        "not HTTP": respond(b"garbage\r\n\r\n"),
        "nothing": respond(b""),
        "cut": respond(page(b"abc", "Content-Length: 9", length=False)),
        "bad gzip": respond(page(b"abc", "Content-Encoding: gzip")),
        "too many fields": respond(page(b"", *(["a: b"] * 999))),
    }


def main(arguments: list[str]) -> None:
    if arguments == ["control"]:
        fetcher, answer = Fetcher(lock_then_open), Answer()
        fetcher.send({"scheme": "http", "ca_bundle": None})
        assert fetcher.frame() is None
        fetcher.close(answer)
        return report(answer)
    bundle, chain, other_chain = arguments
    for serve in plain().values():
        report(fetch(serve, lock=audited_lock))
        report(fetch(serve, lock=audited_lock, context=server_context(Path(chain)), ca_bundle=bundle))
    ok = respond(page(b"x"))
    report(fetch(ok, lock=audited_lock, context=server_context(Path(other_chain)), ca_bundle=bundle))
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
