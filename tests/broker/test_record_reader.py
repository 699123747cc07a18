"""A record read back is untrusted: only what this tool would have written is returned."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guarded_webfetch
from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.core.limits import MAX_RECORD_BYTES
from guarded_webfetch.core.reasons import Refusal
from tests.records.samples import SAMPLES, Sample, write

Change = Callable[[dict[str, Any]], object]


def refused(path: Path | str) -> bool:
    try:
        read_record(str(path))
    except Refusal as refusal:
        return refusal.code == "record_unusable"
    return False


@pytest.mark.parametrize("name", SAMPLES)
def test_reads_back_what_was_written(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    path = write(tmp_path, sample)
    files = read_record(str(path))
    assert files.record == sample.record
    assert files.links == (sample.links or [])
    assert (files.hidden, files.trace, files.held) == (sample.hidden, sample.trace, sample.held)
    assert files.stem == str(path).removesuffix(".json")


def test_hashes_are_those_of_the_bytes(tmp_path: Path) -> None:
    files = read_record(str(write(tmp_path, SAMPLES["safe"])))
    for suffix, digest in (("", files.record_sha256), (".links", files.links_sha256)):
        assert digest == hashlib.sha256(Path(f"{files.stem}{suffix}.json").read_bytes()).hexdigest()


def test_without_a_link_table_the_hash_is_that_of_nothing(tmp_path: Path) -> None:
    files = read_record(str(write(tmp_path, SAMPLES["not_found"])))
    assert files.links_sha256 == hashlib.sha256(b"").hexdigest()


def test_a_relative_name_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, SAMPLES["safe"])
    monkeypatch.chdir(tmp_path)
    assert read_record(path.name).stem == path.stem


@pytest.mark.parametrize(
    "name",
    ["result.json", "result-00000000000000A1.json", "result-00000000000000a.json", "result-00000000000000a1.json.json",
     "x-result-00000000000000a1.json", "result-00000000000000a1.links.json", "result-00000000000000a1.json\n", ""],
)  # fmt: skip
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    content = write(tmp_path, SAMPLES["safe"]).read_bytes()
    if name:
        (tmp_path / name).write_bytes(content)
    assert refused(f"{tmp_path}/{name}")


def test_missing_things_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "result-00000000000000ff.json")
    assert refused(tmp_path / "nowhere" / "result-00000000000000a1.json")
    assert refused(f"{tmp_path}\0/result-00000000000000a1.json")


def test_a_link_is_refused_even_to_a_record(tmp_path: Path) -> None:
    path = write(tmp_path / "real", SAMPLES["safe"])
    link = tmp_path / path.name
    link.symlink_to(path)
    assert refused(link)
    assert not refused(path)


def test_what_is_no_ordinary_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "result-00000000000000b1.json")
    (tmp_path / "result-00000000000000b2.json").mkdir()
    assert refused(tmp_path / "result-00000000000000b1.json")
    assert refused(tmp_path / "result-00000000000000b2.json")


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, SAMPLES["safe"])
    owner = os.stat(path).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert refused(path)


def test_the_size_limit_and_one_byte_more(tmp_path: Path) -> None:
    path = write(tmp_path, SAMPLES["safe"])
    content = path.read_bytes()
    path.write_bytes(content + b" " * (MAX_RECORD_BYTES - len(content)))
    assert not refused(path)
    path.write_bytes(content + b" " * (MAX_RECORD_BYTES - len(content) + 1))
    assert refused(path)


def _set(**values: Any) -> Change:
    return lambda record: record.update(values)


def _flag(**values: Any) -> Change:
    return lambda record: record["flags"].update(values)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("safe", _set(extra=1), id="a key too many"),
        pytest.param("safe", lambda record: record.pop("fence"), id="a key too few"),
        pytest.param("safe", _set(bytes=1.0), id="a float for an integer"),
        pytest.param("safe", _set(schema="guarded-webfetch/record@2"), id="another format"),
        pytest.param("safe", _set(requested_url="https://example.com/ with words"), id="words in a URL"),
        pytest.param("safe", _set(verdict="notice"), id="a verdict the flags do not give"),
        pytest.param("japanese", _set(verdict="safe", verdict_reasons=[]), id="a lowered verdict"),
        pytest.param("japanese", _set(verdict_reasons=["redirected"]), id="a reason left out"),
        pytest.param("confirm", _set(verdict="safe", verdict_reasons=[]), id="confirm turned into safe"),
        pytest.param("safe", _flag(truncated=True), id="a flag the verdict does not know"),
        pytest.param("confirm", _set(raw_text="words"), id="confirm that shows its text"),
        pytest.param("confirm", _set(title="words"), id="confirm that shows its title"),
        pytest.param("safe", _set(raw_text=None), id="a success without text"),
        pytest.param("not_found", _set(raw_text="words"), id="a failure with text"),
        pytest.param("not_found", _set(verdict="safe"), id="a failure with a verdict"),
        pytest.param("not_found", _set(outcome="ok"), id="a failure that says ok"),
        pytest.param("safe", _set(outcome="http_error", verdict=None), id="a success that says error"),
        pytest.param("safe", _set(outcome="usage_invalid"), id="a reason that writes no record"),
    ],
)
def test_a_record_that_disagrees_is_refused(tmp_path: Path, name: str, change: Change) -> None:
    path = write(tmp_path, SAMPLES[name])
    record = json.loads(path.read_text(encoding="utf-8"))
    assert not refused(path)
    change(record)
    path.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    assert refused(path)


@pytest.mark.parametrize("kind", ["result", "failure"])
def test_the_name_says_what_the_record_is(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, SAMPLES["not_found" if kind == "result" else "safe"])
    assert refused(path.rename(tmp_path / f"{kind}-00000000000000c1.json"))


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data[:-1], id="cut"),
        pytest.param(lambda data: data + b"{}", id="something after it"),
        pytest.param(lambda data: data.replace(b"{", b'{"schema": "x", ', 1), id="a key twice"),
        pytest.param(lambda data: data.replace(b"Installing", b"\xff", 1), id="no UTF-8"),
        pytest.param(lambda data: data.replace(b"Installing", b"\\ud800", 1), id="half a surrogate pair"),
        pytest.param(lambda data: data.replace(b"48211", b"NaN", 1), id="NaN"),
        pytest.param(lambda _: b"[]", id="a list"),
        pytest.param(lambda _: b"", id="nothing"),
        pytest.param(lambda _: b"[" * 100_000, id="deep nesting"),
    ],
)
def test_bytes_that_are_no_strict_json_are_refused(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path, SAMPLES["safe"])
    path.write_bytes(spoil(path.read_bytes()))
    assert refused(path)


@pytest.mark.parametrize("kind", ["links", "hidden", "trace"])
def test_files_beside_a_record_are_optional_but_never_wrong(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, SAMPLES["safe"])
    beside = path.with_suffix(f".{kind}.json")
    beside.write_text('{"unknown": 1}', encoding="utf-8")
    assert refused(path)
    beside.unlink()
    assert not refused(path)
    beside.symlink_to(write(tmp_path / "other", SAMPLES["safe"]).with_suffix(f".{kind}.json"))
    assert refused(path)


def _trace(**changes: Any) -> Sample:
    sample = SAMPLES["safe"]
    return Sample(sample.name, sample.record, trace={**(sample.trace or {}), **changes})


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({"limits": {"deadline_s": 20.5}}, True),
        ({"limits": {"words with spaces": 1}}, False),
        ({"limits": {"deadline_s": "20"}}, False),
        ({"limits": {"deadline_s": True}}, False),
        ({"timings_ms": {"parse": float("1e308")}}, True),
        ({"isolation": {"parser": {"level": "max", "layers": [], "canaries": {"open": "EPERM"}}}}, True),
        ({"isolation": {"parser": {"level": "none", "layers": []}}}, False),
        ({"isolation": {"parser": {"level": "max", "layers": ["words with spaces"]}}}, False),
        ({"isolation": {"parser": {"level": "max"}}}, False),
        ({"isolation": {"parser": "max"}}, False),
    ],
)
def test_the_open_parts_of_a_trace(tmp_path: Path, changes: dict[str, Any], good: bool) -> None:
    assert refused(write(tmp_path, _trace(**changes))) is not good


def test_a_number_beyond_floats_in_a_trace(tmp_path: Path) -> None:
    path = write(tmp_path, _trace(timings_ms={"parse": 77.25}))
    trace = path.with_suffix(".trace.json")
    trace.write_text(trace.read_text(encoding="utf-8").replace("77.25", "1e999"), encoding="utf-8")
    assert refused(path)


@given(content=st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("records") / "result-00000000000000a1.json"
    path.write_bytes(content)
    assert refused(path)


def test_reading_needs_no_jsonschema() -> None:
    code = "import sys; import guarded_webfetch.broker.record_reader; sys.exit('jsonschema' in sys.modules)"
    environment = {"PYTHONPATH": str(Path(guarded_webfetch.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
