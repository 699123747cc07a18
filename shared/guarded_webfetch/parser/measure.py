"""Letters and link letters of every element, counted once, bottom-up: every later question about size is a look-up."""

from typing import Final, NamedTuple

from lxml import etree

from guarded_webfetch.parser.tree import Element, tag_of

_UNREAD: Final = frozenset(("script", "style", "head", "button", "select", "textarea"))


class Size(NamedTuple):
    """Letters below an element, how many of them stand in links, and how many links there are."""

    letters: int
    link_letters: int
    links: int

    @property
    def link_share(self) -> float:
        return self.link_letters / self.letters if self.letters else 0.0


NOTHING: Final = Size(0, 0, 0)


def letters_in(text: str | None) -> int:
    """Characters that are not white space."""
    return sum(map(len, text.split())) if text else 0


def measure(root: Element) -> dict[Element, Size]:
    """The size of every element of the tree."""
    sizes: dict[Element, Size] = {}
    stack: list[list[int]] = [[0, 0, 0]]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            stack.append([letters_in(element.text), 0, 0])
            continue
        own = stack.pop()
        tag = tag_of(element)
        if tag in _UNREAD:
            own = [0, 0, 0]
        elif tag == "a":
            own[1:] = own[0], own[2] + 1
        sizes[element] = Size(own[0], own[1], own[2])
        above = stack[-1]
        above[0] += own[0] + letters_in(element.tail)
        above[1] += own[1]
        above[2] += own[2]
    return sizes
