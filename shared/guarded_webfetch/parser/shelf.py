"""Where hidden text is set aside, and elements that leave the page with it."""

from typing import Final

from lxml import etree

from guarded_webfetch.core.limits import MAX_HIDDEN_CHARS
from guarded_webfetch.core.messages import Hidden, Technique
from guarded_webfetch.core.verdict import CONCEALING
from guarded_webfetch.parser.clean import collapse
from guarded_webfetch.parser.tree import Element, text_of

_MAX_ITEM_CHARS: Final = 4_000
_MAX_COMPARED: Final = 500
_LEAVING: Final = "gwf-leaving"


class Shelf:
    """Hidden text set aside, within its limit."""

    def __init__(self) -> None:
        self.items: list[Hidden] = []
        self._left = MAX_HIDDEN_CHARS

    def put(self, technique: Technique, text: str) -> None:
        """Keeps the beginning of `text` when there is any."""
        text = collapse(text[: 2 * _MAX_ITEM_CHARS])[: min(_MAX_ITEM_CHARS, self._left)]
        if text:
            self._left -= len(text)
            self.items.append({"technique": technique, "text": text})

    def pass_copies(self, root: Element) -> None:
        """What people can read elsewhere on the page as well (the double behind an effect, the repeated end of a ticker) is not kept
        from them: it counts as interface. `root` holds the visible text alone."""
        concealed = [item for item in self.items if item["technique"] in CONCEALING][:_MAX_COMPARED]
        visible = text_of(root) if concealed else ""
        for item in concealed:
            if item["text"] in visible:
                item["technique"] = "interface"


def mark(element: Element) -> None:
    """Marks `element` to leave: taking out many at once is linear, one at a time copies the text between them each time."""
    element.tag = _LEAVING


def take_out(root: Element) -> None:
    """Takes everything marked out of the tree; the text after it stays in place."""
    etree.strip_elements(root, _LEAVING, with_tail=False)
