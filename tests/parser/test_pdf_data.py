"""The PDF data sets: outcome, words that other readers agree on, hidden text; skipped where the data is absent."""

import base64
import json
import os
from pathlib import Path

import pytest

from guarded_webfetch.core.limits import MAX_PDF_PAGES
from guarded_webfetch.core.verdict import CONCEALING
from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.test_pdf import read, texts
from tests.parser.test_pdf_hostile import KILLED, outcome

DATA = Path(os.environ.get("GUARDED_WEBFETCH_DATA", Path(__file__).parents[3] / "shared" / "data"))
MANIFEST = DATA / "pdf" / "manifest.jsonl"
HIDDEN_SET = DATA / "injection" / "own_hidden_pdf.jsonl"
ALLOWED = {
    "text": {"text"},
    "damaged": {"pdf_broken"},
    "text_or_damaged": {"text", "pdf_broken"},
    "password_required": {"pdf_encrypted"},
    "no_text": {"pdf_no_text"},
    "limit_or_text": {"text", "pdf_no_text", "resource_limit", "MemoryError"} | KILLED,
}
FLOOR_WORDS = 1.0  # of the words three other readers agree on; hidden ones aside

warm_pdf()


def rows(path):
    if not path.exists():
        pytest.skip(f"no data set at {path.name}: set GUARDED_WEBFETCH_DATA")
    return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]


def test_outcomes_are_those_of_the_manifest():
    wrong = []
    for row in rows(MANIFEST):
        body = (MANIFEST.parent / row["file"]).read_bytes()
        said = outcome(body)
        if said not in ALLOWED[row["expected"]["outcome"]] and not (said == "text" and cut(body)):
            wrong.append((row["id"], row["expected"]["outcome"], said))
    assert wrong == []


def cut(body):
    """Damaged in one page only: the others are delivered, and the record says that it is incomplete."""
    return read(body)["markup"]["truncated"]


def test_words_of_ordinary_files_are_all_there():
    found = total = 0
    for row in rows(MANIFEST):
        expected = row["expected"]
        if expected["outcome"] != "text" or expected["pages"] > MAX_PDF_PAGES:
            continue
        parsed = read((MANIFEST.parent / row["file"]).read_bytes())
        text = "\n".join(texts(parsed))
        hidden = "\n".join(piece["text"] for piece in parsed["hidden"])
        words = [word for word in expected["words_agreed_by_3_tools"] if word not in hidden]
        total += len(words)
        found += sum(word in text for word in words)
    assert total > 100
    assert found >= FLOOR_WORDS * total


def test_files_without_hidden_text_lose_no_concealed_text():
    concealed = {}
    for row in rows(MANIFEST):
        if row["expected"]["outcome"] == "text" and not row["id"].startswith(("own-invisible", "own-actualtext")):
            hidden = read((MANIFEST.parent / row["file"]).read_bytes())["hidden"]
            techniques = {piece["technique"] for piece in hidden} & CONCEALING
            if techniques:
                concealed[row["id"]] = techniques
    # A printed sheet with a stamp outside its crop box, which no reader shows.
    assert concealed == {"mozilla-pdf.js-issue14297": {"off_screen"}}


def test_own_hidden_text_does_not_leak_and_visible_text_stays():
    leaked, lost = [], []
    for row in rows(HIDDEN_SET):
        text = " ".join("\n".join(texts(read(base64.b64decode(row["pdf_base64"])))).split())
        leaked += [row["id"] for words in row["must_remove_str"] if words in text]
        lost += [row["id"] for words in row["must_keep"] if words not in text]
    assert leaked == [] and lost == []
