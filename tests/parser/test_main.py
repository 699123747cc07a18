"""The process: messages in order, reason codes, and nothing loaded or opened after the lock."""

import json
import os
import subprocess
import sys

import pytest

from guarded_webfetch.core.charset import LABELS
from guarded_webfetch.ipc import frames, strict_json
from tests.parser.pages import ROOT

PAGE = (
    "<html lang=en><title>t</title><style>.a:has(b)::before{{color:hsl(0 0% 50%)}}</style>"
    "<body><p class=a>{text}</p><ol><li>x</ol></body></html>"
)
ORDER = {"content_type": "text/html", "charset_header": None, "base_url": "http://example.com/", "truncated": False}

CHILD = """
import sys
events = []
locked = False
def hook(event, arguments):
    if locked and (event in ("import", "open", "exec", "compile") or event.startswith(("socket.", "subprocess.", "os."))):
        events.append(f"{event} {arguments[:1]}")
sys.addaudithook(hook)
sys.path.insert(0, sys.argv[1])
import os
from guarded_webfetch.ipc.channel import Channel
from guarded_webfetch.parser.main import main
def lock():
    global locked
    locked = True
    return {"level": "none"}
class Watched(Channel):
    def fail(self, code):
        os.write(2, "\\n".join(events).encode())
        super().fail(code)
main(Watched(0, 1), lock)
os.write(2, "\\n".join(events).encode())
unwanted = {"chardet", "urllib.request", "http.client", "ssl", "subprocess"} & set(sys.modules)
os.write(2, ("\\nLOADED " + " ".join(sorted(unwanted))).encode())
"""


def run(kind, body, order=ORDER):
    """What the child answered ((kind, value) of each frame) and what it wrote to stderr."""
    messages = [{"kind": kind}, order | {"kind": kind}]
    sent = b"".join(frames.encode(frames.MESSAGE, strict_json.dumps(message)) for message in messages)
    sent += frames.encode(frames.BYTES, body)
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(ROOT / "shared")], input=sent, capture_output=True, timeout=60, check=True
    )
    answers, rest = [], child.stdout
    while rest:
        kind_byte, length = frames.HEADER.unpack(rest[: frames.HEADER.size])
        payload, rest = rest[frames.HEADER.size :][:length], rest[frames.HEADER.size + length :]
        answers.append((chr(kind_byte), json.loads(payload)))
    return answers, child.stderr.decode()


def encoded_pages():
    yield from ((name, "Grüße ascii") for name in ("utf-8", "windows-1252"))
    samples = {"ja": "水門は午前八時に開きます", "ru": "Ворота открываются", "en": "plain"}
    for encoding in sorted(set(LABELS.values())):
        text = next((t for t in samples.values() if _encodes(t, encoding.codec)), "plain")
        yield encoding.name, text


def _encodes(text, codec):
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def test_html_is_answered_and_nothing_is_loaded_after_the_lock():
    answers, errors = run("html", (PAGE.format(text="<b>x</b> " + "水門 " * 50) + "<math></math>").encode())
    assert [kind for kind, _ in answers] == ["R", "J"]
    assert answers[1][1]["title"] == "t"
    assert errors.strip() == "LOADED"


@pytest.mark.parametrize("kind", ["html", "text"])
def test_no_encoding_loads_anything_after_the_lock(kind):
    codec_of = {encoding.name: encoding.codec for encoding in LABELS.values()}
    for name, text in list(encoded_pages())[:: 4 if kind == "text" else 1]:
        body = PAGE.format(text=text * 5).encode(codec_of[name], "replace")
        answers, errors = run(kind, body, ORDER | {"charset_header": name})
        assert answers[-1][0] == "J", name
        assert errors.strip() == "LOADED", name


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("html", b"", "extract_empty"),
        ("text", b"  ", "extract_empty"),
        ("html", b"PK\x03\x04" + bytes(600), "content_type"),
        ("html", b"<title>Just a moment...</title><script>_cf_chl_opt={}</script><p>x</p>", "bot_challenge"),
    ],
)
def test_reason_codes(kind, body, code):
    answers, errors = run(kind, body)
    assert answers[-1] == ("F", {"reason": code})
    assert errors.strip() == ""


def test_memory_errors_become_a_reason(monkeypatch):
    from guarded_webfetch.ipc.channel import Channel
    from guarded_webfetch.parser import main as module

    class Stopped(Exception):
        pass

    class Fake(Channel):
        def __init__(self):
            self.inbox = [{"kind": "text"}, ORDER | {"kind": "text"}]

        def receive_message(self, limit_bytes=0):
            return self.inbox.pop(0)

        def receive_bytes(self, limit_bytes):
            return b"x"

        def send_ready(self, isolation):
            pass

        def fail(self, code):
            raise Stopped(code)

    def explode(*_):
        raise RecursionError

    monkeypatch.setattr(module, "parse", explode)
    with pytest.raises(Stopped, match="resource_limit"):
        module.main(Fake(), dict)


def test_an_early_fork_waits_for_its_kind():
    """The broker may fork before it knows the kind: the child blocks on the first message and ends when the pipe does."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(ROOT / "shared")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ},
    )  # fmt: skip
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(timeout=1)
    child.communicate(timeout=20)
    assert child.returncode != 0


def test_robots_txt_is_answered_with_numbers():
    order = {"path": "/private/a", "product_token": "guarded-webfetch"}
    answers, said = run("robots", b"user-agent: *\ncrawl-delay: 3\ndisallow: /private\n" * 1_000, order)
    assert answers[-1] == ("J", {"allowed": False, "line": 3, "crawl_delay_ms": 3_000})
    assert said.strip() == "LOADED"
