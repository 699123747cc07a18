"""oracle: what the parser calls visible against what a browser draws, string by string.

Two groups: pages made of every way to hide text that tests/oracle/generate.py knows, and some strings of every page of a folder. Pages
that the parser says it is unsure of, or that show nothing without scripts, are counted apart.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from scoring.pages.manifest import rows_of
from scoring.score import Score

from tests.oracle import agreement, browser, generate

DEFAULT: Final = "wcxb-dev"
SEED: Final = 5
CARRIERS: Final = 2  # ways to write each declaration of the generated pages
MOST_PAGES: Final = 100  # of a folder, evenly chosen: a page takes a second


def score(path: Path, peers: bool) -> Score:
    missing = "no chromium" if browser.executable() is None else "" if find_spec("playwright") else "no playwright"
    if missing:
        return Score(0, {"strings": 0, "agreement": None, "leaked": 0, "lost": 0}, skipped=[missing])
    folder = path if path.is_dir() else path.parent
    files = [folder / row["file"] for row in rows_of(path)]
    with browser.open_browser() as opened:
        made = list(agreement.judge_cases(opened, generate.cases(SEED, CARRIERS)))
        real, apart = agreement.judge_files(opened, files[:: max(1, -(-len(files) // MOST_PAGES))])
    found = Score(len(made) + len(real), _keys([*made, *real]), [*_lines(made), *_lines(real)])
    groups = {"generated": made, "pages": real, "apart: unsure, or empty without scripts": apart}
    found.notes += [f"{name}: {_keys(judged)}" for name, judged in groups.items()]
    found.skipped += ["peers: none parts hidden text from visible"] if peers else []
    return found


def _keys(judged: list[agreement.Judged]) -> dict[str, Any]:
    """leaked: nobody sees it and it is delivered; lost: seen and set aside."""
    agreeing = sum(one.agrees for one in judged)
    return {
        "strings": len(judged),
        "agreement": round(agreeing / len(judged), 4) if judged else None,
        "leaked": sum(one.ours and not one.seen for one in judged),
        "lost": sum(one.seen and not one.ours for one in judged),
    }


def _lines(judged: list[agreement.Judged]) -> list[str]:
    return [f"{'leaked' if one.ours else 'lost'}: {one.where}: {one.string}" for one in judged if not one.agrees]
