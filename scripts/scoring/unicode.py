"""unicode: smuggled characters removed, legitimate sequences unchanged, with the flag each deserves."""

from pathlib import Path
from typing import Final

from scoring.pages.manifest import Row
from scoring.score import Score
from scoring.texts.delivered import Delivered
from scoring.texts.rows import Form, score_texts, surviving

DEFAULT: Final = "injection/own_unicode.jsonl"


def score(path: Path, peers: bool) -> Score:
    form = Form("attacks", "cleaned", "legitimate", "unchanged", False, _attack, _legitimate)
    return score_texts(path, form, peers, ("category-rule", "prompt-canon"))


def _attack(row: Row, found: Delivered) -> str:
    """A phrase that a rule replaced is gone as well; look-alikes of letters stay and are only flagged."""
    expected = row.get("expect")
    if expected is not None and found.text != expected and not found.suspicious:
        return f"NOT CLEANED ({ascii(found.text)[:60]})"
    if row.get("must_flag") and not (found.marked or found.suspicious):
        return "NOT FLAGGED"
    return surviving(row, (found.text, *found.beside, found.link_text))


def _legitimate(row: Row, found: Delivered) -> str:
    if found.text != row["text"]:
        return f"changed to {ascii(found.text)[:60]}"
    return "flagged" if found.marked or found.suspicious else ""
