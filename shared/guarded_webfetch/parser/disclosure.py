"""Text one click away: parts a page hides until its reader uses a control beside them (accordions, tabs, "show more").

A closed `details` is delivered in a marked block of its own; these are the same thing built by hand. What counts is a control a
person sees: an element that names the part (`aria-controls`, a tab's target), or a caption right before it inside an accordion.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser.clean import clean_text
from guarded_webfetch.parser.measure import letters_in
from guarded_webfetch.parser.tree import Element, tag_of, text_of

TECHNIQUES: Final[frozenset[Technique]] = frozenset(("display_none", "hidden_attribute", "size"))
_REFERENCES: Final = ("aria-controls", "data-target", "data-bs-target", "data-controls", "data-tab")
_TOGGLE_MARKS: Final = ("data-toggle", "data-bs-toggle", "aria-expanded", "aria-selected")
REFERRING: Final = frozenset(
    (*_REFERENCES, *_TOGGLE_MARKS, "role")
)  # attributes of elements that may control another one
_TOGGLES: Final = re.compile(r"accordion|collaps|toggle|faq|expand|disclosure|spoiler|\btabs?\b|tab-?pane|tab-?content")
_PANE: Final = re.compile(r"(?:^|[\s_-])tabs?[-_]?(?:pane|panel|content)(?:$|[\s_-])|tabpanel")
_MAX_PANES: Final = 30
_MAX_BESIDE: Final = 3  # elements before the panes that may hold the tabs
_MAX_TAB_CHARS: Final = 60
_NOT_CONTENT: Final = re.compile(r"\bnav|menu|modal|popup|dropdown|drawer|tooltip|cookie|consent|search|share", re.I)
_RETAGGED: Final = frozenset(("div", "section", "dd", "p", "ul", "ol", "article", "span", "li"))
_MAX_LABEL_CHARS: Final = 300
_MIN_LETTERS: Final = 20
_MAX_LINK_SHARE: Final = 0.5  # a hidden list of links is a menu


class Controls:
    """The controls of a page, by the id of the part they open."""

    def __init__(self, referring: Iterable[Element]) -> None:
        self._labels: dict[str, str] = {}
        for element in referring:
            for name in _REFERENCES:
                if target := element.get(name):
                    self._add(target, element)
            href = element.get("href") or ""
            if (
                len(href) > 1
                and href.startswith("#")
                and (element.get("role") in ("tab", "button") or _has_toggle(element))
            ):
                self._add(href, element)

    def _add(self, target: str, element: Element) -> None:
        label = text_of(element)
        if label and len(label) <= _MAX_LABEL_CHARS:
            self._labels.setdefault(target.lstrip("#").split(" ")[0], label)

    def label_of(self, part: Element) -> str | None:
        """The caption of the control that opens `part`: "" when it stands right before, None when there is none."""
        if tag_of(part) not in _RETAGGED or not _is_content(part):
            return None
        label = self._labels.get(part.get("id") or "")
        if label is not None:
            return label
        if (label := _label_by_place(part)) is not None:
            return label
        before = part.getprevious()
        while before is not None and not tag_of(before):
            before = before.getprevious()
        if before is None or not 0 < len(text_of(before)) <= _MAX_LABEL_CHARS:
            return None
        return "" if _in_accordion(part) or before.get("aria-expanded") is not None else None


def open_part(part: Element, label: str) -> None:
    """Turns `part` into a closed `details`, which the writer knows."""
    summary = part.makeelement("summary")
    summary.text = clean_text(label)
    summary.tail, part.text = part.text, None
    part.insert(0, summary)
    part.tag = "details"
    if part.get("open") is not None:
        del part.attrib["open"]


def _has_toggle(element: Element) -> bool:
    return any(element.get(name) is not None for name in _TOGGLE_MARKS)


def _is_content(part: Element) -> bool:
    around = [node for node in (part, part.getparent()) if node is not None]
    if any(_NOT_CONTENT.search(f"{node.get('class') or ''} {node.get('id') or ''}") for node in around):
        return False
    if next(part.iterancestors("nav", "header", "footer"), None) is not None:
        return False
    letters = letters_in(text_of(part))
    linked = sum(letters_in(text_of(anchor)) for anchor in part.iter("a"))
    return letters >= _MIN_LETTERS and linked <= letters * _MAX_LINK_SHARE


def _label_by_place(part: Element) -> str | None:
    """The label of the tab that stands where `part` stands among its sisters; "" when the page has panes and no such row of tabs."""
    panes = part.getparent()
    if panes is None or len(panes) > _MAX_PANES or not _is_pane(part):
        return None
    sisters = [child for child in panes if _is_pane(child)]
    if len(sisters) < 2:
        return None
    row = panes if len(panes) > len(sisters) else None
    for beside in islice(panes.itersiblings(preceding=True), _MAX_BESIDE) if row is None else panes:
        for tabs in (beside, *islice(beside, _MAX_PANES)) if tag_of(beside) and not _is_pane(beside) else ():
            labels = [text_of(tab) for tab in islice(tabs, _MAX_PANES) if tag_of(tab)]
            if len(labels) >= len(sisters) and all(
                0 < len(label) <= _MAX_TAB_CHARS for label in labels[: len(sisters)]
            ):
                return labels[sisters.index(part)]
    return None


def _is_pane(element: Element) -> bool:
    return element.get("role") == "tabpanel" or bool(_PANE.search((element.get("class") or "").lower()))


def _in_accordion(part: Element) -> bool:
    node: Element | None = part
    for _ in range(4):
        if node is None or tag_of(node) == "body":
            return False
        if _TOGGLES.search((node.get("class") or "").lower()):
            return True
        node = node.getparent()
    return False
