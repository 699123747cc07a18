"""What agents may use of `sources`, `gate` and `links`: closed lists, in which nothing lowers a protection or reads a list of URLs."""

from pathlib import Path

import pytest

from guarded_webfetch.commands import cli, grounded, sources
from guarded_webfetch.core.reasons import Refusal

URL = "https://example.com/"


@pytest.mark.parametrize(
    "option",
    [
        "--list", "--list=x", "--records", "--include-flagged", "--robots", "--robots=ignore", "--pause", "-x", "--proxy", "--ports",
        "--allow-secret", "--help", "--li",
    ],
)  # fmt: skip
def test_sources_refuses_every_other_option(option: str) -> None:
    with pytest.raises(Refusal, match="option_not_allowed"):
        sources.run_agent([URL, option, "x"])


@pytest.mark.parametrize("out", ["/etc/x", "../x", ".", ".git", "a/.git/b", ".claude", "a\nb"])
def test_sources_writes_below_the_working_folder_only(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal, match="path_invalid"):
        sources.run_agent([URL, "--out", out])


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ([], "usage_invalid"),
        (["list", "x"], "usage_invalid"),
        (["gate"], "usage_invalid"),
        (["check", "x", "--require", URL, "--record-sha256", "0"], "option_not_allowed"),
        (["check", "x", "--require", URL, "--out", "x"], "option_not_allowed"),
        (["quotes", "x", "y", "--record-sha256=0"], "option_not_allowed"),
        (["prompt", "--store", "x", "--out", "x"], "option_not_allowed"),
        (["build", "--store", "x", "--draft", "x"], "option_not_allowed"),
        (["check", "missing.json", "--require", URL], "path_invalid"),
    ],
)
def test_grounded_takes_one_action_and_its_options(argv: list[str], code: str) -> None:
    with pytest.raises(Refusal, match=code):
        grounded.run_agent(argv)


def test_the_launchers_reach_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store.json").write_text('[{"title": "Gates open", "url": "https://site.example/1"}]')
    (tmp_path / "draft").write_text("<p>See [[POST:1]] and https://evil.example/</p>")
    assert cli.main(["agent-grounded", "build", "--store", "store.json", "--in", "draft"]) == 0
    page = capsys.readouterr().out
    assert 'href="https://site.example/1"' in page and "evil" not in page
    assert cli.main(["agent-sources", URL, "--list", "draft"]) == 2
