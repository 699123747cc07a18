"""Which declarations win on an element: importance, style attribute, layer, specificity, order (CSS Cascade level 5, section 6)."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from guarded_webfetch.parser import selectors
from guarded_webfetch.parser.stylesheet import UNLAYERED, Declarations, Rule, declarations, rules
from guarded_webfetch.parser.tree import Element, classes_of, elements_of, tag_of

_NAMES: Final = re.compile(r"([.#])([\w-]+)")
_STATE: Final = re.compile(r":(?::|hover|focus|active|visited|target|before|after)")
_MAX_RULES: Final = 60_000
_MAX_STEPS: Final = 1_000_000  # of matching in one page, some seconds; beyond it the check is incomplete

Weight = tuple[int, int, tuple[int, int, int], int]  # origin rank, layer, specificity, order


class _Entry(NamedTuple):
    selector: selectors.Selector
    found: Declarations
    layer: int
    order: int
    around: frozenset[str]  # names that ancestors must have
    by_names: bool  # tag, id and class names of the element and its ancestors decide alone


class _Place(NamedTuple):
    """What name-only selectors can ask about an element. Equal places share their rules."""

    number: int
    around: frozenset[str]  # names of the element and its ancestors
    entries: list[_Entry]  # name-only rules that match
    others: list[_Entry]  # rules that must be tried on each element


class Cascade:
    """The rules of a page, indexed by the id, class or tag their subject needs."""

    def __init__(self, root: Element, sheets: Iterable[str]) -> None:
        self.incomplete = False
        self._budget = selectors.Budget(_MAX_STEPS)
        self._places: dict[tuple[int, str, str, str], _Place] = {}
        self._place_of: dict[Element, _Place] = {}
        self._index: dict[tuple[str, str], list[_Entry]] = {}
        self._names = self._names_in(root)
        order = 0
        for sheet in sheets:
            for rule in rules(sheet):
                order += 1
                if order > _MAX_RULES:
                    self.incomplete = True
                    return
                self._add(rule, order)

    @staticmethod
    def _names_in(root: Element) -> set[str]:
        names: set[str] = set()
        for element in elements_of(root):
            names.update("." + name for name in classes_of(element))
            if identifier := element.get("id"):
                names.add("#" + identifier)
            names.update("[" + str(name) for name in element.attrib)
        return names

    def _add(self, rule: Rule, order: int) -> None:
        found: Declarations | None = None
        for text in rule.selectors:
            if not self._may_match(text):
                continue
            if found is None and not (found := declarations(rule.body)):
                return
            selector = selectors.parse(text)
            if selector is None or rule.uncertain:
                self.incomplete |= _may_hide(found)
            elif self._has_names(selector):
                entry = _Entry(
                    selector, found, rule.layer, order, _names_around(selector), selectors.is_by_names(selector)
                )
                self._index.setdefault(_key(selector.parts[0]), []).append(entry)

    def _may_match(self, text: str) -> bool:
        """Cheap refusal of what names a class or id the page does not have: most rules of most pages."""
        if ":" in text and _STATE.search(text):
            return False
        if "(" in text or "[" in text or "\\" in text:
            return True
        return all(
            (kind + (name.lower() if kind == "." else name)) in self._names for kind, name in _NAMES.findall(text)
        )

    def _has_names(self, selector: selectors.Selector) -> bool:
        """Whether the page has every name the selector asks for, so that it can match at all."""
        wanted = (
            name
            for part in selector.parts
            for sign, names in ((".", part.classes), ("#", part.ids), ("[", part.attributes))
            for name in (sign + found for found in names)
        )
        return not any(part.never for part in selector.parts) and all(name in self._names for name in wanted)

    def declared(self, element: Element) -> Declarations:
        """The winning declarations for `element`, its style attribute included. Parents must be asked before children."""
        winners: dict[str, tuple[Weight, str, bool]] = {}
        place = self._place(element)
        for entry in place.entries:
            _apply(winners, entry.found, (0, entry.layer, entry.selector.specificity, entry.order))
        for entry in place.others:
            if self._matches(entry, element):
                _apply(winners, entry.found, (0, entry.layer, entry.selector.specificity, entry.order))
        if style := element.get("style"):
            _apply(winners, declarations(style), (1, UNLAYERED, (0, 0, 0), 0))
        return {name: (value, important) for name, (_, value, important) in winners.items()}

    def _matches(self, entry: _Entry, element: Element) -> bool:
        try:
            return selectors.matches(entry.selector, element, self._budget)
        except (selectors.BudgetSpentError, RecursionError):
            self.incomplete = True
            return False

    def _place(self, element: Element) -> _Place:
        parent = element.getparent()
        above = self._place_of.get(parent) if parent is not None else None
        tag, identifier, classes = tag_of(element), element.get("id") or "", element.get("class") or ""
        key = (above.number if above else 0, tag, identifier, classes)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self._new_place(element, above)
        self._place_of[element] = place
        return place

    def _new_place(self, element: Element, above: _Place | None) -> _Place:
        tag, identifier = tag_of(element), element.get("id") or ""
        keys = [("*", ""), ("tag", tag), ("id", identifier), *(("class", name) for name in classes_of(element))]
        around = above.around if above else frozenset()
        found = [entry for key in keys for entry in self._index.get(key, ()) if entry.around <= around]
        entries = [entry for entry in found if entry.by_names and self._matches(entry, element)]
        own = {tag, "#" + identifier, *("." + name for name in classes_of(element))}
        others = [entry for entry in found if not entry.by_names]
        return _Place(len(self._places) + 1, around | own, entries, others)


def _key(part: selectors.Compound) -> tuple[str, str]:
    if part.ids:
        return ("id", part.ids[0])
    if part.classes:
        return ("class", part.classes[0])
    return ("tag", part.tag) if part.tag else ("*", "")


def _names_around(selector: selectors.Selector) -> frozenset[str]:
    if not {" ", ">"}.issuperset(selector.combinators):
        return frozenset()
    names: set[str] = set()
    for part in selector.parts[1:]:
        names.update("#" + name for name in part.ids)
        names.update("." + name for name in part.classes)
        names.update((part.tag,) if part.tag else ())
    return frozenset(names)


def _apply(winners: dict[str, tuple[Weight, str, bool]], found: Declarations, weight: Weight) -> None:
    for name, (value, important) in found.items():
        # Among important declarations earlier layers win.
        layer = -weight[1] if important else weight[1]
        rank: Weight = (weight[0] + (2 if important else 0), layer, weight[2], weight[3])
        if name not in winners or rank >= winners[name][0]:
            winners[name] = (rank, value, important)


def _may_hide(found: Declarations) -> bool:
    return any(
        (name == "display" and value == "none") or name in ("visibility", "opacity", "clip-path", "clip")
        for name, (value, _) in found.items()
    )
