"""What each process really loads, at the moment of its lock: import-linter sees written imports only."""

import json
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

# Runs in a fresh interpreter without site, as the product does; the libraries come from this test's own environment.
PROBE = """
import json, sys
sys.path += json.loads(sys.argv[1])
from guarded_webfetch.broker import assemble, crew, files, run  # noqa: F401 - all that a broker loads
from guarded_webfetch.broker.child import spawn
from guarded_webfetch.broker.deadline import Deadline

loaded = lambda name: getattr(sys.modules.get(name), "__file__", None) is not None  # stand-ins have no file
role, setup, watched = sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
if role == "broker":
    print(json.dumps([name for name in watched if loaded(name)]))
    sys.exit()
main = {"resolver": crew._resolve, "fetcher": crew._fetch, "parser": crew._parse, "sanitizer": crew._sanitize}[role]
seen = lambda: {"level": "process", "found": [name for name in watched if loaded(name)]}
child = spawn(role, lambda channel, lock: main(channel, seen), takes_socket=role == "fetcher")
deadline = Deadline.after(20, "parse_deadline")
child.send_message(setup, deadline)
child.await_ready(deadline)
print(json.dumps(child.isolation["found"]))
child.kill()
"""
HTTP = {"httpx", "httpcore", "h11", "ssl"}
PAGES = {"lxml", "readability", "cssselect", "chardet"}
PDF = {"pypdfium2", "pypdfium2_raw"}
NEVER = {
    "jsonschema",
    "subprocess",
    "asyncio",
    "anyio",
    "multiprocessing",
    "rich",
    "click",
    "certifi",
    "trafilatura",
    "urllib.request",
}
HEAVY = HTTP | PAGES | PDF | NEVER | {"regex", "tomllib", "idna"}


@pytest.mark.parametrize(
    ("role", "setup", "may"),
    [
        ("broker", {}, set()),
        ("resolver", {"host": "localhost"}, set()),
        ("fetcher", {"scheme": "http", "ca_bundle": None}, {*HTTP, "idna", "urllib.request"}),
        ("fetcher", {"scheme": "https", "ca_bundle": None}, {*HTTP, "idna", "urllib.request"}),
        ("parser", {"kind": "html"}, {*PAGES, "urllib.request"}),
        ("parser", {"kind": "text"}, set()),
        ("parser", {"kind": "pdf"}, {"pypdfium2_raw"}),
        ("sanitizer", {}, {"regex", "tomllib"}),
    ],
    ids=[
        "broker",
        "resolver",
        "fetcher http",
        "fetcher https",
        "parser html",
        "parser text",
        "parser pdf",
        "sanitizer",
    ],
)
def test_loads_only_what_its_work_needs(role: str, setup: dict[str, object], may: set[str]) -> None:
    libraries = [path for path in sys.path if path.endswith("site-packages")] + [str(REPOSITORY / "shared")]
    arguments = [json.dumps(libraries), role, json.dumps(setup), json.dumps(sorted(HEAVY))]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) - may == set()
