"""One look at every element of a page before its style is judged: the names it has, and the elements that need a closer look."""

from typing import Final

from lxml import etree

from guarded_webfetch.parser.disclosure import REFERRING
from guarded_webfetch.parser.tree import Element

TEXT_ATTRIBUTES: Final = ("alt", "title", "aria-label", "aria-description", "placeholder", "summary", "label")
_TEXT_ATTRIBUTES: Final = frozenset((*TEXT_ATTRIBUTES, "popover"))


class Survey:
    """Names of a page, and its elements that may have to leave it, hold text in an attribute, or control another one."""

    def __init__(self, root: Element, tags: frozenset[str]) -> None:
        self.class_values: set[str] = set()
        self.ids: set[str] = set()
        self.attributes: set[str] = set()
        self.judged: list[Element] = []  # with one of `tags`, or with text in an attribute
        self.referring: list[Element] = []
        for element in root.iter(etree.Element):
            items: list[tuple[str, str]] = element.items()  # type: ignore[assignment]  # HTML text is str
            wanted = element.tag in tags
            refers = False
            for name, value in items:
                if name == "class":
                    self.class_values.add(value)
                elif name == "id":
                    self.ids.add(value)
                else:
                    self.attributes.add(name)
                    wanted = wanted or name in _TEXT_ATTRIBUTES
                    refers = refers or name in REFERRING
            if wanted:
                self.judged.append(element)
            if refers:
                self.referring.append(element)
