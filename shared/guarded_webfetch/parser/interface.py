"""Parts of an interface that wait for their turn (menus, slides, tooltips, drawers), told apart from text kept from its readers.

Both are hidden the same way: transparent, off the screen, clipped, turned away, of no height. What tells them apart is what an
honest page has around them: controls and nothing else inside, a style rule that brings them back, a role that says what they are,
sisters that are seen. Whoever builds all that around a text gains that it does not count as concealed: it is set aside and matched
as hidden text all the same. A paragraph that is merely transparent or off the screen has none of it.
"""

import re
from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import Final

from lxml import etree

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser.cascade import Idle
from guarded_webfetch.parser.css_values import unescape
from guarded_webfetch.parser.tree import Element, classes_of, tag_of, text_of

OWN_TEXT: Final[frozenset[Technique]] = frozenset(("size", "colour"))
PARTS: Final[frozenset[Technique]] = frozenset(("opacity", "off_screen", "clip", "transform", "size", "overlay"))
_CONTROLS: Final = ("a", "button", "label", "summary", "option", "legend")
_FIELDS: Final = ("input", "textarea", "select")
_CONTROL_ROLES: Final = frozenset(
    ("button", "link", "menuitem", "menuitemradio", "tab", "option", "switch", "treeitem")
)
_PART_ROLES: Final = frozenset(
    (
        "dialog",
        "alertdialog",
        "menu",
        "menubar",
        "tooltip",
        "tabpanel",
        "listbox",
        "navigation",
        "search",
        "tablist",
        "toolbar",
    )
)
_WORDS: Final = re.compile(
    r"menu|drop-?down|flyout|modal|pop-?up|dialog|overlay|lightbox|drawer|off-?canvas|tooltip|popover|carousel|slide|swiper|slick"
    r"|splide|flickity|accordion|collaps|tabs?\b|tab-?pane|cart|search|cookie|consent|toast|snackbar|notification|nav\b|navbar"
    r"|sheet|toggle|sticky",
    re.I,
)
_UNDOES: Final[dict[str, re.Pattern[str]]] = {
    technique: re.compile(rf"(?:^|[;{{\s-])(?:{properties})\b", re.I)
    for technique, properties in {
        "opacity": "opacity|animation|animation-name|filter",
        "off_screen": "left|right|top|bottom|inset|transform|translate|margin|margin-left|margin-top|text-indent|position",
        "clip": "clip|clip-path|position|animation",
        "transform": "transform|translate|scale|rotate|animation|animation-name",
        "size": "height|max-height|width|max-width|overflow|animation|font-size|font",
        "overlay": "opacity|visibility|display|transform|translate",
    }.items()
}
_NAME: Final = re.compile(r"[.#](?:[\w-]|\\.)+")
_LAST_PART: Final = re.compile(r"[\s>+~](?![^()\[]*[)\]])")
_LEAD: Final = re.compile(r"[a-z][\w-]*", re.I)
_MAX_LABEL_CHARS: Final = 120  # of a control: more is prose in the shape of one
_MAX_TARGET_CHARS: Final = 40
_MAX_SMALL_CHARS: Final = 200
_MIN_LINKED: Final = 0.75  # of a menu; the rest are its headings
_MAX_ABOVE: Final = 3  # elements between a widget and its hidden part
_MAX_READ: Final = 4_000_000  # characters of one page, some of them more than once
_MAX_IDLE_RULES: Final = 20_000
_MAX_SISTERS: Final = 50


class Interface:
    """What the sheets of a page can bring back, and the parts that are interface."""

    def __init__(self, idle: list[Idle]) -> None:
        self._idle = idle[:_MAX_IDLE_RULES]
        self._lengths: dict[Element, int] = {}
        self._left = _MAX_READ
        self._undone: dict[str, set[str]] = {}

    def holds(self, part: Element, technique: Technique, gone: Container[Element]) -> bool:
        """Whether `part`, hidden by `technique`, is interface. `gone`: all elements that are hidden."""
        if technique not in PARTS:
            return False
        if self.is_control_text(part) or self._is_controls(part) or _has_role(part) or self._is_target(part):
            return True
        return self._comes_back(part, technique) or self._has_seen_sisters(part, gone) or self._is_widget(part)

    def is_control_text(self, element: Element) -> bool:
        """Whether `element` is, or stands in, a control whose whole text is no longer than a label."""
        for node in _upwards(element, _MAX_ABOVE + 2):
            if is_control(node):
                return self._chars(node) <= _MAX_LABEL_CHARS
        return False

    def _chars(self, element: Element) -> int:
        """How long the text of `element` is; too long for anything once this page has been read often enough."""
        found = self._lengths.get(element)
        if found is None:
            if self._left <= 0:
                return _MAX_READ
            found = self._lengths[element] = len(text_of(element))
            self._left -= found + len(element) + 1
        return found

    def _comes_back(self, part: Element, technique: str) -> bool:
        """Whether a rule that waits for a state, or for a name that a script sets, undoes what hides the part."""
        names = {"." + name for name in classes_of(part)} | {"#" + (part.get("id") or "").lower()}
        return not names.isdisjoint(self._names_undone(technique))

    def _names_undone(self, technique: str) -> set[str]:
        found = self._undone.get(technique)
        if found is None:
            undoes = _UNDOES[technique]
            found = self._undone[technique] = {
                name.lower()
                for selector, body in self._idle
                if undoes.search(body)
                for name in _subject_names(selector)
            }
        return found

    def _is_controls(self, part: Element) -> bool:
        """A list of controls with their headings, each as short as a label."""
        letters = linked = 0
        controls = 0
        walker = etree.iterwalk(part, events=("start",))
        for _, element in walker:
            if is_control(element):
                label = self._chars(element)
                if label > _MAX_LABEL_CHARS:
                    return False
                controls, linked = controls + (label > 0), linked + label
                walker.skip_subtree()
        letters = self._chars(part)
        return controls > 0 and linked >= letters * _MIN_LINKED

    def _is_target(self, part: Element) -> bool:
        """A place that the keyboard can reach, with its name ("top of page")."""
        return part.get("tabindex") is not None and self._chars(part) <= _MAX_TARGET_CHARS

    def _is_widget(self, part: Element) -> bool:
        """Named as a widget, or part of a form, and with a control inside."""
        if next(part.iter(*_CONTROLS, *_FIELDS), None) is None:
            return False
        if next(part.iter(*_FIELDS), None) is not None and self._chars(part) <= _MAX_SMALL_CHARS:
            return True
        return any(
            _WORDS.search(f"{node.get('class') or ''} {node.get('id') or ''}") for node in _upwards(part, _MAX_ABOVE)
        )

    def _has_seen_sisters(self, part: Element, gone: Container[Element]) -> bool:
        """One of several parts made alike (slides, cards, steps) of which others are seen."""
        for node in _upwards(part, 1):
            if node is not part and self._chars(node) > self._chars(part):
                return False
            if node.tag in ("p", "span") or not classes_of(node):
                continue
            for sister in _alike(node):
                if (
                    sister not in gone
                    and not any(child in gone for child in islice(sister, _MAX_SISTERS))
                    and self._chars(sister) * 4 >= self._chars(node)
                ):
                    return True
        return False


def _subject_names(selector: str) -> list[str]:
    return [unescape(name) for name in _NAME.findall(_LAST_PART.split(selector.strip())[-1])]


def _upwards(element: Element, most: int) -> Iterator[Element]:
    node: Element | None = element
    for _ in range(most + 1):
        if node is None or tag_of(node) in ("body", "html", "main", "article"):
            return
        yield node
        node = node.getparent()


def is_control(element: Element) -> bool:
    """Whether a person can use `element`, or it names what they use."""
    parent = element.getparent()
    linked = element.get("href") is not None or (
        parent is not None and parent.tag == "li"
    )  # menus of scripts have no addresses
    return (element.tag in _CONTROLS and (element.tag != "a" or linked)) or (
        element.get("role") or ""
    ) in _CONTROL_ROLES


def _has_role(part: Element) -> bool:
    return any(
        (node.get("role") or "") in _PART_ROLES or node.get("aria-modal") is not None or node.tag in ("nav", "dialog")
        for node in _upwards(part, _MAX_ABOVE)
    )


def _alike(node: Element) -> Iterable[Element]:
    parent = node.getparent()
    names = classes_of(node)
    for place, sister in enumerate(() if parent is None else parent):
        if place >= _MAX_SISTERS:
            return
        if sister is not node and sister.tag == node.tag and len(classes_of(sister) & names) * 2 >= len(names):
            yield sister
