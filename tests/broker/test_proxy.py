"""The person's proxy: how it is named, where its credential is and is not, and a tunnel that loses no byte."""

import base64
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import config_file, crew, proxy, route, tunnel
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.proxy import Proxy
from guarded_webfetch.commands import config, fetch
from guarded_webfetch.core.limits import MAX_PROXY_HEAD_BYTES, MAX_REDIRECTS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import parse_url
from tests.conftest import REPOSITORY

URL = parse_url("https://example.com/page")
INNER = Proxy("10.0.0.53", 3128)


def soon(seconds: float = 5.0) -> Deadline:
    return Deadline.after(seconds, "fetch_deadline")


# ---------------------------------------------------------------- how it is named


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("http://10.0.0.53:3128", (INNER, "")),
        ("HTTP://Proxy.Example.COM:8080/", (Proxy("proxy.example.com", 8080), "")),
        ("http://[::1]:3128", (Proxy("::1", 3128), "")),
        ("http://user:p%40ss@localhost:1", (Proxy("localhost", 1), "user:p%40ss")),
        ("http://user@localhost:65535", (Proxy("localhost", 65535), "user")),
    ],
)
def test_names_of_a_proxy(text: str, found: tuple[Proxy, str]) -> None:
    assert proxy.parse(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "", "10.0.0.53:3128", "https://proxy.example.com:3128", "socks5://proxy.example.com:1080", "http://proxy.example.com",
        "http://proxy.example.com:0", "http://proxy.example.com:65536", "http://proxy.example.com:3128/path", "http://:3128",
        "http://a b:3128", "http://u:p@ss@proxy.example.com:3128", "http://proxy.example.com:3128\n", "http://プロキシ:3128",
        "http://proxy.example.com:3128?x", "http://proxy.example.com:٣١٢٨",
    ],
)  # fmt: skip
def test_what_is_no_proxy(text: str) -> None:
    with pytest.raises(ValueError):
        proxy.parse(text)


@pytest.mark.parametrize(
    "text", ["http://user:word@10.0.0.53:3128", "http://user@10.0.0.53:3128", "proxy.example.com:3128"]
)
def test_no_credential_on_the_command_line(file: Path, text: str) -> None:
    with pytest.raises(Refusal) as caught:
        fetch.run(["https://example.com/", "--proxy", text])
    assert caught.value.code == "usage_invalid"


def test_an_agent_may_not_name_one() -> None:
    with pytest.raises(Refusal) as caught:
        fetch.run_agent(["https://example.com/", "--proxy", "http://10.0.0.53:3128"])
    assert caught.value.code == "option_not_allowed"
    assert "proxy" not in fetch._parser(person=False).format_help()


def test_what_the_record_and_the_ledger_say() -> None:
    options = Options(proxy=INNER)
    assert options.loosened() == ["proxy"]
    assert json.loads(json.dumps(options.changed())) == {"proxy": ["10.0.0.53", 3128]}


# ---------------------------------------------------------------- its credential


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "guarded-webfetch"
    folder.mkdir(parents=True)
    return folder / "config.toml"


def basic(credential: str) -> bytes:
    return b"Basic " + base64.b64encode(credential.encode())


@pytest.mark.parametrize(
    ("line", "credential"),
    [
        ('proxy = "http://10.0.0.53:3128"', None),
        ('proxy = "http://reader:word@10.0.0.53:3128"', "reader:word"),
        ("proxy = 'http://reader:it''s@10.0.0.53:3128'".replace("''", "%27"), "reader:it's"),
        ('proxy = "http://reader:it\'s@10.0.0.53:3128"', "reader:it's"),
        ('proxy = "http://reader:p%40ss%3A%20w%C3%B6rd@10.0.0.53:3128/" # ask admin@example.com', "reader:p@ss: wörd"),
        ('hosts = ["example.com"]\nproxy="HTTP://reader@10.0.0.53:3128"\nports = "wide"', "reader:"),
        ('proxy = """http://reader:word@10.0.0.53:3128"""', "reader:word"),
    ],
)
def test_credential(file: Path, line: str, credential: str | None) -> None:
    file.write_text(line)
    assert config.apply(Options()).proxy == INNER
    assert proxy.authorization(INNER) == (basic(credential) if credential else None)
    assert proxy.authorization(Proxy("10.0.0.53", 3129)) is None, "it is for the proxy it stands beside"


def test_without_a_file_there_is_no_credential(file: Path) -> None:
    assert proxy.authorization(INNER) is None


@pytest.mark.parametrize(
    "line",
    [
        "proxy = 3128", 'proxy = ""', 'proxy = "10.0.0.53:3128"', 'proxy = "https://10.0.0.53:3128"', "proxy = true",
        r'proxy = "http:\u002f/reader:word@10.0.0.53:3128"',  # not masked when it is read, so it stops the run
        r'proxy = "http://reader:word\u004010.0.0.53:3128"',
    ],
)  # fmt: skip
def test_odd_entries_stop_the_run(file: Path, line: str) -> None:
    file.write_text(line)
    with pytest.raises(Refusal) as caught:
        config.apply(Options())
    assert caught.value.code == "config_invalid"


@pytest.mark.parametrize(
    "userinfo", ["reader:%0d%0aX-Other: 1".replace(" ", ""), "reader:wörd", "reader:%7F", "reader:%4", "a|b"]
)
def test_odd_credentials_stop_the_run(file: Path, userinfo: str) -> None:
    file.write_text(f'proxy = "http://{userinfo}@10.0.0.53:3128"')
    assert config.apply(Options()).proxy == INNER
    with pytest.raises(Refusal) as caught:
        proxy.authorization(INNER)
    assert caught.value.code == "config_invalid"


def test_reading_masks_user_and_password_and_nothing_else(file: Path) -> None:
    before = "# mail admin@example.com\nhosts = ['a.example.com']\n"
    file.write_text(before + 'proxy = "http://reader:word@10.0.0.53:3128" # see http://wiki and me@example.com\n')
    masked = before + 'proxy = "http://***********@10.0.0.53:3128" # see http://wiki and me@example.com\n'
    assert config_file.read() == masked.encode()


PROXIED_CHILDREN = (
    1 + (1 + MAX_REDIRECTS) + 3
)  # one resolver, for the proxy; a fetcher a hop; two parsers and a sanitizer

# Runs in a fresh interpreter, whose parent then looks into its memory and into that of its children.
PROBE = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from guarded_webfetch.broker import config_file, crew, route
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.commands import config

crew._resolve = crew._fetch = crew._parse = crew._sanitize = lambda channel, lock: time.sleep(60)
options = config.apply(Options())
kept = config_file.read(with_credential=True) if sys.argv[2] == "too early" else None
deadline = Deadline.after(60, "fetch_deadline")
with crew.Crew("html", "process", deadline) as children:
    way = route.choose(options, children)
    children.prepare_redirects()
    print(json.dumps([child._pid for child in children._children]), flush=True)
    sys.stdin.read()
"""


def holds(pid: int, needle: bytes) -> bool:
    """Whether any readable page of a process has `needle` in it."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if "r" not in rights or "[v" in line:
                continue
            memory.seek(start)
            try:
                if needle in memory.read(end - start):
                    return True
            except OSError:  # a guard page
                continue
    return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("when", ["in time", "too early"])
def test_no_child_inherits_the_credential(file: Path, when: str) -> None:
    """Its control: read too early, the same credential is in every child."""
    word = secrets.token_hex(16)
    file.write_text(f'proxy = "http://reader:{word}@10.0.0.53:3128"')
    command = [sys.executable, "-I", "-S", "-c", PROBE, str(REPOSITORY / "shared"), when]
    environment = {"XDG_CONFIG_HOME": str(file.parents[1])}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as broker:
        assert broker.stdout and broker.stdin
        children = json.loads(broker.stdout.readline())
        assert len(children) == PROXIED_CHILDREN
        forms = [word.encode(), basic(f"reader:{word}")[6:]]
        assert any(holds(broker.pid, form) for form in forms), "the broker needs it"
        found = [any(holds(pid, form) for form in forms) for pid in children]
        broker.stdin.close()
    assert found == [when == "too early"] * len(children)


def test_the_credential_is_read_after_the_last_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    class Double:
        def __init__(self, role: str) -> None:
            self.role = role

        def send_message(self, *_: object) -> None:
            pass

        def kill(self) -> None:
            pass

    def spawn(role: str, *_: object, **__: object) -> Double:
        steps.append("fork")
        return Double(role)

    monkeypatch.setattr(crew, "spawn", spawn)
    monkeypatch.setattr(proxy, "authorization", lambda _: steps.append("credential"))
    children = crew.Crew("html", "process", soon())
    route.choose(Options(proxy=INNER), children)
    children.prepare_redirects()  # a redirect arrives
    for _ in range(1 + MAX_REDIRECTS):
        children.fetcher()
    children.prepare_redirects()
    assert steps == ["fork"] * PROXIED_CHILDREN + ["credential"]


# ---------------------------------------------------------------- the tunnel

Serve = Callable[..., tuple[socket.socket, bytearray]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(piece, …)`: a connected socket whose other side sends the pieces after the request, and what it was asked."""
    open_ends: list[socket.socket] = []

    def start(*pieces: bytes, pause_s: float = 0.0, close: bool = False) -> tuple[socket.socket, bytearray]:
        ours, theirs = socket.socketpair()
        open_ends.extend((ours, theirs))
        asked = bytearray()

        def answer() -> None:
            try:
                while not asked.endswith(b"\r\n\r\n"):
                    asked.extend(theirs.recv(4096))
                for piece in pieces:
                    theirs.sendall(piece)
                    time.sleep(pause_s)
                if close:
                    theirs.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        threading.Thread(target=answer, daemon=True).start()
        return ours, asked

    yield start
    for end in open_ends:
        end.close()


def refusal_of(work: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as caught:
        work()
    return caught.value.code


def test_what_a_proxy_is_asked(serve: Serve) -> None:
    for text, authority in (("https://example.com/page?q", b"example.com:443"), ("http://example.com/", b"example.com:80"),
                            ("https://[2606:2800:220:1::34]/", b"[2606:2800:220:1::34]:443")):  # fmt: skip
        connection, asked = serve(b"HTTP/1.1 200 OK\r\n\r\n")
        tunnel.open_tunnel(connection, parse_url(text), None, soon())
        assert bytes(asked) == b"CONNECT " + authority + b" HTTP/1.1\r\nHost: " + authority + b"\r\n\r\n"
    connection, asked = serve(b"HTTP/1.1 200 OK\r\n\r\n")
    tunnel.open_tunnel(connection, URL, b"Basic eDp5", soon())
    assert asked.endswith(b"\r\nProxy-Authorization: Basic eDp5\r\n\r\n")


HEADS = [
    b"HTTP/1.1 200 Connection established\r\n\r\n",
    b"HTTP/1.0 200\r\nProxy-Agent: x\r\n\r\n",
    b"HTTP/1.1 204 \r\nContent-Length: 999\r\nTransfer-Encoding: chunked\r\n\r\n",  # meaningless here, RFC 9110 section 9.3.6
    b"HTTP/1.1 200 OK\r\nX: " + b"a" * (MAX_PROXY_HEAD_BYTES - 24) + b"\r\n\r\n",
]


@pytest.mark.parametrize("head", HEADS, ids=["usual", "old", "with framing", "as long as allowed"])
@pytest.mark.parametrize("after", [b"", b"\x16\x03\x01early", b"\r\n\r\n", b"HTTP/1.1 403 No\r\n\r\n" * 400])
def test_bytes_behind_the_head_stay_in_the_tunnel(serve: Serve, head: bytes, after: bytes) -> None:
    assert len(HEADS[-1]) == MAX_PROXY_HEAD_BYTES
    connection, _ = serve(head + after, close=True)
    tunnel.open_tunnel(connection, URL, None, soon())
    assert os.get_blocking(connection.fileno())
    with connection.makefile("rb") as rest:
        assert rest.read() == after


def test_an_answer_in_single_bytes(serve: Serve) -> None:
    head = b"HTTP/1.1 200 OK\r\nVia: 1.1 x\r\n\r\n"
    connection, _ = serve(*(bytes([byte]) for byte in head + b"tail"), pause_s=0.001, close=True)
    tunnel.open_tunnel(connection, URL, None, soon())
    with connection.makefile("rb") as rest:
        assert rest.read() == b"tail"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"HTTP/1.1 403 Forbidden\r\n", b"HTTP/1.1 302 Found\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", b"HTTP/2 200 OK\r\n\r\n", b"220 ready\r\n", b"H", b"\0" * 40,
        b"HTTP/1.1 200 OK\n\n", b"HTTP/1.1  200 OK\r\n\r\n", b"HTTP/1.1 20 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nVia: x\n\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 2_000 + b"\r\n", b"HTTP/1.1 " + b"2" * 9_000, b"", b"HTTP/1.1 200 OK\r\n",
    ],
)  # fmt: skip
def test_every_other_answer_is_one_refusal(serve: Serve, answer: bytes) -> None:
    connection, _ = serve(answer, close=answer in (b"", b"H", b"HTTP/1.1 200 OK\r\n"))
    before = time.monotonic()
    assert refusal_of(lambda: tunnel.open_tunnel(connection, URL, None, soon())) == "proxy_refused"
    assert time.monotonic() - before < 2.0, "it was known at once"


@pytest.mark.parametrize("pieces", [(), (b"HTTP/1.1 200 OK\r\n",), tuple(b"X: y\r\n" for _ in range(200))])
def test_a_slow_answer_ends_at_the_deadline(serve: Serve, pieces: tuple[bytes, ...]) -> None:
    connection, _ = serve(*((b"HTTP/1.1 200 OK\r\n", *pieces) if len(pieces) > 1 else pieces), pause_s=0.05)
    before = time.monotonic()
    assert refusal_of(lambda: tunnel.open_tunnel(connection, URL, None, soon(0.4))) == "fetch_deadline"
    assert time.monotonic() - before < 1.5


# ---------------------------------------------------------------- routes


class NoCrew:
    """A crew of which nothing may be asked."""

    def prepare_redirects(self, *, look_up: bool) -> None:
        assert not look_up  # the proxy looks names up


def through(address: Proxy) -> route.ThroughProxy:
    children: Any = NoCrew()
    return route.ThroughProxy(address, children)


def test_a_proxy_that_is_not_there(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert refusal_of(lambda: through(Proxy("127.0.0.1", port)).connect(URL, soon())) == "proxy_unreachable"


@pytest.mark.parametrize("code", ["dns_no_answer", "dns_failed"])
def test_a_proxy_whose_name_is_unknown(file: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    def unknown(*_: object) -> None:
        raise Refusal(code)

    monkeypatch.setattr(route, "look_up", unknown)
    assert refusal_of(lambda: through(Proxy("proxy.example.com", 3128)).connect(URL, soon())) == "proxy_unreachable"


@pytest.mark.parametrize("fact", ["CODEX_SANDBOX_NETWORK_DISABLED", "GUARDED_WEBFETCH_PROXY_SEEN"])
def test_a_known_outer_sandbox_explains_a_failed_direct_connection(monkeypatch: pytest.MonkeyPatch, fact: str) -> None:
    answers: list[Any] = []

    def fail(*_: object) -> None:
        raise Refusal(answers[-1])

    children: Any = NoCrew()
    monkeypatch.setattr(route, "look_up", fail)
    for name in ("CODEX_SANDBOX_NETWORK_DISABLED", "GUARDED_WEBFETCH_PROXY_SEEN"):
        monkeypatch.delenv(name, raising=False)
    free = route.Direct(children, fake_ip=False)
    monkeypatch.setenv(fact, "1")
    inside = route.Direct(children, fake_ip=False)
    for code, told in (("dns_failed", "network_blocked"), ("connect_failed", "network_blocked"),
                       ("dns_no_answer", "dns_no_answer"), ("fetch_deadline", "fetch_deadline"),
                       ("address_not_public", "address_not_public")):  # fmt: skip
        answers.append(code)
        assert refusal_of(lambda: inside.connect(URL, soon())) == told
        assert refusal_of(lambda: free.connect(URL, soon())) == code
