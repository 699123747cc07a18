"""What a record of ours proves: nothing when it is short, flagged, a failure, or written by somebody else."""

from pathlib import Path

import pytest

from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.core.reasons import REASONS
from guarded_webfetch.evidence import own_records
from guarded_webfetch.evidence.own_records import MIN_TEXT_CHARS, record_evidence
from tests.records.samples import SAMPLES, Sample, failure, record, write

NAME = "0123456789abcdef"


def status(folder: Path, sample: Sample) -> str:
    path = write(folder, sample)
    known = frozenset({read_record(str(path)).record_sha256})
    evidence = record_evidence(str(path), known)
    assert evidence and evidence.level == 3
    return evidence.status


@pytest.mark.parametrize(("chars", "found"), [(MIN_TEXT_CHARS - 1, "error"), (MIN_TEXT_CHARS, "success")])
def test_the_least_text_that_counts(tmp_path: Path, chars: int, found: str) -> None:
    assert status(tmp_path, Sample(f"result-{NAME}", record(raw_text="x" * chars))) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("login_required", "not_allowed"),
        ("robots_disallowed", "not_allowed"),
        ("body_too_large", "too_large"),
        ("http_not_found", "error"),
    ],
)
def test_a_failure_says_why(tmp_path: Path, code: str, found: str) -> None:
    assert status(tmp_path, Sample(f"failure-{NAME}", failure(code))) == found


def test_every_failure_in_the_table_is_a_reason() -> None:
    assert own_records._FAILURES.keys() <= REASONS.keys()


def test_a_flagged_page_and_a_stranger_s_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert status(tmp_path, SAMPLES["confirm"]) == "flagged"
    evidence = record_evidence(str(write(tmp_path, SAMPLES["safe"])), frozenset())
    assert evidence and evidence.status == "record_unknown"
    assert record_evidence(str(tmp_path / "none.json"), frozenset()) is None
