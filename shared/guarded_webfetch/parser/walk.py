"""The walk down a page that finds what its style hides, and takes it out."""

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser.cascade import Cascade
from guarded_webfetch.parser.clean import collapse
from guarded_webfetch.parser.computed import State
from guarded_webfetch.parser.disclosure import TECHNIQUES, Controls, open_part
from guarded_webfetch.parser.looks import Look, Looks
from guarded_webfetch.parser.shelf import Shelf, mark, take_out
from guarded_webfetch.parser.tree import Element, classes_of, tag_of, text_of

_SR_ONLY_CHARS: Final = 200  # labels for screen readers are short; a paragraph hidden their way is concealed
_MIN_PAGE_CHARS: Final = 1_000
_MAX_STEPS: Final = 50_000  # from covers to what they may cover
_MAX_WEIGHED_CHARS: Final = (
    4_000_000  # read to find out whether a wrapper holds the page; nested wrappers read it again
)
_REVEALED: Final = frozenset(("opacity", "size", "sr_only", "clip", "transform"))  # where entrance animations begin
_SR_ONLY: Final = re.compile(
    r"sr-?only|visually-?hidden|screen-?reader|a11y|skip|accessib|off-?screen|assistive|katex-mathml"
)


class Walk:
    """One pass down the tree, with the look each element inherits."""

    def __init__(self, root: Element, cascade: Cascade, shelf: Shelf, controls: Controls, *, external: bool) -> None:
        self.uncertain = False
        self._root = root
        self._looks = Looks(cascade)
        self._shelf = shelf
        self._external = external  # sheets that are not loaded may paint what lies behind the text
        self._controls = controls
        self._gone: list[tuple[Element, Technique]] = []
        self._opened: list[tuple[Element, str]] = []
        self._waiting: list[Element] = []  # only their own text is invisible, children may show
        self._levels: dict[Element, int] = {}  # of placed elements, in the order of painting
        self._covers: list[Element] = []
        self._steps = 0
        self._page_chars = -1
        self._weighed = 0

    def run(self) -> None:
        """Sets aside and takes out all text that is not seen."""
        looks = [self._looks.top]
        walker = etree.iterwalk(self._root, events=("start", "end"))
        for event, element in walker:
            if event == "end":
                looks.pop()
                continue
            look = self._looks.of(element, looks[-1])
            technique = None
            if not look.plain:
                look, technique = self._judge(element, look, looks[-1].state)
            looks.append(look)
            if look.level is not None:
                self._levels[element] = look.level
            if technique:
                self._gone.append((element, technique))
                walker.skip_subtree()
        self._overlaid()
        self._keep_what_scripts_reveal()
        for element in self._waiting:
            self._set_own_text_aside(element, "visibility")
        for element, technique in self._gone:
            self._set_aside(element, technique)
        for element, label in self._opened:
            open_part(element, label)
        take_out(self._root)

    def _keep_what_scripts_reveal(self) -> None:
        """Half a page and more that waits for a script in many parts is the page, not a text kept from its readers."""
        waiting = sum(len(collapse(" ".join(_own_parts(element)))) for element in self._waiting)
        waiting += sum(len(text_of(element)) for element, how in self._gone if how == "opacity")
        if waiting >= _MIN_PAGE_CHARS and waiting * 2 >= self._chars_of_page():
            self.uncertain = True
            self._waiting = []
            self._gone = [(element, how) for element, how in self._gone if how != "opacity"]

    def _judge(self, element: Element, look: Look, parent: State) -> tuple[Look, Technique | None]:
        technique = look.technique
        faded = technique in _REVEALED or (parent.visible and not look.state.visible)
        if faded and self._is_most_of_page(element):
            self.uncertain = True
            technique, look = None, look.shown()
        if technique in TECHNIQUES and (label := self._label_of(element)) is not None:
            self._opened.append((element, label))
            technique = None
        if technique is None and look.covers:
            self._covers.append(element)
        if technique is None and look.own_text is not None:
            self._own_text(element, look)
        return look, technique

    def _label_of(self, element: Element) -> str | None:
        if self._weighed > _MAX_WEIGHED_CHARS:
            return None
        label = self._controls.label_of(element)
        self._weighed += 0 if label is None else len(text_of(element))  # what stands inside is asked again
        return label

    def _chars_of_page(self) -> int:
        if self._page_chars < 0:
            self._page_chars = len(text_of(self._root))
        return self._page_chars

    def _is_most_of_page(self, element: Element) -> bool:
        """Whether this is the wrapper of a page that scripts fade in, not a part that is kept from its readers."""
        if self._weighed > _MAX_WEIGHED_CHARS:
            return False
        letters = len(text_of(element))
        self._weighed += letters
        return letters >= _MIN_PAGE_CHARS and letters * 2 >= self._chars_of_page()

    def _own_text(self, element: Element, look: Look) -> None:
        if look.own_text is None or not any(part.strip() for part in _own_parts(element)):
            return
        state = look.state
        on_default = state.background_is_default and (state.fill or state.colour).alpha > 0.5
        if look.own_text == "colour" and self._external and on_default:
            self.uncertain = True
        elif look.own_text == "visibility":
            self._waiting.append(element)
        else:
            self._set_own_text_aside(element, look.own_text)

    def _set_own_text_aside(self, element: Element, technique: Technique) -> None:
        self._shelf.put(technique, " ".join(_own_parts(element)))
        element.text = " " if element.text else None
        for child in element:
            child.tail = " " if child.tail else None

    def _overlaid(self) -> None:
        """Sets aside what lies below an opaque box without text: what is painted before it, on both its sides."""
        found: set[Element] = set()
        for cover in self._covers:
            if not text_of(cover):
                level = self._levels.get(cover, 0)
                found.update(self._below(cover.itersiblings(preceding=True), level, found))
                found.update(self._below(cover.itersiblings(), level - 1, found))
        covered = sum(len(text_of(element)) for element in found)
        if covered >= _MIN_PAGE_CHARS and covered * 2 >= self._chars_of_page():
            self.uncertain = True  # a curtain that a script draws
            return
        self._gone += [(element, "overlay") for element in found]

    def _below(self, siblings: Iterator[Element], level: int, known: set[Element]) -> Iterator[Element]:
        """Siblings painted no later than a placed element with that level, up to one that is known."""
        for sibling in siblings:
            self._steps += 1
            if sibling in known or self._steps > _MAX_STEPS:
                self.uncertain |= self._steps > _MAX_STEPS
                return
            if tag_of(sibling) and self._levels.get(sibling, level) <= level:
                yield sibling

    def _set_aside(self, element: Element, technique: Technique) -> None:
        text = text_of(element)
        if technique in ("off_screen", "clip", "size", "sr_only", "transform"):
            short = len(text) <= _SR_ONLY_CHARS
            label = technique == "sr_only" or any(_SR_ONLY.search(name) for name in classes_of(element))
            technique = "sr_only" if short and label else "clip" if technique == "sr_only" else technique
        self._shelf.put(technique, text)
        mark(element)


def _own_parts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield child.tail or ""
