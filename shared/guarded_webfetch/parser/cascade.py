"""Which declarations win on an element: importance, style attribute, layer, specificity, order (CSS Cascade level 5, section 6).

Most rules of most pages cannot match or set nothing that hides text; they are dropped by cheap looks. The rest is indexed by the
name that the rightmost part asks for, so that an element without such a name costs nothing.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from lxml import etree

from guarded_webfetch.parser import selectors
from guarded_webfetch.parser.animations import Frames, last_frames
from guarded_webfetch.parser.structure import Budget, BudgetSpentError
from guarded_webfetch.parser.stylesheet import UNLAYERED, Declarations, Rule, declarations, rules
from guarded_webfetch.parser.survey import Survey
from guarded_webfetch.parser.tree import Element, tag_of, text_of

_NAMES: Final = re.compile(r"([.#])([\w-]+)")
# A selector that only another browser knows makes the whole rule invalid (Selectors 4, section 3.9).
_OTHER_BROWSER: Final = re.compile(r"::?-(?:moz|ms|o)-", re.I)
_STATE: Final = re.compile(r":(?::|hover|focus|active|visited|target|before|after)")
_MAX_RULES: Final = 60_000
_MAX_ENTRIES: Final = 5_000  # rules that name what the page has; the most any of 290 real pages has is 700
_MAX_STEPS: Final = (
    400_000  # of matching in one page, half a second; real pages take up to 280,000. Beyond it the check is incomplete
)

Weight = tuple[int, int, tuple[int, int, int], int]  # origin rank, layer, specificity, order
Names = frozenset[str]  # "p", ".class", "#id", "[attribute"


class Page(NamedTuple):
    """What the rules of a page are held against."""

    names: set[str]
    quirks: bool  # classes and ids match in any case

    @classmethod
    def of(cls, root: Element, survey: Survey) -> "Page":
        """No document type, for which libxml2 writes that of HTML 4.0 Transitional, or one of its age (HTML standard 13.2.6.4.1)."""
        kind: Any = root.getroottree().docinfo  # the stubs lack half of it
        public = (kind.public_id or "").lower()
        old = any(name in public for name in ("html 4.0 transitional", "html 4.0 frameset", "html 3", "html 2"))
        quirks = not kind.doctype or old or ("html 4.01 transitional" in public and not kind.system_url)
        names = {"." + name for value in survey.class_values for name in value.split()}
        names.update("#" + value for value in survey.ids)
        names = {name.lower() for name in names} if quirks else names
        return cls(names | {"[" + name for name in survey.attributes | {"class", "id"}}, quirks)


Idle = tuple[str, str]  # selector, body of a rule that waits for a state, or for a name that the page does not have


class Entry(NamedTuple):
    """A rule with one of its selectors."""

    selector: selectors.Selector
    found: Declarations
    layer: int
    order: int
    around: Names  # names that ancestors must have
    by_names: bool  # tag, id and class names of the element and its ancestors decide alone
    names_alone: bool  # so that the element itself need not be looked at


class Cascade:
    """The rules of a page that can match something in it, indexed by the id, class, attribute or tag their subject needs."""

    def __init__(self, page: Page, sheets: Iterable[str]) -> None:
        self.incomplete = False
        self.idle: list[Idle] = []
        self.relevant: set[str] = set()  # all names that some rule asks for
        self.attributes: set[str] = set()  # attributes among them
        self.counts_levels = False  # a rule counts nameless elements between two names (`.a > * > .b`)
        self.budget = Budget(_MAX_STEPS, page.quirks)
        self._entries = 0
        self._names = page.names
        self._index: dict[str, list[Entry]] = {}
        self._everywhere: list[Entry] = []
        self._doubted: list[selectors.Selector] = []
        self.last_frames: Frames = {}
        order, layers = 0, dict[str, int]()
        for sheet in sheets:
            self.last_frames |= last_frames(sheet)
            for rule in rules(sheet, layers):
                order += 1
                if order > _MAX_RULES:
                    self.incomplete = True
                    return
                self._add(rule, order)

    def _add(self, rule: Rule, order: int) -> None:
        found: Declarations | None = None
        for text in rule.selectors:
            if not self._may_match(text):
                self.idle.append((text, rule.body))
                continue
            if found is None:
                found = {} if _is_foreign(rule) else declarations(rule.body)
            if not found:
                return
            selector = selectors.parse(text, self.budget.quirks)
            if selector is None:
                self.incomplete |= _may_hide(found)
            elif rule.uncertain:
                if _may_hide(found) and self._has_names(selector):
                    self._doubted.append(selector)
            elif self._entries >= _MAX_ENTRIES:
                self.incomplete = True
                return
            elif self._has_names(selector):
                self._enter(_entry(selector, found, rule.layer, order))
            else:
                self.idle.append((text, rule.body))

    def doubts(self, root: Element) -> bool:
        """Whether some text waits for a condition that cannot be judged here. Asked when hidden text is out of the page."""
        index: dict[str, list[selectors.Selector]] = {}
        for selector in self._doubted:
            index.setdefault(_key(selector.parts[0]), []).append(selector)
        try:
            return any(self._is_doubted(element, index) for element in root.iter(etree.Element)) if index else False
        except (BudgetSpentError, RecursionError):
            return True

    def _is_doubted(self, element: Element, index: dict[str, list[selectors.Selector]]) -> bool:
        names = ["", tag_of(element), "#" + (element.get("id") or ""), *("[" + str(name) for name in element.attrib)]
        names += ["." + name for name in self.budget.classes_of(element.get("class"))]
        asking = [selector for name in names for selector in index.get(name, ())]
        return any(selectors.matches(one, element, self.budget) for one in asking) and bool(text_of(element))

    def _may_match(self, text: str) -> bool:
        """Cheap refusal of what names a class or id the page does not have: most rules of most pages."""
        if ":" in text and _STATE.search(text):
            return False
        if "(" in text or "[" in text or "\\" in text:
            return True
        text = text.lower() if self.budget.quirks else text
        return all(kind + name in self._names for kind, name in _NAMES.findall(text))

    def _has_names(self, selector: selectors.Selector) -> bool:
        """Whether the page has every name the selector asks for, so that it can match at all."""
        if any(part.never for part in selector.parts):
            return False
        return all(
            sign + name in self._names
            for part in selector.parts
            for sign, names in ((".", part.classes), ("#", part.ids), ("[", part.attributes))
            for name in names
        )

    def _enter(self, entry: Entry) -> None:
        self._entries += 1
        parts = entry.selector.parts
        key = _key(parts[0])
        if key:
            self._index.setdefault(key, []).append(entry)
        else:
            self._everywhere.append(entry)
        for index, part in enumerate(parts):
            names = selectors.names_of(part)
            self.relevant |= names
            self.attributes.update(name[1:] for name in names if name[0] == "[")
            self.counts_levels |= index > 0 and not (part.tag or part.ids or part.classes)

    def candidates(self, names: Names, around: Names) -> list[Entry]:
        """The rules to try on an element with these names below ancestors with the names `around`."""
        if self.budget.left <= 0:
            return []
        found = self._everywhere.copy()
        for name in names:
            found += self._index.get(name, ())
        self.budget.left -= len(found) // 8
        return [entry for entry in found if entry.around <= around]

    def matches(self, entry: Entry, element: Element) -> bool:
        """Whether the rule applies to `element`; False, and `incomplete`, when the steps of this page are spent."""
        try:
            return selectors.matches(entry.selector, element, self.budget)
        except (BudgetSpentError, RecursionError):
            self.incomplete = True
            return False


def declared(entries: Iterable[Entry], style: str, weakest: Declarations) -> Declarations:
    """The winning declarations of the rules that match, a style attribute, and what is weaker than both."""
    winners: dict[str, tuple[Weight, str, bool]] = {}
    for entry in entries:
        _apply(winners, entry.found, (0, entry.layer, entry.selector.specificity, entry.order))
    if style:
        _apply(winners, declarations(style), (1, UNLAYERED, (0, 0, 0), 0))
    return {**weakest, **{name: (value, important) for name, (_, value, important) in winners.items()}}


def _is_foreign(rule: Rule) -> bool:
    return any(":-" in text and _OTHER_BROWSER.search(text) is not None for text in rule.selectors)


def _entry(selector: selectors.Selector, found: Declarations, layer: int, order: int) -> Entry:
    by_names, alone = selectors.is_by_names(selector), selectors.is_names_alone(selector)
    return Entry(selector, found, layer, order, _names_around(selector), by_names, alone)


def _key(part: selectors.Compound) -> str:
    if part.ids:
        return "#" + min(part.ids)
    if part.classes:
        return "." + min(part.classes)
    return "[" + part.attributes[0] if part.attributes and not part.tag else part.tag


def _names_around(selector: selectors.Selector) -> Names:
    if not {" ", ">"}.issuperset(selector.combinators):
        return frozenset()
    return frozenset().union(*(part.own for part in selector.parts[1:]))


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
