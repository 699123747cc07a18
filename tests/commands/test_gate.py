"""`gate` as a job runs it: an exit code to branch on, a verdict file, nothing of the provider printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.commands import gate
from guarded_webfetch.core.reasons import Refusal
from tests.evidence.provider_responses import A, B, fetched, gemini
from tests.records.samples import SAMPLES, write

SUCCESS = "URL_RETRIEVAL_STATUS_SUCCESS"


@pytest.fixture(autouse=True)
def working(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "working"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


def saved(name: str, value: object) -> str:
    Path(name).write_text(json.dumps(value), encoding="utf-8")
    return name


def ran(capfd: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    code = gate.run(list(argv))
    out, err = capfd.readouterr()
    assert out.count("\n") == 1
    return code, json.loads(Path(out.strip()).read_text(encoding="utf-8")), err


def refusal(*argv: str) -> str:
    with pytest.raises(Refusal) as refused:
        gate.run(list(argv))
    return refused.value.code


def test_passed(capfd: pytest.CaptureFixture[str]) -> None:
    code, verdict, err = ran(
        capfd, "check", saved("r.json", gemini((A, SUCCESS), (B, SUCCESS))), "--require", A, "--require", B
    )
    assert (code, verdict["result"], verdict["proven"], verdict["provider"], err) == (0, "passed", 2, "gemini", "")
    assert verdict["required"][0] == {"url": A, "status": "success", "level": 2, "passed": True}


def test_own_fetch_needed_then_passed_with_the_record(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = write(tmp_path / "records", SAMPLES["safe"])
    url = SAMPLES["safe"].record["requested_url"]
    response = saved("r.json", fetched(B, asked=B))
    check = ("check", response, "--require", url)
    code, verdict, err = ran(capfd, *check)
    assert (code, verdict["required"][0]["status"]) == (10, "not_attempted")
    assert err.startswith("guarded-webfetch: own_fetch_needed: ")
    code, verdict, _ = ran(capfd, *check, "--records", str(record))
    assert (code, verdict["required"][0]["status"]) == (10, "record_unknown")  # anybody can write such a file
    files = read_record(str(record))
    assert ran(capfd, *check, "--records", str(record), "--record-sha256", files.record_sha256)[0] == 0
    ledger.append({"record_sha256": files.record_sha256, "links_sha256": files.links_sha256})
    assert ran(capfd, *check, "--records", str(record.parent), "--level", "3")[0] == 0
    assert ran(capfd, "check", str(record), "--require", url, "--level", "3")[1]["provider"] == "records"


def test_a_flagged_record_needs_review(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = write(tmp_path / "records", SAMPLES["confirm"])
    files = read_record(str(record))
    url = files.record["requested_url"]
    code, verdict, err = ran(capfd, "check", str(record), "--require", url, "--record-sha256", files.record_sha256)
    assert (code, verdict["result"], verdict["required"][0]["status"]) == (11, "needs_review", "flagged")
    assert err.startswith("guarded-webfetch: needs_review: ")


def test_nothing_the_provider_chose_is_written_or_printed(capfd: pytest.CaptureFixture[str]) -> None:
    response = gemini(("https://evil.example.net/SECRET", "SECRET"), (A, "SECRET"))
    code, verdict, err = ran(capfd, "check", saved("r.json", response), "--require", A)
    assert code == 10
    assert "SECRET" not in json.dumps(verdict) + err


@pytest.mark.parametrize("content", ["", "{", "[]", '{"candidates": [], "candidates": []}', "[" * 100_000, '"x"'])
def test_a_response_that_is_none(content: str) -> None:
    Path("r.json").write_text(content, encoding="utf-8")
    assert refusal("check", "r.json", "--require", A) == "answer_invalid"


def test_bad_command_lines() -> None:
    response = saved("r.json", gemini((A, SUCCESS)))
    assert refusal() == refusal("check", response) == refusal("judge") == "usage_invalid"
    assert refusal("check", response, "--require", A, "--min", "2") == "usage_invalid"
    assert refusal("check", response, *(f"--require={A}{n}" for n in range(16))) == "usage_invalid"
    assert refusal("check", response, "--require", "ftp://example.com") == "url_scheme"
    assert refusal("check", "missing.json", "--require", A) == "path_invalid"
    assert refusal("check", "a\nb", "--require", A) == "path_invalid"


def test_quotes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = write(tmp_path / "records", SAMPLES["safe"])
    files = read_record(str(record))
    text = files.record["raw_text"]
    claims = {"claims": [{"claim": "c", "quote": text[20:60]}, {"claim": "d", "quote": "words that stand nowhere"}]}
    answer = saved("a.json", claims)
    assert refusal("quotes", answer, str(record)) == "record_unknown"
    code, report, _ = ran(capfd, "quotes", answer, str(record), "--record-sha256", files.record_sha256)
    assert code == 11
    assert [row["quote"] for row in report["claims"]] == ["found", "missing"]
    assert report["claims"][0]["record"] == record.name
    code, report, _ = ran(
        capfd,
        "quotes",
        saved("b.json", {"claims": claims["claims"][:1]}),
        str(record),
        "--record-sha256",
        files.record_sha256,
    )
    assert (code, report["result"]) == (0, "passed")
