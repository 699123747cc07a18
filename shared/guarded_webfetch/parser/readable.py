"""readability-lxml, used as one of two opinions about where the article is.

Loading it normally takes 280 ms: it imports a charset detector and an HTTP client that it needs only when it is given bytes or an
address. It gets a tree here, so both stay out (a parser has no business with an HTTP client in memory either).
"""

import copy
import logging
import sys
from types import ModuleType
from typing import Any, Final

from guarded_webfetch.parser.tree import Element

_UNUSED: Final = ("cchardet", "urllib.request")
_cache: dict[str, Any] = {}


def load() -> Any:
    """Imports readability once; returns the class that reads trees."""
    if "reader" not in _cache:
        _cache["reader"] = _define(_import())
    return _cache["reader"]


def _import() -> Any:
    placed = [name for name in _UNUSED if name not in sys.modules]
    sys.modules.update((name, ModuleType(name)) for name in placed)
    try:
        from readability import readability
    finally:
        for name in placed:
            del sys.modules[name]
    logging.getLogger("readability").addHandler(logging.NullHandler())
    logging.getLogger("readability").propagate = False
    readability.log.disabled = True
    readability.describe = _no_description  # it describes every element for a log nobody reads
    readability.text_content = _no_description
    return readability


def _no_description(*_: object) -> str:
    return ""


def _define(readability: Any) -> Any:
    class TreeReader(readability.Document):  # type: ignore[misc]
        """Reads a copy of a tree that is already free of scripts, styles, comments and hidden text."""

        def _parse(self, tree: Element) -> Element:
            self.encoding = "utf-8"
            return copy.deepcopy(tree)

        def get_clean_html(self) -> str:
            return str(readability.tounicode(self.html, method="html"))

    return TreeReader


def read(root: Element) -> Element | None:
    """The part of the page readability takes for its content, as a new tree; None when it gives up."""
    reader = load()(root)
    try:
        reader.summary(html_partial=True)
    except Exception as error:
        if isinstance(error.__cause__ or error.__context__, MemoryError | RecursionError):
            raise MemoryError from error
        return None
    found: Element | None = reader.html
    return found
