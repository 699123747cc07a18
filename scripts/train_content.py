"""train_content.py FOLDER... [--write]: grows the forest that tells content blocks (`parser/content_forest.json`) from pages with
known main text, in the form of the data folder (`manifest.jsonl` with `file` and `expected_text`).

Prints the mean F1 of words per page in cross-validation, pages of one site always in one part: what to expect of sites the forest
has never seen. `--write` then grows it from all pages and stores it. Numbers only: no word of a page enters the forest.

A development tool: it needs scikit-learn and rapidfuzz, installed by hand; nothing of it runs in the product.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "shared"), str(ROOT / "scripts")]

from scoring.pages.manifest import body_of, rows_of  # noqa: E402

from guarded_webfetch.parser import formulas, hidden, main_content, tree  # noqa: E402
from guarded_webfetch.parser.block_features import FEATURES  # noqa: E402
from guarded_webfetch.parser.decode import decode  # noqa: E402
from guarded_webfetch.parser.links import Hrefs  # noqa: E402

_PARTS: Final = 5
_SHINGLE: Final = 4
_MIN_SHINGLED_WORDS: Final = 6
# Small trees that need many blocks for each decision: a few hundred pages are few.
_GROWTH: Final = {
    "max_iter": 100,
    "learning_rate": 0.1,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 100,
    "l2_regularization": 5,
}


class Example(NamedTuple):
    """One page: its type, its site, the expected words, its blocks, their words, and the share of each that is expected."""

    kind: str
    site: str
    wanted: Counter[str]
    page: main_content.Page
    words: list[list[str]]
    shares: list[float]
    features: list[tuple[float, ...] | None]


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def examples(folders: Sequence[Path]) -> Iterator[Example]:
    """The pages of all folders, each address once."""
    seen: set[str] = set()
    for folder in folders:
        for row in rows_of(folder):
            address = row.get("url") or row["id"]
            expected = words_of((folder / row["expected_text"]).read_text("utf-8"))
            if address not in seen and expected:
                seen.add(address)
                yield _example(body_of(folder, row), expected, row.get("page_type") or "unknown", site_of(address))


def _example(body: bytes, expected: list[str], kind: str, site: str) -> Example:
    parsed = tree.parse(decode(body, None, "html", truncated=False)[0])
    if parsed is None:
        raise ValueError("a page without elements")
    formulas.unify(parsed.root)
    hidden.split(parsed.root)
    found = parsed.root.find("body")
    root = found if found is not None else parsed.root
    main_content.prepare(root)
    page = main_content.Page(root, Hrefs())
    words = [words_of(line.text) for line in page.lines]
    return Example(kind, site, Counter(expected), page, words, shares_of(words, expected), page.features())


def site_of(address: str) -> str:
    """The last two labels of the host, three below a short last one."""
    labels = (urlsplit(address).hostname or address).split(".")
    return ".".join(labels[-2:] if len(labels) < 3 or len(labels[-1]) > 2 else labels[-3:])


def shares_of(words: Sequence[Sequence[str]], expected: Sequence[str]) -> list[float]:
    """For each block the share of its words that the expected text has, in order or as runs of four words."""
    from rapidfuzz.distance import LCSseq

    line = [word for block in words for word in block]
    owner = [number for number, block in enumerate(words) for _ in block]
    hits = Counter(
        owner[place]
        for step in LCSseq.opcodes(line, expected)
        if step.tag == "equal"
        for place in range(step.src_start, step.src_end)
    )
    known = set(_shingles(expected))
    shares = []
    for number, block in enumerate(words):
        share = hits[number] / max(1, len(block))
        if len(block) >= _MIN_SHINGLED_WORDS:
            share = max(share, sum(one in known for one in _shingles(block)) / (len(block) - _SHINGLE + 1))
        shares.append(share)
    return shares


def _shingles(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(_SHINGLE)), strict=False)


def grow(pages: Sequence[Example]) -> Any:
    """A classifier of blocks. Each page weighs the same, each block as much as its words."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, labels, weights = [], [], []
    for page in pages:
        total = max(30, page.wanted.total(), 0.3 * sum(map(len, page.words)))
        for values, words, share in zip(page.features, page.words, page.shares, strict=True):
            if values is not None and words:
                rows.append(values)
                labels.append(share >= 0.5)
                weights.append(len(words) / total)
    return HistGradientBoostingClassifier(**_GROWTH, max_features=0.3, random_state=0, early_stopping=False).fit(
        rows, labels, sample_weight=[weight * len(weights) / sum(weights) for weight in weights]
    )


def f1_of(page: Example, forest: Any) -> float:
    """What `forest` makes of one page."""
    asked = [index for index, values in enumerate(page.features) if values is not None]
    probabilities: list[float | None] = [None] * len(page.features)
    if asked:
        said = forest.predict_proba([page.features[index] for index in asked])[:, 1]
        for index, value in zip(asked, said, strict=True):
            probabilities[index] = float(value)
    keep = main_content.kept_of(page.page, probabilities)
    got = Counter(word for words, is_kept in zip(page.words, keep, strict=True) if is_kept for word in words)
    return 2 * (got & page.wanted).total() / max(1, got.total() + page.wanted.total())


def cross_validate(pages: Sequence[Example]) -> dict[str, list[float]]:
    """F1 by page type; each page judged by a forest that saw no page of its site."""
    sites = sorted({page.site for page in pages}, key=lambda site: (hash_of(site), site))
    part = {site: number % _PARTS for number, site in enumerate(sites)}
    found: dict[str, list[float]] = {}
    for number in range(_PARTS):
        forest = grow([page for page in pages if part[page.site] != number])
        for page in pages:
            if part[page.site] == number:
                found.setdefault(page.kind, []).append(f1_of(page, forest))
    return found


def hash_of(text: str) -> int:
    """A number that is the same in every run."""
    return sum(ord(letter) * 31**place for place, letter in enumerate(text)) % 1_000_003


def stored(forest: Any) -> dict[str, Any]:
    """The forest as `parser/forest.py` reads it. The nodes are private to scikit-learn: there is no public way to them."""
    base = float(forest._baseline_prediction.ravel()[0])
    trees = [_tree(predictors[0].nodes, 0) for predictors in forest._predictors]
    return {"features": list(FEATURES), "base": round(base, 5), "trees": trees}


def _tree(nodes: Any, number: int) -> Any:
    node = nodes[number]
    if node["is_leaf"]:
        return round(float(node["value"]), 4)
    threshold = float(f"{float(node['num_threshold']):.7g}")
    return [int(node["feature_idx"]), threshold, _tree(nodes, node["left"]), _tree(nodes, node["right"])]


def main() -> int:
    parser = argparse.ArgumentParser(prog="train_content.py")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="store the forest grown from all pages")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pages = list(examples(arguments.folders))
    found = cross_validate(pages)
    for kind, values in sorted(found.items()):
        print(f"{kind:<16}{len(values):>5}{sum(values) / len(values):>8.3f}")
    print(f"{'all':<16}{len(pages):>5}{sum(map(sum, found.values())) / len(pages):>8.3f}", flush=True)
    if arguments.write:
        target = ROOT / "shared" / "guarded_webfetch" / "parser" / "content_forest.json"
        trees = stored(grow(pages))
        lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in trees["trees"])
        head = json.dumps({"features": trees["features"], "base": trees["base"]})[:-1]
        target.write_text(f'{head}, "trees": [\n{lines}\n]}}\n', "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
