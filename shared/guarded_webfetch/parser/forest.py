"""A small forest of decision trees: numbers in, a probability out. What it knows stands in `content_forest.json`.

A tree is a number, or [feature, threshold, tree at or below, tree above]; the sum over all trees is the logarithm of the odds.
`scripts/train_content.py` grows it from pages with known main text; nothing is learned at run time.
"""

import json
import math
import os
from collections.abc import Sequence
from typing import Any, Final

from guarded_webfetch.parser.block_features import FEATURES

_FILE: Final = f"{os.path.dirname(__file__)}/content_forest.json"


class Forest:
    """Trees over the values of `features`, in that order."""

    def __init__(self, features: Sequence[str], base: float, trees: Sequence[Any]) -> None:
        if tuple(features) != FEATURES:
            raise ValueError("the forest was grown on other features")
        self._base = base
        self._trees = [_frozen(tree) for tree in trees]

    def probability(self, values: Sequence[float]) -> float:
        """How likely a block with these values is content."""
        odds = self._base
        for tree in self._trees:
            node = tree
            while node.__class__ is tuple:
                node = node[2] if values[node[0]] <= node[1] else node[3]
            odds += node
        return 1 / (1 + math.exp(-odds))


def _frozen(node: Any) -> Any:
    """Tuples for lists: they are faster to take apart."""
    if not isinstance(node, list):
        return float(node)
    feature, threshold, below, above = node
    return int(feature), float(threshold), _frozen(below), _frozen(above)


def load() -> Forest:
    """The forest that is shipped."""
    with open(_FILE, encoding="utf-8") as file:
        stored = json.load(file)
    return Forest(stored["features"], stored["base"], stored["trees"])


CONTENT: Final = load()  # once, ahead of the lock: afterwards no file can be opened
