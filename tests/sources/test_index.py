"""index.json holds what the caller gave and fixed words, and tells the next run which files are its own."""

import json

import pytest

from guarded_webfetch.sources.index import FILE_NAME, Entry, Index, file_name, named_files


def index(*entries: Entry) -> Index:
    return Index("2026-11-30T00:00:00Z", "0.1.0", 1_200_000, "en", list(entries))


def test_it_is_json_with_the_budget_and_one_line_a_source() -> None:
    made = index(Entry("https://a.example/", True, "01-a.example.txt", 200, "ok", "00ff", 12), Entry("x\n\u202e"))
    found = json.loads(made.dumps())
    assert (found["max_chars"], found["chars"], found["finished"]) == (1_200_000, 12, False)
    assert [row["outcome"] for row in found["sources"]] == ["ok", "not_finished"]
    assert made.dumps().count(b"\n") == 4
    assert made.dumps().isascii()


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("docs.example.com", "07-docs.example.com.txt"),
        ("xn--wgv71a.jp", "07-xn--wgv71a.jp.txt"),
        ("2001:db8::1", "07-2001-db8-1.txt"),
        ("../../etc", "07-etc.txt"),
        ("", "07-unknown.txt"),
        (None, "07-unknown.txt"),
        ("a" * 300, f"07-{'a' * 80}.txt"),
    ],
)
def test_file_names_are_ours(host: str | None, name: str) -> None:
    assert file_name(7, host) == name
    assert FILE_NAME.fullmatch(name)


def test_only_files_of_our_pattern_are_taken_from_an_earlier_index() -> None:
    data = json.loads(index(Entry("a", file="01-a.txt"), Entry("b")).dumps())
    data["sources"] += [
        {"file": name} for name in ("../x", "index.json", "/etc/passwd", "01-A.txt", "1-a.txt", 5, None)
    ] + [1]
    assert named_files(json.dumps(data).encode()) == ["01-a.txt"]
    for other in (b"", b"{", b"[]", b"{}", json.dumps({**data, "schema": "x"}).encode(), b"[" * 100_000):
        assert named_files(other) == []
