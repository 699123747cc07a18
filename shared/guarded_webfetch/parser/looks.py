"""The look of each element of a page, worked out once for all elements that must look alike.

Two elements look alike when their parents do and the same names, attributes and rules count for both. Most elements have none of
these: they look as their parent does and cost one look-up.
"""

from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser.animations import settle
from guarded_webfetch.parser.cascade import Cascade, Entry, Names, declared
from guarded_webfetch.parser.computed import State, Style, inherit, own_text_technique
from guarded_webfetch.parser.geometry import subtree_technique
from guarded_webfetch.parser.presentational import (
    ATTRIBUTES,
    TAGS,
    covers,
    drawing,
    level_of,
    outside_drawing,
    presentational,
)
from guarded_webfetch.parser.selectors import Selector
from guarded_webfetch.parser.structure import BudgetSpentError
from guarded_webfetch.parser.stylesheet import may_matter
from guarded_webfetch.parser.tree import Element

_NO_NAMES: Final[Names] = frozenset()
_MAX_LOOKS: Final = (
    8_000  # worked out for one page, some 20 microseconds each; the most any of 290 real pages needs is 900
)
_MAX_KEPT: Final = 20_000  # looks kept for later elements: some 20 MB

_Key = tuple[Names, str, tuple[tuple[str, str], ...]]  # names that count, style, attributes that act as style


class Look:
    """How one element and all like it look, and what their children need to know."""

    __slots__ = (
        "around",
        "bare",
        "boxes",
        "children",
        "covers",
        "level",
        "names",
        "own_text",
        "parent",
        "plain",
        "state",
        "technique",
    )

    def __init__(self, parent: "Look | None", names: Names, state: State, technique: Technique | None) -> None:
        self.parent = parent
        self.names = names  # that rules ask for
        self.state = state
        self.technique = technique  # hides everything inside
        self.own_text = own_text_technique(state)  # hides the text directly inside
        above: Names = parent.around if parent else _NO_NAMES
        self.around: Names = above | names if names else above  # names of the element and its ancestors
        self.covers = False
        self.level: int | None = None  # of a placed element in the order of painting
        self.boxes = False  # a flex or grid container
        self.plain = False  # nothing is hidden
        self.bare = False  # no name and no style: a bare child looks the same
        self.children: dict[_Key | str, Look | _Choice] = {}

    def settled(self) -> "Look":
        self.plain = self.technique is None and self.own_text is None and not self.covers
        return self

    def shown(self) -> "Look":
        """The same, shown all the same."""
        look = Look(self.parent, self.names, self.state._replace(visible=True, opacity=1.0), None)
        look.covers, look.level, look.boxes = self.covers, self.level, self.boxes
        return look.settled()


class _Choice(NamedTuple):
    """Rules that must be tried on each element, and the looks by those that match."""

    sure: list[Entry]
    open: list[Entry]
    looks: dict[tuple[bool, ...], Look]


class Looks:
    """Gives each element its look; parents must be asked before their children."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        self._tags = {name for name in cascade.relevant if name[0] not in "#.["} | TAGS
        self._attributes = ATTRIBUTES | cascade.attributes
        self._quirks = cascade.budget.quirks
        self._of_classes: dict[str, Names] = {}
        self._kept = 0
        self._worked_out = 0
        self.top = Look(None, _NO_NAMES, State(), None).settled()
        self.top.bare = not cascade.counts_levels

    def of(self, element: Element, parent: Look) -> Look:
        """The look of `element` below an element with the look `parent`."""
        items: list[tuple[str, str]] = element.items()  # type: ignore[assignment]  # HTML text is str
        tag = str(element.tag) if element.tag in self._tags else ""
        key = self._key(element, tag, items) if items else tag
        found = parent.children.get(key)
        if isinstance(found, Look):
            return found
        if found is None:
            if self._worked_out >= _MAX_LOOKS:
                self._cascade.incomplete = True
                return parent
            found = self._new(element, parent, key)
        return found if isinstance(found, Look) else self._choose(found, element, parent, key)

    def _key(self, element: Element, tag: str, items: list[tuple[str, str]]) -> _Key | str:
        names, style = _NO_NAMES, ""
        acting = [("outside", "")] if tag in ("text", "tspan") and outside_drawing(element) else []
        if tag == "svg" and (drawn := drawing(element)):
            acting.append(("drawing", drawn))
        for name, value in items:
            if name == "class":
                names |= self._classes(value)
            elif name == "style":
                style = value if may_matter(value) else ""
            elif name == "id":
                identifier = "#" + (value.lower() if self._quirks else value)
                names |= {identifier} if identifier in self._cascade.relevant else _NO_NAMES
            if name in self._attributes:
                if name in ATTRIBUTES and (name != "href" or tag == "a"):
                    acting.append((name, value if name != "href" else ""))
                if name in self._cascade.attributes:
                    names |= {"[" + name}
        if not names and not style and not acting:
            return tag
        return (names | {tag} if tag else names), style, tuple(acting)

    def _classes(self, value: str) -> Names:
        found = self._of_classes.get(value)
        if found is None:
            found = frozenset("." + name for name in self._cascade.budget.classes_of(value)) & self._cascade.relevant
            if self._kept < _MAX_KEPT:
                self._kept += 1
                self._of_classes[value] = found
        return found

    def _new(self, element: Element, parent: Look, key: _Key | str) -> "Look | _Choice":
        names = key[0] if isinstance(key, tuple) else frozenset((key,)) if key else _NO_NAMES
        entries = self._cascade.candidates(names, parent.around)
        sure = [
            entry
            for entry in entries
            if entry.by_names
            and (self._fits(entry, names, parent) if entry.names_alone else self._cascade.matches(entry, element))
        ]
        still_open = [entry for entry in entries if not entry.by_names]
        found: Look | _Choice
        found = _Choice(sure, still_open, {}) if still_open else self._work_out(element, parent, key, sure)
        if self._kept < _MAX_KEPT:
            self._kept += 1
            parent.children[key] = found
        return found

    def _fits(self, entry: Entry, names: Names, parent: Look) -> bool:
        """Whether the names of an element and those above it are what the rule asks for."""
        if not entry.selector.parts[0].own <= names:
            return False
        try:
            return self._fits_above(entry.selector, 1, parent)
        except BudgetSpentError:
            self._cascade.incomplete = True
            return False

    def _fits_above(self, selector: Selector, index: int, above: Look | None) -> bool:
        if index == len(selector.parts):
            return True
        wanted, anywhere = selector.parts[index].own, selector.combinators[index - 1] == " "
        while above is not None:
            self._cascade.budget.spend()
            if wanted <= above.names and self._fits_above(selector, index + 1, above.parent):
                return True
            above = above.parent if anywhere else None
        return False

    def _choose(self, choice: _Choice, element: Element, parent: Look, key: _Key | str) -> Look:
        if self._cascade.budget.left <= 0:
            self._cascade.incomplete = True
            matched: tuple[bool, ...] = (False,) * len(choice.open)
        else:
            matched = tuple(self._cascade.matches(entry, element) for entry in choice.open)
        look = choice.looks.get(matched)
        if look is None:
            entries = choice.sure + [entry for entry, yes in zip(choice.open, matched, strict=True) if yes]
            look = choice.looks[matched] = self._work_out(element, parent, key, entries)
        return look

    def _work_out(self, element: Element, parent: Look, key: _Key | str, entries: list[Entry]) -> Look:
        self._worked_out += 1
        names, style_text, acting = key if isinstance(key, tuple) else (frozenset((key,)) if key else _NO_NAMES, "", ())
        weakest = presentational(element) if acting or element.tag in TAGS else {}
        found = settle(declared(entries, style_text, weakest), self._cascade.last_frames, parent.state.custom)
        if not found and not names and not acting and parent.bare:
            return parent
        style = Style(found, parent.state.custom)
        state = inherit(parent.state, element, style)
        if element.tag in (
            "html",
            "body",
        ):  # faded in or un-hidden by a script: nobody hides a whole page from its readers
            shown = state._replace(visible=True, fill=None, opacity=1.0, background_is_default=True)
            return Look(parent, names, shown, None).settled()
        technique = subtree_technique(style, state) if style else None
        if technique is None and element.get("hidden") is not None and not (style.get("display") or style.get("all")):
            technique = "hidden_attribute"
        look = Look(parent, names, state, technique)
        look.covers = technique is None and covers(style)
        look.level = level_of(style, in_boxes=parent.boxes)
        look.boxes = "flex" in style.get("display") or "grid" in style.get("display")
        look.bare = not found and not names and not acting and not self._cascade.counts_levels
        return look.settled()
