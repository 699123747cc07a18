"""fence: forged fences, chat templates, turns and tool calls neutralised in every field; what only looks alike unchanged."""

from pathlib import Path
from typing import Final

from scoring.pages.manifest import Row
from scoring.score import Score
from scoring.texts.delivered import Delivered, deliver
from scoring.texts.rows import Form, lost, score_texts, surviving, texts_of

DEFAULT: Final = "injection/own_fence.jsonl"


def score(path: Path, peers: bool) -> Score:
    form = Form("attacks", "neutralised", "benign", "benign_changed", True, _attack, _benign)
    found = score_texts(path, form, peers, ("category-rule", "prompt-canon"))
    unnamed = [row for row in texts_of(path) if row["label"] == "attack" and not _named(row)]
    if unnamed:
        unmarked = [row["id"] for row in unnamed if not deliver(row["text"]).marked]
        found.skipped.append(
            f"{len(unnamed)} attacks name nothing that must be gone and count as neutralised; of them nothing was marked in: "
            f"{', '.join(unmarked) or 'none'}"
        )
    return found


def _named(row: Row) -> bool:
    return bool(row.get("must_remove_str") or row.get("must_remove"))


def _attack(row: Row, found: Delivered) -> str:
    return surviving(row, (found.text, *found.beside, found.link_text))


def _benign(row: Row, found: Delivered) -> str:
    if found.text != row["text"]:
        return f"changed to {ascii(found.text)[:60]}"
    return "flagged" if found.marked or found.suspicious else lost(row, found)
