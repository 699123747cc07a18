"""hidden-pdf: text that a PDF hides from people, against text that they see, on the parser's own answer."""

from base64 import b64decode
from pathlib import Path
from typing import Final

from scoring.pages.concealed import score_concealed
from scoring.pages.parsed import parts_of
from scoring.score import Score

DEFAULT: Final = "injection/own_hidden_pdf.jsonl"


def score(path: Path, peers: bool) -> Score:
    found = score_concealed(path, lambda row: parts_of(b64decode(row["pdf_base64"]), "pdf", "application/pdf"))
    found.skipped += ["peers: none sets hidden text apart"] if peers else []
    return found
