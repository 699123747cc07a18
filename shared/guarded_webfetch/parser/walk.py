"""The walk down a page that finds what its style hides, and takes it out."""

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser.cascade import Cascade
from guarded_webfetch.parser.clean import collapse
from guarded_webfetch.parser.colours import Colour
from guarded_webfetch.parser.computed import State, is_faint
from guarded_webfetch.parser.disclosure import TECHNIQUES, Controls, open_part
from guarded_webfetch.parser.entrances import Entrances
from guarded_webfetch.parser.interface import OWN_TEXT, Interface, is_control
from guarded_webfetch.parser.looks import Look, Looks
from guarded_webfetch.parser.shelf import Shelf, mark, take_out
from guarded_webfetch.parser.tree import Element, classes_of, tag_of, text_of

_SR_ONLY_CHARS: Final = 200  # labels for screen readers are short; a paragraph hidden their way is concealed
_MIN_PAGE_CHARS: Final = 1_000
_HALF: Final = 0.5  # of the page
_MAIN: Final = 0.2  # the same of what calls itself the main part
_ENTERING: Final = 0.2  # the same of parts that fade in
_MIN_ENTRANCES: Final = 4
_SHELL: Final = frozenset(("nav", "header", "footer", "aside", "script", "style", "head", "form"))
_SHELL_CHARS: Final = 40  # outside of these and of controls: less is no page
_MAX_LAYERS: Final = 200  # boxes behind text
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
        self.doubtful: list[str] = []  # left in: sheets that are not loaded decide
        self._root = root
        self._looks = Looks(cascade)
        self._shelf = shelf
        self._external = external  # sheets that are not loaded may paint what lies behind the text
        self._controls = controls
        self._interface = Interface(cascade.idle)
        self._entrances = Entrances(root)
        self._gone: list[tuple[Element, Technique]] = []
        self._opened: list[tuple[Element, str]] = []
        self._waiting: list[Element] = []  # only their own text is invisible, children may show
        self._levels: dict[Element, int] = {}  # of placed elements, in the order of painting
        self._covers: list[Element] = []
        self._cover_colours: dict[Element, Colour] = {}
        self._faint: list[tuple[Element, State]] = []  # the page's own background seems to swallow their text
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
            if element.tag == "head":
                looks.append(looks[-1])
                walker.skip_subtree()
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
        self._set_faint_text_aside()
        hidden = {element for element, _ in self._gone}
        judged = [(element, how, self._is_interface(element, how, hidden)) for element, how in self._gone]
        for element, technique, waits in judged:
            self._set_aside(element, "interface" if waits else technique)
        for element, label in self._opened:
            open_part(element, label)
        take_out(self._root)

    def _keep_what_scripts_reveal(self) -> None:
        """Half a page and more that waits for a script in many parts is the page, not a text kept from its readers."""
        waiting = sum(len(collapse(" ".join(_own_parts(element)))) for element in self._waiting)
        waiting += sum(len(text_of(element)) for element, how in self._gone if how == "opacity")
        if waiting >= _MIN_PAGE_CHARS and waiting * 2 >= self._chars_of_page():
            self.uncertain |= not self._is_whole_page(*self._waiting, *(e for e, how in self._gone if how == "opacity"))
            self._waiting = []
            self._gone = [(element, how) for element, how in self._gone if how != "opacity"]
        self._keep_entrances()

    def _keep_entrances(self) -> None:
        """A good part of a page, or its heading, in parts that fade in one by one is page as well."""
        entering = {element for element, how in self._gone if how == "opacity" and self._entrances.has(element)}
        letters = sum(len(text_of(element)) for element in entering)
        headed = any(next(element.iter("h1"), None) is not None for element in entering)
        large = letters >= _MIN_PAGE_CHARS and letters >= self._chars_of_page() * _ENTERING
        if len(entering) >= _MIN_ENTRANCES and (large or headed):
            self.uncertain = True
            self._gone = [(element, how) for element, how in self._gone if element not in entering]

    def _is_interface(self, element: Element, technique: Technique, hidden: set[Element]) -> bool:
        if technique == "opacity" and self._entrances.has(element):
            return True
        return self._interface.holds(element, technique, hidden)

    def _judge(self, element: Element, look: Look, parent: State) -> tuple[Look, Technique | None]:
        technique = look.technique
        faded = technique in _REVEALED or (parent.visible and not look.state.visible)
        if faded and self._share_of_page(element) >= (_HALF if element.tag != "main" else _MAIN):
            self.uncertain |= not self._is_whole_page(element)
            technique, look = None, look.shown()
        if technique in TECHNIQUES and (label := self._label_of(element)) is not None:
            self._opened.append((element, label))
            technique = None
        if technique is None and look.covers:
            self._covers.append(element)
            if look.state.background is not None:
                self._cover_colours[element] = look.state.background
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

    def _share_of_page(self, element: Element) -> float:
        """How much of the page stands in this element; 0 for what is too short to be one.

        A wrapper with half of it is a page that scripts or late sheets fade in, not a part that is kept from its readers.
        """
        if self._weighed > _MAX_WEIGHED_CHARS:
            return 0.0
        letters = len(text_of(element))
        self._weighed += letters
        return letters / self._chars_of_page() if letters >= _MIN_PAGE_CHARS else 0.0

    def _is_whole_page(self, *waiting: Element) -> bool:
        """Whether nothing but the frame of a page stands around what waits: hidden like this it would have no readers, as if the
        body were hidden."""
        outside, inside = 0, frozenset(waiting)
        self._weighed += self._chars_of_page()
        walker = etree.iterwalk(self._root, events=("start",))
        for _, element in walker:
            if element in inside or element.tag in _SHELL or is_control(element):
                walker.skip_subtree()
            else:
                outside += sum(len(collapse(part)) for part in _own_parts(element))
        return outside <= _SHELL_CHARS

    def _own_text(self, element: Element, look: Look) -> None:
        if look.own_text is None or not any(part.strip() for part in _own_parts(element)):
            return
        state = look.state
        on_default = state.background_is_default and (state.fill or state.colour).alpha > 0.5
        if look.own_text == "colour" and self._external and on_default:
            parts = () if self._interface.is_control_text(element) else map(collapse, _own_parts(element))
            self.doubtful += filter(None, parts)
        elif look.own_text == "visibility":
            self._waiting.append(element)
        elif look.own_text == "colour" and on_default:
            self._faint.append((element, state))
        else:
            self._set_own_text_aside(element, look.own_text)

    def _set_faint_text_aside(self) -> None:
        """All faint text but that in front of a box that is laid behind it in another colour."""
        behind: dict[Element, Colour] = {}
        for cover, painted in list(self._cover_colours.items())[:_MAX_LAYERS] if self._faint else ():
            place = cover.getparent() if not _has_text(cover) else None
            while place is not None and not _has_text(place):
                place = place.getparent()
            if place is not None:
                behind[place] = painted
        for element, state in self._faint:
            painted_behind = self._painted_behind(element, behind) if behind else None
            if painted_behind is None or is_faint(state.fill or state.colour, painted_behind):
                self._set_own_text_aside(element, "colour")

    def _painted_behind(self, element: Element, behind: dict[Element, Colour]) -> Colour | None:
        for above in element.iterancestors():
            self._steps += 1
            if self._steps > _MAX_STEPS:
                return None
            if above in behind:
                return behind[above]
        return None

    def _set_own_text_aside(self, element: Element, technique: Technique) -> None:
        waits = technique in OWN_TEXT and self._interface.is_control_text(element)
        self._shelf.put("interface" if waits else technique, " ".join(_own_parts(element)))
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


def _has_text(element: Element) -> bool:
    return any(str(part).strip() for part in element.itertext(etree.Element))


def _own_parts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield child.tail or ""
