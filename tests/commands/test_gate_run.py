"""`gate run`, `queue` and `log` on a command line: one file, one line, nothing of a page or a model printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import user_folders
from guarded_webfetch.commands import gate
from guarded_webfetch.core.limits import MAX_QUESTION_CHARS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence import own_fetch
from tests.evidence.job_setting import PAGE, A, B, Setting


@pytest.fixture
def job(place: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """A question, and a config file with a command that answers it."""
    setting = Setting(place / "home")
    config = place / "home/.config/guarded-webfetch/config.toml"
    config.parent.mkdir(parents=True)
    command = setting.summarizer().argv
    config.write_text(f"[commands]\nmine = {json.dumps(list(command))}\n", encoding="utf-8")
    Path("question.txt").write_text("When do the gates open?\n", encoding="utf-8")
    monkeypatch.setattr(user_folders, "exposed", lambda path: False)  # the folder of all tests is
    monkeypatch.setattr(own_fetch, "_fetched", setting.fetched)
    monkeypatch.setattr(own_fetch, "SOURCES_PAUSE_S", 0.0)
    return setting


RUN = ("run", "--prompt", "question.txt", "--answer-with", "command:mine", "--require", A)


def ran(capfd: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Path, dict[str, Any], str]:
    code = gate.run([*RUN, *argv])
    out, err = capfd.readouterr()
    path = Path(out.strip())
    assert out.count("\n") == 1 and path.stat().st_mode & 0o777 == 0o600
    return code, path, json.loads(path.read_text(encoding="utf-8")), err


def printed(capfd: pytest.CaptureFixture[str], *argv: str) -> str:
    assert gate.run(list(argv)) == 0
    return capfd.readouterr().out


def refusal(*argv: str) -> str:
    with pytest.raises(Refusal) as refused:
        gate.run(list(argv))
    return refused.value.code


def test_an_answer_is_one_file(job: Setting, capfd: pytest.CaptureFixture[str]) -> None:
    code, path, answer, err = ran(capfd)
    assert (code, err, answer["result"], answer["reason"], answer["way"]) == (0, "", "passed", None, "own_fetch")
    assert (answer["answer"], answer["answered_by"]) == ("The gates open at noon.", "command:mine")
    assert [source["url"] for source in answer["sources"]] == [A]
    assert path.parent == Path(".temp/guarded-webfetch") and path.name == f"answer-{answer['key'][:16]}.json"
    assert ran(capfd)[1] == path and job.calls == 1
    shown = printed(capfd, "log")
    assert "own_fetch" in shown and f"success  {A}  .temp/guarded-webfetch/result-" in shown and "noon" not in shown
    assert printed(capfd, "queue") == ""


def test_without_one_there_is_an_entry_in_the_queue(job: Setting, capfd: pytest.CaptureFixture[str]) -> None:
    job.site = {A: PAGE, B: "http_not_found"}
    code, _, answer, err = ran(capfd, "--require", B)
    assert (code, answer["result"], answer["reason"], answer["answer"]) == (11, "needs_review", "error", None)
    assert err.startswith("guarded-webfetch: needs_review: ") and err.count("\n") == 1
    shown = printed(capfd, "queue")
    assert "error  tries 1  next 20" in shown and "question.txt" in shown and B in shown
    assert printed(capfd, "queue", "--due") == ""
    assert f"error (http_not_found)  {B}" in printed(capfd, "log", "--last", "1")
    assert ran(capfd, "--require", B, "--min", "1")[0] == 0


def test_a_response_of_a_provider(job: Setting, capfd: pytest.CaptureFixture[str]) -> None:
    rows = [{"retrievedUrl": A, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"}]
    content = {"parts": [{"text": "At noon."}]}
    value = {"candidates": [{"content": content, "finishReason": "STOP", "urlContextMetadata": {"urlMetadata": rows}}]}
    Path("response.json").write_text(json.dumps(value), encoding="utf-8")
    _, _, answer, _ = ran(capfd, "--response", "response.json")
    assert (answer["way"], answer["answer"], job.calls) == ("provider", "At noon.", 0)
    assert refusal(*RUN, "--max-age", "0", "--response", "none.json") == "path_invalid"


def test_bad_command_lines(job: Setting) -> None:
    assert (
        refusal("run")
        == refusal(*RUN[:-2])
        == refusal(*RUN, "--max-age", "-1")
        == refusal(*RUN, "--min", "2")
        == "usage_invalid"
    )
    assert (
        refusal(*RUN, "--answer-with", "/bin/sh") == refusal(*RUN, "--answer-with", "command:other") == "usage_invalid"
    )
    assert refusal(*RUN, "--require", "https://127.0.0.1/") == "address_not_public"
    assert (
        refusal(*RUN, "--require", "https://docs.example.com/?token=ghp_16C7e42F292c6912E7710c838347Ae178B4a")
        == "url_secret"
    )
    assert refusal(*RUN, "--prompt", "none.txt") == refusal(*RUN, "--records", "a\nb") == "path_invalid"
    for content in (b"", b" \n", b"\xff", b"x" * (MAX_QUESTION_CHARS + 1)):
        Path("question.txt").write_bytes(content)
        assert refusal(*RUN) == "usage_invalid"
    assert refusal("log", "--last", "0") == "usage_invalid"
    assert (job.fetches, job.calls) == (0, 0)
