"""Rows of text, attack or benign, each judged by what a reader (ours or a peer) makes of it; doubtful rows are reported apart."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from scoring.pages.manifest import Row, is_doubtful, rows_of
from scoring.score import Score
from scoring.texts.delivered import Delivered, deliver
from scoring.texts.peers import PEERS

Judge = Callable[[Row, Delivered], str]  # what is wrong with an answer; "" when it is right
Reader = Callable[[str], Delivered]
WIDTH: Final = 90  # characters of a failing row shown


class Form(NamedTuple):
    """The four figures of a kind in their order, and who judges. `last_counts_wrong`: the last one counts wrong benign rows."""

    attacks: str
    right: str
    benign: str
    last: str
    last_counts_wrong: bool
    attack: Judge
    harmless: Judge


def score_texts(path: Path, form: Form, peers: bool, tools: tuple[str, ...]) -> Score:
    """Our figures, and those of the `tools` that are installed."""
    found = _score(path, form, deliver)
    for name in tools if peers else ():
        module, reader = PEERS[name]
        if module and find_spec(module) is None:
            found.skipped.append(f"{name}: not installed")
            continue
        try:
            found.peers[name] = _score(path, form, reader).keys
        except ImportError as lacking:
            found.skipped.append(f"{name}: installed without {lacking.name}")
    return found


def _score(path: Path, form: Form, reader: Reader) -> Score:
    keys: dict[str, Any] = dict.fromkeys((form.attacks, form.right, form.benign, form.last), 0)
    failures: list[str] = []
    apart: list[str] = []
    for row in texts_of(path):
        is_attack = row["label"] == "attack"
        wrong = (form.attack if is_attack else form.harmless)(row, reader(row["text"]))
        if row["label"] == "disclosure" or is_doubtful(row):
            apart.append(f"{row['id']} {wrong or 'fine'}")
            continue
        keys[form.attacks if is_attack else form.benign] += 1
        keys[form.right] += is_attack and not wrong
        keys[form.last] += not is_attack and bool(wrong) == form.last_counts_wrong
        failures += [f"{row['id']} {row['category']} {wrong}: {ascii(row['text'])[:WIDTH]}"] if wrong else []
    skipped = [f"{len(apart)} rows apart (disclosure, doubtful): {', '.join(apart)}"] if apart else []
    return Score(keys[form.attacks] + keys[form.benign], keys, failures, skipped)


def texts_of(path: Path) -> list[Row]:
    """The rows with a text, of one JSONL file or of every JSONL file of a folder."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return [row for file in files for row in rows_of(file) if isinstance(row.get("text"), str)]


def surviving(row: Row, texts: tuple[str, ...]) -> str:
    """The first string or character of the row that must be gone and stands in one of the `texts`."""
    strings = [*(row.get("must_remove_str") or []), *(chr(int(code, 16)) for code in row.get("must_remove") or [])]
    return next((f"SURVIVES {string!a}" for string in strings if any(string in text for text in texts)), "")


def lost(row: Row, found: Delivered) -> str:
    """The first string of the row that must be kept and is not."""
    return next((f"lost {string!a}" for string in row.get("must_keep") or [] if string not in found.text), "")
