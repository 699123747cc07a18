"""Selectors, matched the way browsers do: from the right, only where an element has the key the rightmost part asks for.

What depends on a person or a state (`:hover`, `:checked`, `:target` ...) never matches, pseudo-elements hold no page text. A
selector that cannot be read is None, so that the caller can say that its check is incomplete.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from guarded_webfetch.parser import structure
from guarded_webfetch.parser.css_values import split_list, unescape
from guarded_webfetch.parser.structure import Budget
from guarded_webfetch.parser.tree import Element, tag_of

Test = Callable[[Element, Budget], bool]

_IDENT: Final = r"-?(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+"
_PART: Final = re.compile(
    rf"\*|#(?P<id>{_IDENT})|\.(?P<class>{_IDENT})|\[(?P<attr>[^\]]*)\]|::(?P<element>[\w-]+)"
    rf"|:(?P<pseudo>[\w-]+)(?P<args>\()?|(?P<tag>{_IDENT})"
)
_ATTRIBUTE: Final = re.compile(
    r"\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))(?:\s*([is]))?\s*)?", re.I
)
_COMBINATOR: Final = re.compile(r"\s*([>+~])\s*|\s+")
_STATES: Final = frozenset((
    "hover", "focus", "active", "visited", "target", "checked", "focus-within", "focus-visible", "before", "after",
    "first-line", "first-letter", "indeterminate", "invalid", "valid", "fullscreen", "popover-open", "modal",
    "placeholder-shown", "autofill", "user-invalid", "open", "host", "host-context", "current", "past",
))  # fmt: skip
# HTML compares the values of these attributes in any case (HTML standard, section 4.16.2), as far as sheets ask for them.
_ANY_CASE: Final = frozenset(
    ("type", "dir", "lang", "align", "media", "rel", "method", "scope", "shape", "color", "face")
)
_MAX_SELECTOR_CHARS: Final = 1_000


class Compound(NamedTuple):
    """One part between combinators: what it needs (for the index), and its tests."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[str, ...]
    tests: tuple[Test, ...]
    never: bool  # depends on a state, or names a pseudo-element
    by_names: bool  # tag, id and class names of the element and its ancestors decide alone
    own: frozenset[str]  # names it asks for, with their signs: `#id`, `.class`, the bare tag
    inner: frozenset[str]  # names inside :is(), :not() and the like


class Selector(NamedTuple):
    """`parts[0]` is the subject; each following part stands to its left behind `combinators[n]`."""

    parts: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: tuple[int, int, int]


class _UnreadableError(ValueError):
    """The selector uses something this reader does not know."""


class _Pseudo(NamedTuple):
    test: Test | None  # None: never matches here
    specificity: tuple[int, int, int] = (0, 1, 0)
    by_names: bool = False
    names: frozenset[str] = frozenset()


def parse(text: str, quirks: bool = False) -> Selector | None:
    """The selector in `text`, or None when it cannot be read. With `quirks` names of classes and ids match in any case."""
    if len(text) > _MAX_SELECTOR_CHARS:
        return None
    try:
        return _selector(text.strip(), quirks)
    except (_UnreadableError, RecursionError):
        return None


def matches(selector: Selector, element: Element, budget: Budget) -> bool:
    """Whether `element` is the subject of `selector`. Raises BudgetSpentError."""
    return _matches_compound(selector.parts[0], element, budget) and _matches_left(selector, 1, element, budget)


def is_by_names(selector: Selector) -> bool:
    """Whether elements with the same names, below ancestors with the same names, are all matched or all not."""
    return {" ", ">"}.issuperset(selector.combinators) and all(part.by_names for part in selector.parts)


def is_one_name(selector: Selector) -> bool:
    """Whether the selector is one name and nothing else."""
    part = selector.parts[0]
    return len(selector.parts) == 1 and len(part.own) == 1 and not part.tests and not part.never


def is_names_alone(selector: Selector) -> bool:
    """Whether the selector asks for names, and for nothing else."""
    return is_by_names(selector) and not any(part.tests for part in selector.parts)


def names_of(part: Compound) -> frozenset[str]:
    """Every name `part` asks for, also inside :is() and :not() and, as `[name`, of attributes."""
    return part.own | part.inner | {"[" + name for name in part.attributes}


def _selector(text: str, quirks: bool) -> Selector:
    parts: list[Compound] = []
    combinators: list[str] = []
    weights: list[tuple[int, int, int]] = []
    position = 0
    while position < len(text):
        compound, position, weight = _compound(text, position, quirks)
        weights.append(weight)
        parts.append(compound)
        if position < len(text):
            match = _COMBINATOR.match(text, position)
            if not match:
                raise _UnreadableError
            combinators.append(match[1] or " ")
            position = match.end()
    if not parts or len(parts) != len(combinators) + 1:
        raise _UnreadableError
    return Selector(tuple(reversed(parts)), tuple(reversed(combinators)), _total(weights))


def _total(weights: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    ids, classes, tags = (sum(column) for column in zip(*weights, strict=True))
    return ids, classes, tags


def _compound(text: str, position: int, quirks: bool) -> tuple[Compound, int, tuple[int, int, int]]:
    tag, ids, classes, attributes, tests, start = "", [], [], [], [], position
    pseudos: list[_Pseudo] = []
    never, tags = False, 0
    while position < len(text) and (match := _PART.match(text, position)):
        position = match.end()
        if match["id"]:
            ids.append(_name(match["id"], quirks))
        elif match["class"]:
            classes.append(_name(match["class"], quirks))
        elif match["attr"] is not None:
            attribute, test = _attribute(match["attr"])
            attributes.append(attribute)
            tests.append(test)
        elif match["element"]:
            never = True
        elif match["pseudo"]:
            arguments, position = _arguments(text, position) if match["args"] else ("", position)
            pseudos.append(_pseudo(match["pseudo"].lower(), arguments, quirks))
            tag = tag or (
                "html" if match["pseudo"].lower() == "root" else ""
            )  # so that the index asks one element only
        elif match["tag"]:
            tag, tags = unescape(match["tag"]).lower(), 1
    if position == start:
        raise _UnreadableError
    found = [pseudo.test for pseudo in pseudos if pseudo.test]
    compound = Compound(
        tag,
        frozenset(ids),
        frozenset(classes),
        tuple(attributes),
        (*tests, *found),
        never or len(found) < len(pseudos),
        not attributes and all(pseudo.by_names for pseudo in pseudos),
        frozenset("#" + name for name in ids) | {"." + name for name in classes} | ({tag} if tag else set()),
        frozenset().union(*(pseudo.names for pseudo in pseudos)),
    )
    weight = (len(ids), len(classes) + len(attributes), tags)
    return compound, position, _total([weight, *(pseudo.specificity for pseudo in pseudos)])


def _name(written: str, quirks: bool) -> str:
    name = unescape(written)
    return name.lower() if quirks else name


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
    name, operator, value = match[1].lower(), match[2], unescape(match[3] or match[4] or match[5] or "")
    any_case = (match[6] or "").lower() == "i" or (name in _ANY_CASE and not match[6])
    value = value.lower() if any_case else value
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
    if any_case:
        return name, lambda element, _: (found := element.get(name)) is not None and test(found.lower())
    return name, lambda element, _: (found := element.get(name)) is not None and test(found)


def _pseudo(name: str, arguments: str, quirks: bool) -> _Pseudo:
    if name in _STATES:
        return _Pseudo(None, by_names=True)
    if name in ("is", "where", "not", "matches", "-webkit-any", "any"):
        return _choice(name, [_selector(part.strip(), quirks) for part in split_list(arguments)])
    if name == "has":
        return _has([_relative(part.strip(), quirks) for part in split_list(arguments)])
    test = structure.structural(name, arguments.strip().lower())
    if test is None:
        raise _UnreadableError
    return _Pseudo(test, by_names=name == "root")


def _choice(name: str, inner: list[Selector]) -> _Pseudo:
    wanted = name != "not"
    single = [selector for selector in inner if is_one_name(selector)]
    ids = {value for selector in single for value in selector.parts[0].ids}
    classes = {value for selector in single for value in selector.parts[0].classes}
    tags = {selector.parts[0].tag for selector in single if selector.parts[0].tag}
    others = [selector for selector in inner if selector not in single]

    def test(element: Element, budget: Budget) -> bool:
        budget.spend()
        if element.tag in tags or (ids and _identifier(element, budget) in ids):
            return wanted
        if classes and not classes.isdisjoint(budget.classes_of(element.get("class"))):
            return wanted
        for selector in others:
            if matches(selector, element, budget):
                return wanted
        return not wanted

    specificity = (0, 0, 0) if name == "where" else max(selector.specificity for selector in inner)
    names = frozenset().union(*(names_of(part) for selector in inner for part in selector.parts))
    return _Pseudo(test, specificity, all(is_by_names(selector) for selector in inner), names)


def _relative(text: str, quirks: bool) -> tuple[str, Selector]:
    return (
        (text[0], _selector(text[1:].strip(), quirks)) if text[:1] in (">", "+", "~") else ("", _selector(text, quirks))
    )


def _has(inner: list[tuple[str, Selector]]) -> _Pseudo:
    def test(element: Element, budget: Budget) -> bool:
        for combinator, selector in inner:
            for other in structure.reached(element, combinator):
                budget.spend()
                if tag_of(other) and matches(selector, other, budget):
                    return True
        return False

    return _Pseudo(test, max(selector.specificity for _, selector in inner))


def _identifier(element: Element, budget: Budget) -> str:
    identifier = element.get("id") or ""
    return identifier.lower() if budget.quirks else identifier


def _matches_compound(part: Compound, element: Element, budget: Budget) -> bool:
    budget.spend()
    if part.never or (part.tag and part.tag != element.tag):
        return False
    if part.ids and part.ids != {_identifier(element, budget)}:
        return False
    if part.classes and not part.classes <= budget.classes_of(element.get("class")):
        return False
    return not part.tests or all(test(element, budget) for test in part.tests)


def _matches_left(selector: Selector, index: int, element: Element, budget: Budget) -> bool:
    if index == len(selector.parts):
        return True
    part, combinator = selector.parts[index], selector.combinators[index - 1]
    left = element.getparent() if combinator in (" ", ">") else structure.sibling(element, -1)
    while left is not None:
        if _matches_compound(part, left, budget) and _matches_left(selector, index + 1, left, budget):
            return True
        if combinator in (">", "+"):
            return False
        left = left.getparent() if combinator == " " else structure.sibling(left, -1)
    return False
