"""What a fetcher does before it has a connection, and when the broker goes away."""

from pathlib import Path

import pytest

from guarded_webfetch.ipc import frames

from .harness import Answer, Fetcher, fetch, no_lock, respond


@pytest.mark.parametrize("exists", [False, True])
def test_a_bad_bundle_fails_before_ready(tmp_path: Path, exists: bool) -> None:
    bundle = tmp_path / "bundle.pem"
    if exists:
        bundle.write_text("no certificates here")
    fetcher, answer = Fetcher(no_lock), Answer()
    fetcher.send({"scheme": "https", "ca_bundle": str(bundle)})
    fetcher.collect(answer)
    fetcher.close(answer)
    assert (answer.failure, answer.exit_code) == ("trust_store_missing", 0)


def test_a_plain_fetch_needs_no_trust(tmp_path: Path) -> None:
    answer = fetch(respond(b"HTTP/1.1 204 No Content\r\n\r\n"), ca_bundle=str(tmp_path / "missing"))
    assert (answer.failure, answer.status) == (None, 204)


def test_ready_comes_before_the_socket_is_passed() -> None:
    fetcher = Fetcher(no_lock)
    fetcher.send({"scheme": "http", "ca_bundle": None})
    assert fetcher.frame() == frames.Frame(frames.READY, b'{"level":"none"}')
    fetcher.close()


@pytest.mark.parametrize("ready", [False, True])
def test_it_ends_when_the_broker_goes_away(ready: bool) -> None:
    fetcher, answer = Fetcher(no_lock), Answer()
    if ready:
        fetcher.send({"scheme": "http", "ca_bundle": None})
        fetcher.frame()
    fetcher.close(answer)
    assert answer.exit_code == 1
