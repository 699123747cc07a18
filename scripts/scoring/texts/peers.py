"""Other tools as readers of a row; each is measured when its module is installed beside the scorer."""

import unicodedata
from collections.abc import Callable
from typing import Final

from scoring.texts.delivered import Delivered


def _changed(text: str, cleaned: str, suspicious: bool = False) -> Delivered:
    return Delivered(cleaned, (), "", suspicious, cleaned != text)


def _category_rule(text: str) -> Delivered:
    """The rule of llm-guard's InvisibleText scanner, which is one line: no format, private-use or unassigned character."""
    return _changed(text, "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Co", "Cn")))


def _prompt_canon(text: str) -> Delivered:
    import prompt_canon

    return _changed(text, prompt_canon.strip_invisible(text))


def _fetch_guard(text: str) -> Delivered:
    """Its scanner only reports: the text it would deliver is the one it got."""
    from fetch_guard.security import RISK_OK, scan

    return Delivered(text, (), "", scan(text)["risk"] != RISK_OK, False)


# name: module that must be there ("" for none), reader
PEERS: Final[dict[str, tuple[str, Callable[[str], Delivered]]]] = {
    "category-rule": ("", _category_rule),
    "prompt-canon": ("prompt_canon", _prompt_canon),
    "fetch-guard": ("fetch_guard", _fetch_guard),
}
