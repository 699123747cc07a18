"""The proxy a person has named: a real CONNECT proxy in the sealed internet, the product unmodified."""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from guarded_webfetch.core.reasons import REASONS
from tests.conftest import REPOSITORY
from tests.e2e.conftest import LAUNCHER, Fetch, Fetched, check
from tests.internet import proxy
from tests.internet.addresses import PROXY
from tests.internet.client import SealedInternet
from tests.internet.proxy import ADVICE, EAGER, GARBAGE, LOCKED, OPEN, REFUSING, SILENT

pytestmark = pytest.mark.sealed
BOOT = REPOSITORY / "shared/guarded_webfetch/boot.py"
ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
SANDBOX_FACTS = ("CODEX_SANDBOX_NETWORK_DISABLED", "GUARDED_WEBFETCH_PROXY_SEEN")
Run = Callable[..., Fetched]


def address_of(one: proxy.Proxy) -> str:
    return f"http://{one.address}:{one.port}"


@pytest.fixture
def run(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> Run:
    """`run(URL, *options, config=…, agent=…, extra=…)`: a person's command, or an agent's launcher, with a config file."""
    folder = tmp_path / "work"
    folder.mkdir()
    settings = tmp_path / "config" / "guarded-webfetch"
    settings.mkdir(parents=True)

    def start(*arguments: str, config: str = "", agent: bool = False, extra: dict[str, str] | None = None) -> Fetched:
        (settings / "config.toml").write_text(config, encoding="utf-8")
        known = {name: os.environ[name] for name in ("HOME", "PATH", "XDG_CACHE_HOME") if name in os.environ}
        variables = known | {"XDG_CONFIG_HOME": str(settings.parent), "XDG_STATE_HOME": str(tmp_path / "state")}
        command = ["bash", str(LAUNCHER)] if agent else [environment, "-I", "-S", str(BOOT), "fetch"]
        result = sealed_internet.run([*command, *arguments], cwd=folder, timeout=60.0, env=variables | (extra or {}))
        return check(result, folder)

    return start


def only_the_proxy_was_contacted(found: Fetched, one: proxy.Proxy) -> bool:
    """Everything else in the log was caused by the proxy itself."""
    ours = [entry for entry in found.result.log.connects if entry["client"] != PROXY or entry["address"] == PROXY]
    return bool(ours) and {(entry["address"], entry["port"]) for entry in ours} == {(one.address, one.port)}


def targets(found: Fetched) -> list[str]:
    return [f"{entry['method']} {entry['target']}" for entry in found.result.log.proxied]


@pytest.mark.parametrize(
    ("url", "asked"), [(ARTICLE, "news.canal-journal.com:443"), ("http://example.com/", "example.com:80")]
)
def test_a_page_through_the_proxy(run: Run, fetch: Fetch, url: str, asked: str) -> None:
    found = run(url, "--proxy", address_of(OPEN))
    assert targets(found) == [f"CONNECT {asked}"]
    assert only_the_proxy_was_contacted(found, OPEN)
    assert not found.result.log.dns
    assert found.record["network"] == {"mode": "proxy", "ip_pinned": False}
    assert found.record["loosened"] == ["proxy"]
    assert found.record["verdict"] == "notice"
    assert "ip_not_pinned" in found.record["verdict_reasons"]
    direct = fetch(url)
    assert direct.record["network"] == {"mode": "direct", "ip_pinned": True}
    assert (direct.record["raw_text"], direct.record["body_sha256"]) == (
        found.record["raw_text"],
        found.record["body_sha256"],
    )


def test_every_hop_goes_through_the_proxy(run: Run) -> None:
    found = run("http://canal-journal.com/", "--proxy", address_of(OPEN))
    assert [hop["relations"] for hop in found.record["redirects"]] == [["https_upgrade"], ["www_variant"]]
    hosts = ("canal-journal.com:80", "canal-journal.com:443", "www.canal-journal.com:443")
    assert targets(found) == [f"CONNECT {host}" for host in hosts]
    assert only_the_proxy_was_contacted(found, OPEN)
    three = run("https://moved.canal-journal.com/chain?3", "--proxy", address_of(OPEN))
    assert len(three.record["redirects"]) == 3
    assert run("https://moved.canal-journal.com/chain?4", "--proxy", address_of(OPEN)).reason == "redirect_too_many"


def test_a_name_that_only_the_proxy_knows(run: Run) -> None:
    found = run("https://by-proxy.canal-journal.com/", "--proxy", "http://proxy.canal-journal.com:3128")
    assert found.code == 0
    assert only_the_proxy_was_contacted(found, OPEN)
    assert {entry["name"] for entry in found.result.log.dns} == {"proxy.canal-journal.com"}
    assert run("https://by-proxy.canal-journal.com/").code == REASONS["dns_no_answer"].exit_code


def test_the_proxys_name_is_looked_up_once(run: Run) -> None:
    found = run("https://moved.canal-journal.com/chain?3", "--proxy", "http://proxy.canal-journal.com:3128")
    assert found.code == 0
    questions = [(entry["name"], entry["type"]) for entry in found.result.log.dns]
    assert questions
    assert len(set(questions)) == len(questions)


def test_the_config_file_serves_an_agent_too(run: Run) -> None:
    found = run(ARTICLE, config=f'proxy = "{address_of(OPEN)}"', agent=True)
    assert found.code == 0
    assert only_the_proxy_was_contacted(found, OPEN)
    assert found.record["network"]["mode"] == "proxy"
    assert found.record["loosened"] == ["proxy"]


def test_an_agent_may_not_name_one(run: Run) -> None:
    found = run(ARTICLE, "--proxy", address_of(OPEN), agent=True)
    assert (found.code, found.reason) == (2, "option_not_allowed")
    assert not found.result.log


def test_none_is_taken_from_the_environment(run: Run) -> None:
    found = run(
        ARTICLE, agent=True, extra={name: address_of(OPEN) for name in ("https_proxy", "HTTPS_PROXY", "ALL_PROXY")}
    )
    assert found.code == 0
    assert not found.result.log.proxied
    assert found.record["network"] == {"mode": "direct", "ip_pinned": True}


# ---------------------------------------------------------------- a credential


def locked(credential: str) -> str:
    user, _, word = credential.partition(":")
    return f'proxy = "http://{quote(user, safe="")}:{quote(word, safe="")}@{LOCKED.address}:{LOCKED.port}"'


def test_a_proxy_with_a_password(run: Run, tmp_path: Path) -> None:
    assert LOCKED.credential
    found = run("https://moved.canal-journal.com/chain?3", config=locked(LOCKED.credential), agent=True)
    assert found.code == 0
    encoded = base64.b64encode(LOCKED.credential.encode()).decode()
    sent = [dict(entry["headers"])["Proxy-Authorization"] for entry in found.result.log.proxied]
    assert sent == [f"Basic {encoded}"] * 4
    assert only_the_proxy_was_contacted(found, LOCKED)
    assert not [name for request in found.result.log.requests for name, _ in request["headers"] if "roxy" in name]
    written = [
        path.read_text(encoding="utf-8")
        for folder in ("work", "state")
        for path in (tmp_path / folder).rglob("*.json*")
    ]
    assert len(written) >= 3
    forms = (encoded, LOCKED.credential, quote("p@ss: wörd", safe=""))
    assert not [form for form in forms for text in written if form in text]
    assert json.loads((tmp_path / "state/guarded-webfetch/ledger.jsonl").read_text())["options"]["proxy"] == [
        "127.0.0.1",
        3128,
    ]


@pytest.mark.parametrize("config", [f'proxy = "{address_of(LOCKED)}"', locked("reader:wrong")], ids=["none", "wrong"])
def test_without_the_right_password(run: Run, config: str) -> None:
    found = run(ARTICLE, config=config)
    assert (found.code, found.reason) == (5, "proxy_refused")
    assert [entry["answer"] for entry in found.result.log.proxied] == ["HTTP/1.1 407"]
    assert "wrong" not in found.result.stderr


def test_a_credential_is_sent_to_its_own_proxy_only(run: Run) -> None:
    assert LOCKED.credential
    found = run(ARTICLE, "--proxy", address_of(OPEN), config=locked(LOCKED.credential))
    assert found.code == 0
    assert only_the_proxy_was_contacted(found, OPEN)
    assert "Proxy-Authorization" not in dict(found.result.log.proxied[0]["headers"])


# ---------------------------------------------------------------- a proxy that does not help


@pytest.mark.parametrize("one", [REFUSING, GARBAGE], ids=["403", "garbage"])
def test_whatever_it_says_is_one_reason(run: Run, one: proxy.Proxy) -> None:
    found = run(ARTICLE, "--proxy", address_of(one))
    assert (found.code, found.reason) == (5, "proxy_refused")
    assert found.result.stderr.startswith(f"guarded-webfetch: proxy_refused: {REASONS['proxy_refused'].sentence}")
    assert found.record["network"]["mode"] == "proxy"
    assert found.record["http_status"] is None
    assert found.path
    assert ADVICE.decode().strip() not in found.path.read_text() + found.result.stderr
    assert only_the_proxy_was_contacted(found, one)


def test_a_host_it_does_not_know(run: Run) -> None:
    assert run("https://missing.canal-journal.com/", "--proxy", address_of(OPEN)).reason == "proxy_refused"


@pytest.mark.parametrize("address", ["http://10.0.0.53:3999", "http://unreachable.canal-journal.com:3128",
                                     "http://missing.canal-journal.com:3128"])  # fmt: skip
def test_one_that_is_not_there(run: Run, address: str) -> None:
    found = run(ARTICLE, "--proxy", address, extra=dict.fromkeys(SANDBOX_FACTS, "1"))
    assert (found.code, found.reason) == (5, "proxy_unreachable")


def test_one_that_never_answers(run: Run) -> None:
    found = run(ARTICLE, "--proxy", address_of(SILENT), "--timeout", "1.5")
    assert (found.code, found.reason) == (5, "fetch_deadline")
    assert 1.4 < found.result.seconds < 4


def test_bytes_right_behind_its_answer_reach_the_fetcher(run: Run) -> None:
    found = run("http://example.com/", "--proxy", address_of(EAGER))
    assert found.code == 0
    assert found.record["bytes"] == len(proxy.EAGER_PAGE)
    assert "in one piece with the answer of the proxy" in found.record["raw_text"]


# ---------------------------------------------------------------- the policy stays


REFUSED = {
    "http://127.0.0.1/": "address_not_public",
    "http://[::1]/": "address_not_public",
    "http://169.254.169.254/latest/meta-data/": "address_not_public",
    "http://198.18.0.23/": "address_not_public",
    "http://localhost/": "name_not_public",
    "http://printer.local/": "name_not_public",
    "https://example.com:8443/": "url_port",
    "https://example.com/?api_key=sk-proj-Zk3vQ9tXw7LmN2bR8cYdFgHjKpQsTuVw": "url_secret",
}


@pytest.mark.parametrize(("url", "reason"), REFUSED.items())
def test_what_is_refused_is_refused_before_the_proxy_is_asked(run: Run, url: str, reason: str) -> None:
    found = run(url, "--proxy", address_of(OPEN))
    assert found.reason == reason
    assert not found.result.log


@pytest.mark.parametrize(
    ("path", "reason"),
    [("metadata", "address_not_public"), ("cross", "redirect_cross_origin"), ("downgrade", "redirect_downgrade"),
     ("loop-a", "redirect_loop"), ("to-loop-name", "redirect_downgrade")],
)  # fmt: skip
def test_redirects_are_judged_as_ever(run: Run, path: str, reason: str) -> None:
    found = run(f"https://moved.canal-journal.com/{path}", "--proxy", address_of(OPEN))
    assert found.reason == reason
    assert set(targets(found)) == {"CONNECT moved.canal-journal.com:443"}


@pytest.mark.parametrize("label", ["expired", "wrong-name", "self-signed", "missing-intermediate"])
def test_the_certificate_is_that_of_the_site(run: Run, label: str) -> None:
    found = run(f"https://{label}.canal-journal.com/", "--proxy", address_of(OPEN))
    assert found.reason == "tls_certificate"
    assert targets(found) == [f"CONNECT {label}.canal-journal.com:443"]


# ---------------------------------------------------------------- no proxy, inside a sandbox


@pytest.mark.parametrize(
    "fact", [{"CODEX_SANDBOX_NETWORK_DISABLED": "1"}, {"https_proxy": "http://user:word@127.0.0.1:1"}]
)
def test_a_blocked_network_is_told_as_such(run: Run, fact: dict[str, str]) -> None:
    for host, otherwise in (("unreachable", "connect_failed"), ("servfail", "dns_failed")):
        url = f"http://{host}.canal-journal.com/"
        found = run(url, agent=True, extra=fact)
        assert (found.code, found.reason) == (3, "network_blocked")
        assert run(url, agent=True).reason == otherwise
    assert run("http://missing.canal-journal.com/", agent=True, extra=fact).reason == "dns_no_answer"
    assert run("http://example.com/", agent=True, extra=fact).code == 0, "a fact, not a setting"
