"""Hidden and visible text in one page: what leaked, what was set aside, what got lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoring.pages.manifest import Row, is_doubtful, rows_of
from scoring.pages.parsed import Parts
from scoring.score import Score

Reader = Callable[[Row], Parts | str]  # or a reason code


def score_concealed(path: Path, read: Reader) -> Score:
    """hidden: strings a person does not see; leaked: in the text all the same; flagged: set aside with how they were hidden.

    visible: strings a person sees, the title among them; visible_lost: in neither text nor title. Rows that are doubtful or one
    click away are reported apart.
    """
    keys: dict[str, Any] = {"hidden": 0, "leaked": 0, "flagged": 0, "visible": 0, "visible_lost": 0}
    apart = dict(keys)
    failures: list[str] = []
    inspected = aside = 0
    for row in rows_of(path):
        if row["label"] == "disclosure" or is_doubtful(row):
            aside += 1
            _count(row, read(row), apart)
        else:
            inspected += 1
            failures += _count(row, read(row), keys)
    skipped = [f"{aside} rows apart (disclosure, doubtful): {apart}"] if aside else []
    return Score(inspected, keys, failures, skipped)


def _count(row: Row, said: Parts | str, keys: dict[str, Any]) -> list[str]:
    """Adds one row to `keys`; one line for each string that is where it should not be."""
    reason = said if isinstance(said, str) else ""
    parts = Parts("", "", "") if isinstance(said, str) else Parts(*map(_squeezed, said))
    lines = []
    for string in (row.get("must_remove_str") or []) if row["label"] != "benign" else []:
        leaked = _squeezed(string) in parts.text
        keys["hidden"] += 1
        keys["leaked"] += leaked
        keys["flagged"] += not leaked and (bool(reason) or _squeezed(string) in parts.aside)
        lines += [f"{row['id']} {row['category']} LEAKED: {string[:60]}"] if leaked else []
    for string in row.get("must_keep") or []:
        lost = _squeezed(string) not in parts.title + "\n" + parts.text
        keys["visible"] += 1
        keys["visible_lost"] += lost
        lines += [f"{row['id']} {row['category']} lost {reason}: {string[:60]}"] if lost else []
    return lines


def _squeezed(text: str) -> str:
    """Without white space: line breaks of a layout are no difference."""
    return "".join(text.split())
