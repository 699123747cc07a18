"""Items come from a publisher's file as it stands, or from records that are believed."""

import json
from pathlib import Path

import pytest

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.core.limits import MAX_STORE_ITEMS
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.store import read_store, web_url
from tests.records.samples import SAMPLES, write


def written(path: Path, value: object) -> str:
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def test_a_list_and_a_list_under_items_are_the_same(tmp_path: Path) -> None:
    rows = [
        {"title": " One ", "url": "https://a.example.net/1", "date": "2026-01-02T03", "excerpt": "x"},
        {"title": "Two"},
    ]
    plain = read_store(written(tmp_path / "a.json", rows))
    assert plain == read_store(written(tmp_path / "b.json", {"items": rows}))
    assert [(item.number, item.title, item.url, item.date) for item in plain.items] == [
        (1, "One", "https://a.example.net/1", "2026-01-02"),
        (2, "Two", None, ""),
    ]


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        "x",
        [1],
        [{"title": ""}],
        [{"url": "https://a.example.net"}],
        [{"title": 1}],
        [{"title": "x"}] * (MAX_STORE_ITEMS + 1),
    ],
)
def test_what_is_no_store_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(Refusal) as refused:
        read_store(written(tmp_path / "store.json", value))
    assert refused.value.code == "store_invalid"


@pytest.mark.parametrize("name", ["missing.json", "\0"])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_store(f"{tmp_path}/{name}")
    assert refused.value.code == "path_invalid"


@pytest.mark.parametrize(
    "url",
    ["", "javascript:alert(1)", "//a.example.net", "https://", "https://a.example.net/\u202e", "https://u:p@a.example.net/",
     "https://a.example.net/a b", 'https://a.example.net/"x', "https://a.example.net/>x", "ftp://a.example.net/", "https://[x]/",
     "https://a.example.net:0/", "https://a.example.net/" + "a" * 2_048],
)  # fmt: skip
def test_only_web_addresses_become_links(url: str) -> None:
    assert web_url(url) is None


@pytest.mark.parametrize(
    "url", ["https://a.example.net/?a=1&b=%20#x", "http://localhost:8000/draft", "HTTPS://A.EXAMPLE.NET/"]
)
def test_what_the_publisher_put_there_stays(url: str) -> None:
    assert web_url(url) == url


def believed(path: Path) -> None:
    files = read_record(str(path))
    ledger.append({"record_sha256": files.record_sha256, "links_sha256": files.links_sha256})


def test_of_a_folder_of_records_only_the_believed_ones_are_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record left out keeps its number, so that no other placeholder changes its meaning."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    working = tmp_path / "working"
    working.mkdir()
    monkeypatch.chdir(working)
    folder = tmp_path / "records"
    paths = {name: write(folder, sample) for name, sample in SAMPLES.items()}
    for name, path in paths.items():
        if name != "japanese":
            believed(path)
    (folder / "result-00000000000000ff.json").write_text("{}", encoding="utf-8")
    (folder / "notes.json").write_text("{}", encoding="utf-8")
    store = read_store(str(folder))
    names = sorted(path.name for path in folder.iterdir() if path.name.count(".") == 1 and path.name != "notes.json")
    why = dict(store.left_out)
    assert why[paths["confirm"].name] == "confirm"
    assert why[paths["japanese"].name] == "unknown"
    assert why[paths["not_found"].name] == "not_ok"
    assert why["result-00000000000000ff.json"] == "unusable"
    safe = next(item for item in store.items if names[item.number - 1] == paths["safe"].name)
    assert safe.url == SAMPLES["safe"].record["fetched_url"]
    assert len(store.items) + len(why) == len(names)
