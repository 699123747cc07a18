"""Letters and link letters of every element, counted once, bottom-up: every later question about size is a look-up."""

from collections.abc import Collection
from typing import Final, NamedTuple

from lxml import etree

from guarded_webfetch.parser.tree import Element

_UNREAD: Final = frozenset(("script", "style", "head", "button", "select", "textarea"))


class Size(NamedTuple):
    """Letters below an element, how many of them stand in links, and how many links there are."""

    letters: int
    link_letters: int
    links: int

    @property
    def link_share(self) -> float:
        return self.link_letters / self.letters if self.letters else 0.0

    @property
    def plain_letters(self) -> int:
        return self.letters - self.link_letters


NOTHING: Final = Size(0, 0, 0)
Sizes = dict[Element, Size]  # children before their parents


def letters_in(text: str | None) -> int:
    """Characters that are not white space."""
    return len("".join(text.split())) if text else 0


def measure(root: Element) -> Sizes:
    """The size of every element of the tree."""
    sizes: Sizes = {}
    open_sums: dict[Element, list[int]] = {}
    for element in reversed(list(root.iter(etree.Element))):
        letters, link_letters, links = open_sums.pop(element, (0, 0, 0))
        tag = element.tag
        if tag in _UNREAD:
            letters = link_letters = links = 0
        else:
            letters += letters_in(element.text)
            if tag == "a":
                link_letters, links = letters, links + 1
        sizes[element] = Size(letters, link_letters, links)
        above = element.getparent()
        if element is root or above is None:
            continue
        sums = open_sums.setdefault(above, [0, 0, 0])
        sums[0] += letters + letters_in(element.tail)
        sums[1] += link_letters
        sums[2] += links
    return sizes


def without(sizes: Sizes, gone: Collection[Element]) -> Sizes:
    """The sizes as if the elements `gone` and all below them were not there. No text is counted again."""
    if not gone:
        return sizes
    left_out, outer = set(gone), set(gone)
    for element in reversed(sizes):  # parents before their children
        if element.getparent() in left_out:
            left_out.add(element)
            outer.discard(element)
    lost: dict[Element, list[int]] = {}
    left: Sizes = {}
    for element, size in sizes.items():
        if element in left_out:
            missing = list(size) if element in outer else None
        else:
            missing = lost.pop(element, None)
            left[element] = size if missing is None else _less(element, size, missing)
        if missing is not None and (above := element.getparent()) is not None:
            sums = lost.setdefault(above, [0, 0, 0])
            for place, value in enumerate(missing):
                sums[place] += value
    return left


def _less(element: Element, size: Size, missing: list[int]) -> Size:
    if element.tag == "a":
        missing[1] = missing[0]
    return Size(size.letters - missing[0], size.link_letters - missing[1], size.links - missing[2])
