"""What the caller's environment says about proxies, certificates and key logs changes nothing and leaves nothing behind."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.conftest import LAUNCHER
from tests.internet.client import SealedInternet

pytestmark = pytest.mark.sealed
URLS = (
    "https://example.com/",
    "http://canal-journal.com/",
    "https://moved.canal-journal.com/chain?2",
    "https://expired.canal-journal.com/",
)
PROXY = "http://127.0.0.1:3128"
WATCH = str(REPOSITORY / "tests/internet/watch.py")
SHARED = str(REPOSITORY / "shared")
CONSOLE = f"import sys; sys.path.insert(0, {SHARED!r}); from guarded_webfetch.boot import console; console()"


def variables(folder: Path) -> dict[str, str]:
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), PROXY)
    (folder / "empty").mkdir(exist_ok=True)
    trust = {"SSL_CERT_FILE": str(folder / "no-such-file"), "SSL_CERT_DIR": str(folder / "empty")}
    return proxies | trust | {"SSLKEYLOGFILE": str(folder / "keys.log")}


def visit(net: SealedInternet, command: list[str], url: str, folder: Path, extra: dict[str, str]) -> dict[str, Any]:
    """{connects tried, requests, questions, exit code, outcome and text}: all that may not differ."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "XDG_CACHE_HOME") if name in os.environ}
    environment = kept | {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")} | extra
    result = net.run([sys.executable, "-I", "-S", WATCH, *command, url], cwd=folder, env=environment)
    told = json.loads(result.stdout)
    path = told["stdout"].strip() or told["stderr"].partition("(record: ")[2].rstrip(")\n")
    record = json.loads((folder / path).read_bytes())
    requests = [(entry["host"], entry["target"], entry["headers"]) for entry in result.log.requests]
    names = [(entry["name"], entry["type"]) for entry in result.log.dns]
    kept_fields = {name: record[name] for name in ("outcome", "raw_text", "flags", "redirects", "network", "loosened")}
    return {
        "tried": told["tried"],
        "requests": requests,
        "names": sorted(names),
        "code": told["returncode"],
        **kept_fields,
    }


@pytest.mark.parametrize("started_as", ["console", "launcher"])
def test_the_environment_changes_nothing(
    sealed_internet: SealedInternet, environment: str, tmp_path: Path, started_as: str
) -> None:
    command = [environment, "-I", "-c", CONSOLE, "fetch"] if started_as == "console" else ["bash", str(LAUNCHER)]
    for url in URLS:
        plain = visit(sealed_internet, command, url, tmp_path, {})
        loaded = visit(sealed_internet, command, url, tmp_path, variables(tmp_path))
        assert loaded == plain, url
        assert plain["tried"], url
        assert all(address != "127.0.0.1" for address, _ in loaded["tried"])
    assert not (tmp_path / "keys.log").exists()


def test_the_same_variables_do_steer_an_ordinary_client(sealed_internet: SealedInternet, tmp_path: Path) -> None:
    """The control: without it the test above would pass where the variables have no effect on anything."""
    code = "import urllib.request; urllib.request.urlopen('http://example.com/', timeout=5)"
    environment = {"PATH": "/usr/bin:/bin"} | variables(tmp_path)
    result = sealed_internet.run(
        [sys.executable, "-I", "-S", WATCH, sys.executable, "-I", "-S", "-c", code], env=environment
    )
    assert ["127.0.0.1", 3128] in json.loads(result.stdout)["tried"]
    tls = (
        "import socket, ssl; s = socket.create_connection(('example.com', 443)); "
        "ssl.create_default_context().wrap_socket(s, server_hostname='example.com')"
    )
    key_log = {"PATH": "/usr/bin:/bin", "SSLKEYLOGFILE": str(tmp_path / "control.log")}
    assert (
        sealed_internet.run([sys.executable, "-s", "-S", "-c", tls], env=key_log).returncode == 0
    )  # -I would ignore it
    assert (tmp_path / "control.log").stat().st_size > 0
    refused = sealed_internet.run([sys.executable, "-s", "-S", "-c", tls], env=variables(tmp_path))
    assert refused.returncode != 0
