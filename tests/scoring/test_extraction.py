"""The extraction scorer counts what is wrong: each expectation that is not met costs, and nothing inspected is no perfect score."""

import gzip
import json

import pytest
from scoring import extraction
from scoring.pages import tools
from scoring.pages.output import Output, words_of

PROSE = "The canal office writes the level of the water into a book every morning before the gate opens. " * 6
CODE = "def gate():\n    return 8"
PAGE = (
    f"<html><body><main><h1>Water level</h1><p>{PROSE}</p><h2>Reading the book</h2><pre><code>{CODE}</code></pre>"
    "<p>More in <a href=/book>the book</a>.</p><table><tr><th>Day</th><th>Level</th></tr><tr><td>Mon</td><td>4 m</td></tr>"
    "</table></main></body></html>"
)
TEXT = f"Water level {PROSE} Reading the book {CODE} More in the book. Day Level Mon 4 m"
FACTS = {
    "pre": [{"lines": CODE.split("\n")}],
    "table_rows": [[["Day", "Level"], ["Mon", "4 m"]]],
    "headings": ["Water level", "Reading the book"],
    "links": [{"href": "/book", "text": "the book"}],
}


def folder(tmp_path, *rows):
    """A data folder: (page, expected text, further fields) for each row."""
    lines = []
    for number, (page, expected, fields) in enumerate(rows):
        (tmp_path / f"{number}.html.gz").write_bytes(gzip.compress(page.encode()))
        (tmp_path / f"{number}.txt").write_text(expected, "utf-8")
        row = {"id": f"row-{number}", "file": f"{number}.html.gz", "expected_text": f"{number}.txt"}
        lines.append(json.dumps({**row, "page_type": "documentation", "url": "https://example.com/a/", **fields}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    return tmp_path


def test_a_page_read_whole_scores_one(tmp_path):
    found = extraction.score(folder(tmp_path, (PAGE, TEXT, {"structure": FACTS})), peers=False)
    assert found.inspected == found.keys["pages"] == 1
    assert found.keys["f1"] > 0.99
    assert found.keys["f1_by_type"].keys() == {"documentation"}
    assert [found.keys[name] for name in extraction.FACTS] == [1.0] * 4
    assert found.keys["lost_unflagged"] == 0
    assert found.keys["cpu_ms_median"] >= 0  # a fresh child with a page of 3 ms is sometimes said to have used none
    assert found.keys["peak_mb"] > 5
    assert found.failures == []


def test_every_wrong_expectation_costs(tmp_path):
    wrong = {
        "pre": [{"lines": ["def gate():", "return 9"]}],
        "table_rows": [[["Mon", "5 m"]]],
        "headings": ["Closing the book"],
        "links": [{"href": "/other", "text": "x"}],
    }
    found = extraction.score(folder(tmp_path, (PAGE, "other words " * 50, {"structure": wrong})), peers=False)
    assert found.keys["f1"] < 0.1
    assert found.keys["lost_unflagged"] == 1
    assert [found.keys[name] for name in extraction.FACTS] == [0.0] * 4
    assert "LOST" in found.failures[0]
    assert "code_intact 0/1" in found.failures[1]


def test_a_page_that_was_refused_is_low_and_not_lost(tmp_path):
    found = extraction.score(folder(tmp_path, ("<html><body></body></html>", TEXT, {})), peers=False)
    assert found.keys["f1"] == 0
    assert found.keys["lost_unflagged"] == 0
    assert "flagged" in found.failures[0]


def test_doubtful_rows_and_rows_without_text_stand_apart(tmp_path):
    rows = [(PAGE, TEXT, {}), (PAGE, "other words", {"doubtful": True}), (PAGE, "", {})]
    found = extraction.score(folder(tmp_path, *rows), peers=False)
    assert found.inspected == 1
    assert found.keys["f1"] > 0.99
    assert any("doubtful" in line for line in found.skipped)
    assert any("without expected text" in line for line in found.skipped)


def test_an_empty_folder_inspects_nothing(tmp_path):
    assert extraction.score(folder(tmp_path), peers=False).inspected == 0


def test_readability_as_it_is_stands_beside_us(tmp_path):
    found = extraction.score(folder(tmp_path, (PAGE, TEXT, {"structure": FACTS})), peers=True)
    assert found.peers["readability-lxml"]["code_intact"] == 0.0
    assert found.peers["readability-lxml"]["f1"] > 0.5
    assert found.peers.keys() | {line.split(":")[0] for line in found.skipped} >= set(tools.PEERS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("See [the book][L12].", "see the book"),
        ("See [the book](https://x.example/a_(b)?c=1).", "see the book"),
        ("At [L3] now", "at now"),
        ("a [1] b", "a 1 b"),
    ],
)
def test_link_targets_are_no_words(text, words):
    assert Output(text).words == words_of(words)


def test_code_must_stand_in_a_fence_in_order():
    output = Output("text\n\n> ```py\n> a\n> b\n> ```\n\nc\nd\n")
    assert output.has_code(["a", "  b"])
    assert not output.has_code(["b", "a"])
    assert not output.has_code(["c", "d"])
    assert output.has_code(["a b"])
    assert not output.has_code(["c"])


@pytest.mark.parametrize("href", ["https://x.example", "https://x.example/", "//x.example/"])
def test_an_empty_path_is_a_slash(href):
    row = {"id": "1", "url": "https://y.example/a", "structure": {"links": [{"href": href, "text": "x"}]}}
    assert extraction.judge(row, "x", Output("x", {"https://x.example/"})).facts["links"] == (1, 1)
    assert extraction.judge(row, "x", Output("x", {"https://x.example/b"})).facts["links"] == (0, 1)


def test_the_sign_of_a_heading_and_no_break_spaces_are_no_difference():
    output = Output("## Feature flags\n\n```\na b\nif x > 1:\n```\n")
    assert output.has_heading("§Feature flags") and output.has_heading("Feature flags\u200b")
    assert output.has_code(["a\xa0b", "if x > 1:"])
    assert output.has_code(["a bif x > 1:"])
    assert not output.has_code(["a bif x < 1:"])
