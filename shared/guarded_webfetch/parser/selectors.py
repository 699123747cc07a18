"""Selectors, matched the way browsers do: from the right, only where an element has the key the rightmost part asks for.

What depends on a person or a state (`:hover`, `:checked`, `:target` ...) never matches, pseudo-elements hold no page text. A
selector that cannot be read is None, so that the caller can say that its check is incomplete.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from guarded_webfetch.parser.css_values import split_list, unescape
from guarded_webfetch.parser.tree import Element, classes_of, tag_of


class BudgetSpentError(Exception):
    """A page asks for more matching than any honest page needs."""


class Budget:
    """Steps of matching left for one page."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise BudgetSpentError


Test = Callable[[Element, Budget], bool]

_IDENT: Final = r"-?(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+"
_PART: Final = re.compile(
    rf"\*|#(?P<id>{_IDENT})|\.(?P<class>{_IDENT})|\[(?P<attr>[^\]]*)\]|::(?P<element>[\w-]+)"
    rf"|:(?P<pseudo>[\w-]+)(?P<args>\()?|(?P<tag>{_IDENT})"
)
_ATTRIBUTE: Final = re.compile(r"\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))\s*[is]?\s*)?")
_COMBINATOR: Final = re.compile(r"\s*([>+~])\s*|\s+")
_STATES: Final = frozenset((
    "hover", "focus", "active", "visited", "target", "checked", "focus-within", "focus-visible", "before", "after",
    "first-line", "first-letter", "indeterminate", "invalid", "valid", "fullscreen", "popover-open", "modal",
    "placeholder-shown", "autofill", "user-invalid", "open",
))  # fmt: skip
_MAX_SELECTOR_CHARS: Final = 1_000


class Compound(NamedTuple):
    """One part between combinators: what it needs (for the index), and its tests."""

    tag: str
    ids: tuple[str, ...]
    classes: tuple[str, ...]
    attributes: tuple[str, ...]
    tests: tuple[Test, ...]
    never: bool  # depends on a state, or names a pseudo-element
    by_names: bool  # tag, id and class names of the element and its ancestors decide alone


class Selector(NamedTuple):
    """`parts[0]` is the subject; each following part stands to its left behind `combinators[n]`."""

    parts: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: tuple[int, int, int]


class _UnreadableError(ValueError):
    """The selector uses something this reader does not know."""


def parse(text: str) -> Selector | None:
    """The selector in `text`, or None when it cannot be read."""
    if len(text) > _MAX_SELECTOR_CHARS:
        return None
    try:
        return _selector(text.strip())
    except (_UnreadableError, RecursionError):
        return None


def matches(selector: Selector, element: Element, budget: Budget) -> bool:
    """Whether `element` is the subject of `selector`. Raises BudgetSpentError."""
    return _matches_compound(selector.parts[0], element, budget) and _matches_left(selector, 1, element, budget)


def is_by_names(selector: Selector) -> bool:
    """Whether elements with the same names, below ancestors with the same names, are all matched or all not."""
    return {" ", ">"}.issuperset(selector.combinators) and all(part.by_names for part in selector.parts)


def _selector(text: str) -> Selector:
    parts: list[Compound] = []
    combinators: list[str] = []
    specificity = [0, 0, 0]
    position = 0
    while position < len(text):
        compound, position, weight = _compound(text, position)
        specificity = [a + b for a, b in zip(specificity, weight, strict=True)]
        parts.append(compound)
        if position < len(text):
            match = _COMBINATOR.match(text, position)
            if not match:
                raise _UnreadableError
            combinators.append(match[1] or " ")
            position = match.end()
    if not parts or len(parts) != len(combinators) + 1:
        raise _UnreadableError
    return Selector(
        tuple(reversed(parts)), tuple(reversed(combinators)), (specificity[0], specificity[1], specificity[2])
    )


def _compound(text: str, position: int) -> tuple[Compound, int, list[int]]:
    tag, ids, classes, attributes, tests, never, start = "", [], [], [], [], False, position
    by_names, weight = True, [0, 0, 0]
    while position < len(text) and (match := _PART.match(text, position)):
        position = match.end()
        if match["id"]:
            ids.append(unescape(match["id"]))
            weight[0] += 1
        elif match["class"]:
            classes.append(unescape(match["class"]).lower())
            weight[1] += 1
        elif match["attr"] is not None:
            attribute, test = _attribute(match["attr"])
            attributes.append(attribute)
            tests.append(test)
            by_names = False
            weight[1] += 1
        elif match["element"]:
            never = True
        elif match["pseudo"]:
            name = match["pseudo"].lower()
            arguments = ""
            if match["args"]:
                arguments, position = _arguments(text, position)
            found, added, named = _pseudo(name, arguments)
            by_names = by_names and named
            tag = tag or ("html" if name == "root" else "")  # the index then asks for it on one element only
            weight = [a + b for a, b in zip(weight, added, strict=True)]
            if found is None:
                never = True
            else:
                tests.append(found)
        elif match["tag"]:
            tag = unescape(match["tag"]).lower()
            weight[2] += 1
    if position == start:
        raise _UnreadableError
    compound = Compound(tag, tuple(ids), tuple(classes), tuple(attributes), tuple(tests), never, by_names)
    return compound, position, weight


def _arguments(text: str, position: int) -> tuple[str, int]:
    depth, start = 1, position
    while position < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    if depth:
        raise _UnreadableError
    return text[start : position - 1], position


def _attribute(text: str) -> tuple[str, Test]:
    match = _ATTRIBUTE.fullmatch(text)
    if not match:
        raise _UnreadableError
    name, operator, value = match[1].lower(), match[2], match[3] or match[4] or match[5] or ""
    compare: dict[str | None, Callable[[str], bool]] = {
        None: lambda found: True,
        "=": lambda found: found == value,
        "~=": lambda found: value in found.split(),
        "|=": lambda found: found == value or found.startswith(value + "-"),
        "^=": lambda found: bool(value) and found.startswith(value),
        "$=": lambda found: bool(value) and found.endswith(value),
        "*=": lambda found: bool(value) and value in found,
    }
    test = compare[operator]
    return name, lambda element, _: (found := element.get(name)) is not None and test(found)


def _pseudo(name: str, arguments: str) -> tuple[Test | None, list[int], bool]:
    """The test of a pseudo-class (None: never matches here), its specificity, and whether names decide it alone."""
    if name in _STATES:
        return None, [0, 1, 0], True
    if name in ("is", "where", "not", "matches", "-webkit-any", "any"):
        inner = [_selector(part.strip()) for part in split_list(arguments)]
        weight = [0, 0, 0] if name == "where" else list(max(selector.specificity for selector in inner))
        wanted = name != "not"
        named = all(is_by_names(selector) for selector in inner)
        return (
            (lambda element, budget: any(matches(selector, element, budget) for selector in inner) is wanted),
            weight,
            named,
        )
    if name == "has":
        return _has(arguments), [0, 1, 0], False
    test = _structural(name, arguments.strip())
    if test is None:
        raise _UnreadableError
    return test, [0, 1, 0], name == "root"


def _has(arguments: str) -> Test:
    text = arguments.strip()
    direct = text.startswith(">")
    inner = _selector(text.lstrip("> "))

    def test(element: Element, budget: Budget) -> bool:
        below = element if direct else element.iterdescendants()
        return any(tag_of(child) and matches(inner, child, budget) for child in below)

    return test


def _structural(name: str, argument: str) -> Test | None:
    match name:
        case "root":
            return lambda element, _: element.getparent() is None
        case "first-child":
            return lambda element, _: _sibling(element, -1) is None
        case "last-child":
            return lambda element, _: _sibling(element, 1) is None
        case "only-child":
            return lambda element, _: _sibling(element, -1) is None and _sibling(element, 1) is None
        case "empty":
            return lambda element, _: len(element) == 0 and not element.text
        case "link" | "any-link":
            return lambda element, _: tag_of(element) == "a" and element.get("href") is not None
        case "disabled" | "enabled":
            return lambda element, _: (element.get("disabled") is not None) is (name == "disabled")
        case "defined":
            return lambda element, _: True
        case "nth-child":
            return _nth_child(argument)
    return None


def _nth_child(argument: str) -> Test | None:
    text = {"odd": "2n+1", "even": "2n"}.get(argument, argument.replace(" ", ""))
    match = re.fullmatch(r"(?:([+-]?\d*)n)?([+-]?\d+)?", text)
    if not match or not text:
        return None
    step = 0 if match[1] is None else int(match[1] + "1" if match[1] in ("", "+", "-") else match[1])
    offset = int(match[2] or 0)

    def test(element: Element, budget: Budget) -> bool:
        before = sum(1 for sibling in element.itersiblings(preceding=True) if tag_of(sibling))
        budget.spend(before)
        distance = before + 1 - offset
        return distance == 0 if step == 0 else distance % step == 0 and distance // step >= 0

    return test


def _sibling(element: Element, direction: int) -> Element | None:
    step = element.getnext if direction > 0 else element.getprevious
    found = step()
    while found is not None and not tag_of(found):
        found = found.getnext() if direction > 0 else found.getprevious()
    return found


def _matches_compound(part: Compound, element: Element, budget: Budget) -> bool:
    budget.spend()
    if part.never or (part.tag and part.tag != tag_of(element)):
        return False
    if part.ids and any(element.get("id") != wanted for wanted in part.ids):
        return False
    if part.classes:
        classes = classes_of(element)
        if any(wanted not in classes for wanted in part.classes):
            return False
    return all(test(element, budget) for test in part.tests)


def _matches_left(selector: Selector, index: int, element: Element, budget: Budget) -> bool:
    if index == len(selector.parts):
        return True
    part, combinator = selector.parts[index], selector.combinators[index - 1]
    left = element.getparent() if combinator in (" ", ">") else _sibling(element, -1)
    while left is not None:
        if _matches_compound(part, left, budget) and _matches_left(selector, index + 1, left, budget):
            return True
        if combinator in (">", "+"):
            return False
        left = left.getparent() if combinator == " " else _sibling(left, -1)
    return False
