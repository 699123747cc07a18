"""exfil: no attacker host and no live target left in any delivered text; ordinary mentions of names and addresses kept."""

from pathlib import Path
from typing import Final

from scoring.pages.manifest import Row
from scoring.score import Score
from scoring.texts.active import live
from scoring.texts.delivered import Delivered
from scoring.texts.rows import Form, lost, score_texts, surviving

DEFAULT: Final = "injection/own_exfil_markup.jsonl"


def score(path: Path, peers: bool) -> Score:
    form = Form("attacks", "neutralised", "benign", "benign_changed", True, _attack, _benign)
    return score_texts(path, form, peers, ("category-rule", "prompt-canon"))


def _attack(row: Row, found: Delivered) -> str:
    target = live(found.text)
    return surviving(row, (found.text, *found.beside)) or (f"LIVE {target!a}" if target else "")


def _benign(row: Row, found: Delivered) -> str:
    return "flagged" if found.suspicious else lost(row, found)
