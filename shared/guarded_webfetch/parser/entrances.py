"""Parts of a page that a script lets appear: written transparent into their own style, to be faded in when a person scrolls there.

Libraries for that (GSAP, Framer Motion, Webflow interactions and their like) leave marks on a page: the place a part comes from beside its
opacity, or pictures and buttons that wait as well. A paragraph that is merely transparent has none.
"""

import re
from typing import Final

from guarded_webfetch.parser.tree import Element, elements_of

_TRANSPARENT: Final = re.compile(r"(?:^|;)\s*opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)", re.I)
_MOVES: Final = re.compile(r"transform\s*:|translate\s*:|scale\s*:|transition\s*:|filter\s*:|will-change\s*:", re.I)
_PICTURES: Final = frozenset(("img", "svg", "video", "picture", "button", "a"))
_MIN_PICTURES: Final = 3


class Entrances:
    """The parts of one page that wait for their entrance."""

    def __init__(self, root: Element) -> None:
        self._root = root
        self._pictures_wait: bool | None = None

    def has(self, part: Element) -> bool:
        """Whether `part` is transparent by its own style attribute, with the marks of an entrance."""
        style = part.get("style") or ""
        return bool(_TRANSPARENT.search(style)) and (bool(_MOVES.search(style)) or self._others_wait())

    def _others_wait(self) -> bool:
        if self._pictures_wait is None:
            waiting = (
                element for element in elements_of(self._root)
                if element.tag in _PICTURES and _TRANSPARENT.search(element.get("style") or "")
            )  # fmt: skip
            self._pictures_wait = sum(1 for _, _ in zip(waiting, range(_MIN_PICTURES), strict=False)) == _MIN_PICTURES
        return self._pictures_wait
