"""What is written, and that nothing is when it does not fit."""

from pathlib import Path

import pytest

from guarded_webfetch.broker import assemble, files
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.store import DEFAULT_FOLDER, Store
from guarded_webfetch.core.reasons import Refusal

RUN = assemble.Run(
    robots_disallowed=False,
    requested_url="https://example.com/",
    started_at="2026-11-30T10:00:00Z",
    level="process",
    network={"mode": "direct", "ip_pinned": True},
    loosened=[],
    allowed_origins=frozenset(),
    nonce="0123456789abcdef",
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Store.open(None)


def names() -> list[str]:
    return [path.name for path in Path(DEFAULT_FOLDER).iterdir() if path.name != ".gitignore"]


def test_failure_record(store: Store, tmp_path: Path) -> None:
    result = assemble.failure(RUN, None, "dns_no_answer")
    path = files.write(store, "failure", result, files.trace({}, {}, Options(), None), Options())
    assert sorted(names()) == sorted([Path(path).name, Path(path).stem + ".trace.json"])
    assert (tmp_path / "state/guarded-webfetch/ledger.jsonl").read_text().count("\n") == 1


def test_a_record_that_breaks_its_promise_is_not_written(store: Store) -> None:
    result = assemble.failure(RUN._replace(requested_url="has a space"), None, "dns_no_answer")
    with pytest.raises(Refusal) as caught:
        files.write(store, "failure", result, files.trace({}, {}, Options(), None), Options())
    assert caught.value.code == "record_schema_invalid"
    assert names() == []
