"""Letters and link letters of every element, counted once, bottom-up: every later question about size is a look-up."""

from collections.abc import Collection
from typing import Final, NamedTuple

from lxml import etree

from guarded_webfetch.parser.tree import Element

_UNREAD: Final = frozenset(("script", "style", "head", "button", "select", "textarea"))


class Size(NamedTuple):
    """Letters below an element, how many of them stand in links, how many links there are, and levels of elements below."""

    letters: int
    link_letters: int
    links: int
    height: int = 0

    @property
    def link_share(self) -> float:
        return self.link_letters / self.letters if self.letters else 0.0

    @property
    def plain_letters(self) -> int:
        return self.letters - self.link_letters


NOTHING: Final = Size(0, 0, 0)
Sizes = dict[Element, Size]


def letters_in(text: str | None) -> int:
    """Characters that are not white space."""
    return len("".join(text.split())) if text else 0


def measure(root: Element, without: Collection[Element] = ()) -> Sizes:
    """The size of every element of the tree, as if the elements `without` and all below them were not there."""
    sizes: Sizes = {}
    open_sums: dict[Element, list[int]] = {}
    for element in reversed(_elements(root, without)):
        letters, link_letters, links, height = open_sums.pop(element, (0, 0, 0, 0))
        tag = element.tag
        if tag in _UNREAD:
            letters = link_letters = links = 0
        else:
            letters += letters_in(element.text)
            if tag == "a":
                link_letters, links = letters, links + 1
        sizes[element] = Size(letters, link_letters, links, height)
        above = element.getparent()
        if element is root or above is None:
            continue
        sums = open_sums.setdefault(above, [0, 0, 0, 0])
        sums[0] += letters + letters_in(element.tail)
        sums[1] += link_letters
        sums[2] += links
        sums[3] = max(sums[3], height + 1)
    return sizes


def _elements(root: Element, without: Collection[Element]) -> list[Element]:
    if not without:
        return list(root.iter(etree.Element))
    kept: list[Element] = []
    gone = set(without)
    for element in root.iter(etree.Element):
        if element in gone or (element is not root and element.getparent() in gone):
            gone.add(element)
        else:
            kept.append(element)
    return kept
