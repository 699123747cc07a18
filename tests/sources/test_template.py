"""The warm template: every module of ours it looks for exists, and what is forked from it loads (nearly) nothing more."""

import json
import subprocess
import sys
from importlib import import_module

import pytest

from guarded_webfetch.sources import template
from tests.conftest import REPOSITORY

# As in tests/broker/test_modules.py: a fresh interpreter without site.
PROBE = """
import json, sys
sys.path += json.loads(sys.argv[1])
from guarded_webfetch.sources import template
template.warm(tls=True)
from guarded_webfetch.broker import crew
from guarded_webfetch.broker.child import spawn
from guarded_webfetch.broker.deadline import Deadline
before = set(sys.modules)
found = {}
deadline = Deadline.after(20, "parse_deadline")
for name, main, setup in (
    ("resolver", crew._resolve, None), ("fetcher", crew._fetch, {"scheme": "https", "ca_bundle": None}),
    ("html", crew._parse, {"kind": "html"}), ("text", crew._parse, {"kind": "text"}), ("robots", crew._parse, {"kind": "robots"}),
    ("sanitizer", crew._sanitize, None),
):
    seen = lambda: {"level": "process", "found": sorted(sys.modules.keys() - before)}
    child = spawn(name, lambda channel, lock: main(channel, seen), takes_socket=name == "fetcher")
    if setup:
        child.send_message(setup, deadline)
    child.await_ready(deadline)
    found[name] = child.isolation["found"]
    child.kill()
heavy = [name for name in json.loads(sys.argv[2]) if getattr(sys.modules.get(name), "__file__", None)]
print(json.dumps([found, heavy]))
"""
NEVER = ["pypdfium2", "pypdfium2_raw", "httpx", "jsonschema", "asyncio", "subprocess", "urllib.request"]


@pytest.mark.parametrize("name", template.module_names())
def test_every_name_is_a_module(name: str) -> None:
    import_module(name)


def test_the_names_are_those_of_the_children() -> None:
    names = template.module_names()
    assert {
        "guarded_webfetch.parser.html_page",
        "guarded_webfetch.sanitizer.main",
        "guarded_webfetch.broker.robots",
    } <= {*names}
    assert not [name for name in names if "pdf" in name]


def test_children_load_nothing_more() -> None:
    libraries = [path for path in sys.path if path.endswith("site-packages")] + [str(REPOSITORY / "shared")]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, json.dumps(libraries), json.dumps(NEVER)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found, heavy = json.loads(done.stdout)
    assert set(found) == {"resolver", "fetcher", "html", "text", "robots", "sanitizer"}
    assert not any(found.values()), found
    assert heavy == []
