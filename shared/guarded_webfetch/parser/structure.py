"""What selectors ask about an element's place in the tree, within the steps one page may take."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from guarded_webfetch.parser.tree import Element, tag_of

_NO_CLASSES: Final[frozenset[str]] = frozenset()
_MAX_REMEMBERED: Final = 2_000


class BudgetSpentError(Exception):
    """A page asks for more matching than any honest page needs."""


class Budget:
    """Steps of matching left for one page, and what matching needs to remember of it."""

    def __init__(self, steps: int, quirks: bool = False) -> None:
        self.left = steps
        self.quirks = quirks  # no document type: classes and ids match in any case (Selectors 4, section 6.6)
        self._classes: dict[str, frozenset[str]] = {}
        self._places: dict[tuple[Element | None, str, int], tuple[Element, int]] = {}

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise BudgetSpentError

    def classes_of(self, value: str | None) -> frozenset[str]:
        """The class names in an attribute, in the case that this page compares them."""
        if not value:
            return _NO_CLASSES
        found = self._classes.get(value)
        if found is None:
            found = frozenset((value.lower() if self.quirks else value).split())
            if len(self._classes) < _MAX_REMEMBERED:
                self._classes[value] = found
        return found

    def place_of(self, element: Element, tag: str, direction: int) -> int:
        """How many siblings before (-1) or after (1) `element` have `tag`, or any when it is "".

        Elements are asked in document order, so a place is mostly one more, or one less, than the one asked before.
        """
        key = (element.getparent(), tag, direction)
        last, place = self._places.get(key, (None, 0))
        count, node = 0, sibling(element, -1, tag)
        while node is not None and direction < 0 and node is not last:
            count, node = count + 1, sibling(node, -1, tag)
            self.spend()
        if direction < 0:
            count += 0 if node is None else place + 1
        elif last is not None and node is last:
            count = place - 1
        else:
            following = sibling(element, 1, tag)
            while following is not None:
                count, following = count + 1, sibling(following, 1, tag)
                self.spend()
        if len(self._places) > _MAX_REMEMBERED:
            self._places.clear()
        self._places[key] = (element, count)
        return count


def sibling(element: Element, direction: int, tag: str = "") -> Element | None:
    """The next element before (-1) or after (1) with that tag, or with any."""
    found = element.getnext() if direction > 0 else element.getprevious()
    while found is not None and (found.tag != tag if tag else not tag_of(found)):
        found = found.getnext() if direction > 0 else found.getprevious()
    return found


def reached(element: Element, combinator: str) -> Iterable[Element]:
    """The elements on the right of a combinator in :has()."""
    if combinator == ">":
        return element
    if combinator == "~":
        return element.itersiblings()
    following = sibling(element, 1)
    return element.iterdescendants() if not combinator else () if following is None else (following,)


Test = Callable[[Element, Budget], bool]
_SIMPLE: Final[dict[str, Test]] = {
    "root": lambda element, _: element.getparent() is None,
    "scope": lambda element, _: element.getparent() is None,
    "first-child": lambda element, _: sibling(element, -1) is None,
    "last-child": lambda element, _: sibling(element, 1) is None,
    "only-child": lambda element, _: sibling(element, -1) is None and sibling(element, 1) is None,
    "first-of-type": lambda element, _: sibling(element, -1, tag_of(element)) is None,
    "last-of-type": lambda element, _: sibling(element, 1, tag_of(element)) is None,
    "only-of-type": lambda element, _: (
        sibling(element, -1, tag_of(element)) is None and sibling(element, 1, tag_of(element)) is None
    ),
    "empty": lambda element, _: len(element) == 0 and not element.text,
    "link": lambda element, _: tag_of(element) in ("a", "area") and element.get("href") is not None,
    "any-link": lambda element, _: tag_of(element) in ("a", "area") and element.get("href") is not None,
    "disabled": lambda element, _: element.get("disabled") is not None,
    "enabled": lambda element, _: element.get("disabled") is None,
    "defined": lambda element, _: "-" not in tag_of(element),
}
_COUNTED: Final = {
    "nth-child": (-1, False),
    "nth-last-child": (1, False),
    "nth-of-type": (-1, True),
    "nth-last-of-type": (1, True),
}
_NTH: Final = re.compile(r"(?:([+-]?\d*)n)?([+-]?\d+)?")


def structural(name: str, argument: str) -> Test | None:
    """The test behind a structural pseudo-class; None when it is not known or its argument cannot be read."""
    if name == "lang" and argument:
        return lambda element, _: _language(element).startswith(argument.strip("\"'"))
    if name not in _COUNTED:
        return _SIMPLE.get(name)
    text = {"odd": "2n+1", "even": "2n"}.get(argument, argument.replace(" ", ""))
    match = _NTH.fullmatch(text)
    if not match or not text or len(text) > 20:
        return None
    step = 0 if match[1] is None else int(match[1] + "1" if match[1] in ("", "+", "-") else match[1])
    offset = int(match[2] or 0)
    direction, of_type = _COUNTED[name]

    def test(element: Element, budget: Budget) -> bool:
        distance = budget.place_of(element, tag_of(element) if of_type else "", direction) + 1 - offset
        return distance == 0 if step == 0 else distance % step == 0 and distance // step >= 0

    return test


def _language(element: Element) -> str:
    for node in (element, *element.iterancestors()):
        if language := node.get("lang"):
            return language.lower()
    return ""
