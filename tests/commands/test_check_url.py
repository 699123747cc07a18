"""check-url answers on stdout from the URL's text alone, without a network."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.commands import check_url
from guarded_webfetch.commands.advice import ADVICE
from guarded_webfetch.core.reasons import REASONS, Refusal


@pytest.fixture(autouse=True)
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("check-url must not touch the network")

    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def ask(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any]]:
    code = check_url.run(list(argv))
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return code, json.loads(out)


def test_an_allowed_url(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "HTTPS://Example.COM:443/a/../b?q=1#part")
    assert code == 0
    assert answer.pop("note").startswith("Only the URL itself")
    assert answer == {
        "allowed": True,
        "url": "https://example.com/b?q=1",
        "host": "example.com",
        "origin": "https://example.com",
    }


def test_a_host_of_mixed_scripts_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "https://p\u0430ypal.example.com/")
    assert (code, answer["allowed"], list(answer["notices"])) == (0, True, ["mixed_script_host"])
    assert "notices" not in ask(capsys, "https://\u65e5\u672c\u8a9eabc.example.com/")[1]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("example.com", "url_invalid"),
        ("ftp://example.com/", "url_scheme"),
        ("https://user:pass@example.com/", "url_userinfo"),
        ("https://example.com:22/", "url_port"),
        ("https://localhost/", "name_not_public"),
        ("http://127.0.0.1/", "address_not_public"),
        ("https://example.com/" + "a" * 2_048, "url_too_long"),
        ("https://example.com/?token=ghp_" + "a1B2c3D4e5F6" * 3, "url_secret"),
    ],
)
def test_a_refused_url(capsys: pytest.CaptureFixture[str], url: str, reason: str) -> None:
    code, answer = ask(capsys, url)
    assert code == 4
    assert answer.pop("note")
    assert answer == {
        "allowed": False,
        "reason": reason,
        "sentence": REASONS[reason].sentence,
        "advice": ADVICE[reason],
    }


def test_a_credential_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = ask(capsys, "https://user:hunter2secret@example.com/")
    assert "hunter2secret" not in json.dumps(answer)


def test_the_config_file_may_restrict_hosts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "guarded-webfetch"
    folder.mkdir()
    (folder / "config.toml").write_text('hosts = ["example.org"]\n', encoding="utf-8")
    (folder / "config.toml").chmod(0o600)
    assert ask(capsys, "https://example.com/")[1]["reason"] == "host_not_allowed"
    assert ask(capsys, "https://docs.example.org/")[0] == 0


@pytest.mark.parametrize("argv", [[], ["https://a.example/", "https://b.example/"], ["--wide", "https://a.example/"]])
def test_a_wrong_command_line(argv: list[str]) -> None:
    with pytest.raises(Refusal) as refusal:
        check_url.run(argv)
    assert refusal.value.code == "usage_invalid"
