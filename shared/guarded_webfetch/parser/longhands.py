"""Shorthands taken apart, other names of one property brought to one, values that browsers refuse left out."""

import re
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.parser.colours import colour
from guarded_webfetch.parser.css_values import length

GLOBAL: Final = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))
_SAME: Final = {
    "inline-size": "width", "block-size": "height", "max-inline-size": "max-width", "max-block-size": "max-height",
    "min-inline-size": "min-width", "min-block-size": "min-height", "inset-inline-start": "left", "inset-inline-end": "right",
    "inset-block-start": "top", "inset-block-end": "bottom", "margin-inline-start": "margin-left", "margin-block-start": "margin-top",
    "margin-inline": "margin-left", "margin-block": "margin-top", "padding-block-start": "padding-top",
    "padding-block-end": "padding-bottom", "overflow-inline": "overflow-x", "overflow-block": "overflow-y",
}  # fmt: skip
_SIDES: Final[dict[str, tuple[tuple[str, int], ...]]] = {  # longhands with their place: top, right, bottom, left
    "inset": (("top", 0), ("right", 1), ("bottom", 2), ("left", 3)),
    "margin": (("margin-top", 0), ("margin-left", 3)),
    "padding": (("padding-top", 0), ("padding-bottom", 2)),
}
OPEN_SHORTHANDS: Final = frozenset((*_SIDES, "overflow", "font"))  # stay whole while they hold a variable
_RESETS: Final = {  # kept whole, since their parts may stand in any order
    "background": ("background-color", "background-image", "background-clip"),
    "mask": ("mask-image", "mask-size"),
    "animation": ("animation-name",),
}
_FONT_SIZE: Final = re.compile(r"(?:^|\s)(0|[\d.]+(?:px|em|rem|pt|%|vw|vh))(?:\s*/\s*[\w.%]+)?\s")
_DISPLAY: Final = re.compile(
    r"(?:(?:block|inline|run-in|flow|flow-root|table|flex|grid|ruby|list-item|math|contents|none|inline-\w+|table-[a-z-]+"
    r"|ruby-[a-z-]+|-webkit-(?:inline-)?(?:box|flex))(?:\s+|$))+"
)
_NEVER_NEGATIVE: Final = frozenset(
    (
        "font-size",
        "width",
        "height",
        "max-width",
        "max-height",
        "min-width",
        "min-height",
        "padding-top",
        "padding-bottom",
    )
)
_COLOURS: Final = frozenset(("color", "background-color", "-webkit-text-fill-color"))


def expand(name: str, value: str) -> Iterator[tuple[str, str]]:
    """(property, value) of all that `name: value` sets. Nothing for a value that browsers refuse."""
    if name.startswith("-webkit-") and not name.startswith("-webkit-text-"):
        name = name[8:]
    name, value = _SAME.get(name, name), value.strip()
    if not _is_valid(name, value):
        return
    if name in OPEN_SHORTHANDS and "var(" in value:
        yield name, value
        return
    if name in _SIDES:
        words = _words(value)
        sides = [
            words[0],
            words[1 % len(words)],
            words[2] if len(words) > 2 else words[0],
            words[3 if len(words) > 3 else 1 % len(words)],
        ]
        yield from ((side, sides[place]) for side, place in _SIDES[name])
        return
    if name in (
        "overflow",
        "margin-left",
        "margin-top",
    ):  # the last two from margin-inline and margin-block, which name two sides
        words = _words(value)
        yield from (("overflow-x", words[0]), ("overflow-y", words[-1])) if name == "overflow" else ((name, words[0]),)
        return
    if name == "font":
        match = _FONT_SIZE.search(value)
        if match or value in GLOBAL:
            yield "font-size", match[1] if match else value
        return
    yield name, value
    yield from ((part, "") for part in _RESETS.get(name, ()))


def _words(value: str) -> list[str]:
    return [value] if "(" in value else value.split()[:4]


def _is_valid(name: str, value: str) -> bool:
    if not value:
        return False
    if value in GLOBAL or "var(" in value:
        return True
    if name == "display":
        return _DISPLAY.fullmatch(value) is not None
    if name == "visibility":
        return value in ("visible", "hidden", "collapse")
    if name == "position":
        return value in ("static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky")
    if name == "opacity":
        return length(value, percent_of=1.0) is not None
    if name in _COLOURS:
        return value == "currentcolor" or colour(value) is not None or "(from" in value
    if name in _NEVER_NEGATIVE:
        return not value.startswith("-") or value.startswith(("-webkit-", "-moz-"))
    return True
