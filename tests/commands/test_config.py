"""The config file counts only where an agent cannot have written it; what it says is checked to the letter."""

from pathlib import Path

import pytest

from guarded_webfetch.broker import url_check
from guarded_webfetch.broker.options import Options
from guarded_webfetch.commands import config
from guarded_webfetch.commands.fetch import run_agent
from guarded_webfetch.core.reasons import Refusal


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "guarded-webfetch"
    folder.mkdir(parents=True)
    return folder / "config.toml"


def refused() -> str:
    with pytest.raises(Refusal) as caught:
        config.apply(Options())
    return caught.value.code


def test_without_a_file(file: Path) -> None:
    assert config.apply(Options()) == Options()


def test_what_it_may_say(file: Path) -> None:
    file.write_text(
        'hosts = ["Example.com", "docs.example.org."]\ndeny_tlds = ["zip"]\nports = "wide"\n'
        'resolver_profile = "fake-ip"\nallow_secret = true\nrequire_isolation = "strict"\n'
    )
    options = config.apply(Options())
    assert options.hosts == {"example.com", "docs.example.org"}
    assert options.deny_tlds == {"zip"}
    assert (options.wide_ports, options.fake_ip, options.allow_secret) == (True, True, True)
    assert options.require_isolation == "strict"
    assert {"fake_ip", "wide_ports", "allow_secret"} <= set(options.loosened())


@pytest.mark.parametrize(
    "text",
    [
        "ports = 8080",
        "nonsense = 1",
        "hosts = 'example.com'",
        "allow_secret = 'yes'",
        "= broken",
        "\0",
        "ports = 'all'",
    ],
)
def test_anything_odd_stops_the_run(file: Path, text: str) -> None:
    file.write_text(text)
    assert refused() == "config_invalid"


def test_writable_by_others(file: Path) -> None:
    file.write_text("")
    file.chmod(0o666)
    assert refused() == "config_invalid"


def test_link(file: Path, tmp_path: Path) -> None:
    (tmp_path / "work" / "mine.toml").write_text('ports = "wide"')
    file.symlink_to(tmp_path / "work" / "mine.toml")
    assert refused() == "config_invalid"


def test_below_the_working_folder(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('ports = "wide"')
    monkeypatch.chdir(tmp_path)
    assert refused() == "config_invalid"


HOSTS = Options(hosts=frozenset({"example.com"}), deny_tlds=frozenset({"zip"}))


@pytest.mark.parametrize("url", ["https://example.com/", "https://docs.example.com/"])
def test_hosts_that_are_allowed(url: str) -> None:
    assert url_check.check_url(url, HOSTS).text == url


@pytest.mark.parametrize("url", ["https://example.org/", "https://badexample.com/", "https://example.com.evil.org/"])
def test_hosts_that_are_not(url: str) -> None:
    with pytest.raises(Refusal) as caught:
        url_check.check_url(url, HOSTS)
    assert caught.value.code == "host_not_allowed"


def test_denied_tld() -> None:
    with pytest.raises(Refusal) as caught:
        url_check.check_url("https://invoice.zip/", HOSTS._replace(hosts=frozenset()))
    assert caught.value.code == "host_not_allowed"


def test_results_outside_the_agents_reach(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('results = "outside"\nclient_asks = true\n')
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    options = config.apply(Options())
    assert (options.out, options.client_asks) == (str(tmp_path / "state/guarded-webfetch/results"), True)
    with pytest.raises(Refusal, match="option_not_allowed"):
        run_agent(["https://example.com/", "--out", "here"])
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "work/state"))
    assert refused() == "store_unavailable"
