"""hidden-html: text that a page hides from people, against text that they see, on the parser's own answer."""

from pathlib import Path
from typing import Final

from scoring.pages.concealed import score_concealed
from scoring.pages.parsed import parts_of
from scoring.score import Score

DEFAULT: Final = "injection/own_hidden_html.jsonl"


def score(path: Path, peers: bool) -> Score:
    found = score_concealed(path, lambda row: parts_of(row["html"].encode("utf-8"), "html", "text/html"))
    found.skipped += ["peers: none sets hidden text apart"] if peers else []
    return found
