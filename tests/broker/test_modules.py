"""What each process really loads, at the moment of its lock: import-linter sees written imports only."""

import itertools
import json
import subprocess
import sys

import pytest

from guarded_webfetch.broker.crew import SHARED
from tests.conftest import REPOSITORY

# Runs in a fresh interpreter without site, as the product does; the libraries come from this test's own environment.
PROBE = """
import importlib, json, sys
sys.path += json.loads(sys.argv[1])
from guarded_webfetch.broker import assemble, crew, files, network, run  # noqa: F401 - all that a broker loads
if sys.argv[5] == "shared":
    for name in crew.SHARED:
        importlib.import_module(name)
before = set(sys.modules)
from guarded_webfetch.broker.child import spawn
from guarded_webfetch.broker.deadline import Deadline

loaded = lambda name: getattr(sys.modules.get(name), "__file__", None) is not None  # stand-ins have no file
role, setup, watched = sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
if role == "broker":
    print(json.dumps([name for name in watched if loaded(name)]))
    sys.exit()
main = {"resolver": crew._resolve, "fetcher": crew._fetch, "parser": crew._parse, "sanitizer": crew._sanitize}[role]
added = lambda: [name for name in sys.modules.keys() - before if name.partition(".")[0] in sys.stdlib_module_names]
seen = lambda: {"level": "process", "found": added() if watched == [] else [name for name in watched if loaded(name)]}
child = spawn(role, lambda channel, lock: main(channel, seen), takes_socket=role == "fetcher")
deadline = Deadline.after(20, "parse_deadline")
child.send_message(setup, deadline)
child.await_ready(deadline)
print(json.dumps(child.isolation["found"]))
child.kill()
"""
HTTP = {"httpcore", "h11", "ssl"}
PAGES = {"lxml", "readability", "cssselect", "chardet"}
PDF = {"pypdfium2", "pypdfium2_raw"}
NEVER = {
    "httpx",
    "lxml_html_clean",
    "http.client",
    "tempfile",
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
SETUPS: dict[str, dict[str, object]] = {
    "fetcher": {"scheme": "https", "ca_bundle": None},
    "parser": {"kind": "html"},
    "sanitizer": {},
}
TINY = {"_bisect", "base64", "binascii", "bisect"}
HEAVY = HTTP | PAGES | PDF | NEVER | {"regex", "tomllib", "idna"}


@pytest.mark.parametrize(
    ("role", "setup", "may"),
    [
        ("broker", {}, set()),
        ("resolver", {"host": "localhost"}, set()),
        ("fetcher", {"scheme": "http", "ca_bundle": None}, HTTP),
        ("fetcher", {"scheme": "https", "ca_bundle": None}, HTTP),
        ("parser", {"kind": "html"}, PAGES),
        ("parser", {"kind": "text"}, set()),
        ("parser", {"kind": "pdf"}, {"pypdfium2_raw"}),
        ("parser", {"kind": "robots"}, set()),
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
        "parser robots",
        "sanitizer",
    ],
)
def test_loads_only_what_its_work_needs(role: str, setup: dict[str, object], may: set[str]) -> None:
    assert loaded(role, setup, HEAVY) - may == set()


def test_no_two_children_load_the_same_standard_modules() -> None:
    """What two of them need is loaded once, before the fork (crew.SHARED); a handful of tiny ones remains."""
    added = {role: loaded(role, setup, set()) for role, setup in SETUPS.items()}
    assert "ssl" in added["fetcher"]
    common = [added[one] & added[other] for one, other in itertools.combinations(added, 2)]
    assert {name for name in set().union(*common) if not name.startswith("encodings.")} - TINY == set()


def test_what_is_shared_is_needed_twice() -> None:
    """A module that a single child needs belongs into that child."""
    added = [loaded(role, setup, set(), shared=False) for role, setup in SETUPS.items()]
    assert [name for name in SHARED if sum(name in one for one in added) < 2] == []


def loaded(role: str, setup: dict[str, object], watched: set[str], *, shared: bool = True) -> set[str]:
    """Which of `watched` a process of this role has loaded; of an empty set: the standard modules it added after the fork."""
    libraries = [path for path in sys.path if path.endswith("site-packages")] + [str(REPOSITORY / "shared")]
    arguments = [
        json.dumps(libraries),
        role,
        json.dumps(setup),
        json.dumps(sorted(watched)),
        "shared" if shared else "",
    ]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))
