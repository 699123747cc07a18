"""A draft as blocks of styled text, and what both readers of drafts (HTML and Markdown) build them with.

A draft comes from a model that has read hostile pages. Nothing of its markup goes through: the readers keep the words and the
few kinds of structure below, and the page is written anew from them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import Final, Literal, NamedTuple

Kind = Literal["p", "h2", "h3", "li", "pre", "blockquote", "row"]
Style = Literal["strong", "em", "code"]
OPTIONAL_KINDS: Final = ("code", "pre", "blockquote", "table")
MAX_LIST_DEPTH: Final = 6


class Styled(NamedTuple):
    """text[start:end] of a block stands in this style."""

    start: int
    end: int
    style: Style


class Item(NamedTuple):
    """text[place] stands for the item of that number."""

    place: int
    number: int


class Block(NamedTuple):
    """`depth` counts from 0 and, like `ordered`, belongs to list items; a row's cells are divided by tabs."""

    kind: Kind
    text: str
    styles: Sequence[Styled] = ()
    depth: int = 0
    ordered: bool = False
    items: Sequence[Item] = ()


class Piece(NamedTuple):
    """A stretch of a block without a border inside; `number` is that of the item it stands for."""

    text: str
    styles: Set[Style]
    number: int | None


def pieces(block: Block) -> Iterator[Piece]:
    """The block from border to border, in one pass however many styles it has."""
    numbers = {item.place: item.number for item in block.items}
    changes: dict[int, list[tuple[Style, int]]] = {0: [], len(block.text): []}
    for style in block.styles:
        changes.setdefault(style.start, []).append((style.style, 1))
        changes.setdefault(style.end, []).append((style.style, -1))
    for at in numbers:
        changes.setdefault(at, [])
        changes.setdefault(at + 1, [])
    depth: Counter[Style] = Counter()
    for start, end in pairwise(sorted(changes)):
        for kind, change in changes[start]:
            depth[kind] += change
        yield Piece(block.text[start:end], {kind for kind in depth if depth[kind] > 0}, numbers.get(start))


class BlockBuilder:
    """Collects text and styles until a block ends. Blank blocks leave nothing."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._length = 0
        self._styles: list[Styled] = []
        self._open: list[tuple[Style, int]] = []
        self._kind: Kind = "p"
        self._depth = 0
        self._ordered = False

    def begin(self, kind: Kind, depth: int = 0, ordered: bool = False) -> None:
        """Ends the block so far; what follows belongs to a new one."""
        self.end()
        self._kind, self._depth, self._ordered = kind, min(depth, MAX_LIST_DEPTH), ordered

    def end(self) -> None:
        """What follows is a paragraph until `begin` says otherwise."""
        reopened = [style for style, _ in self._open]
        for style in reversed(reopened):
            self.close(style)
        text = "".join(self._parts)
        if text.strip():
            self.blocks.append(Block(self._kind, text, tuple(self._styles), self._depth, self._ordered))
        self._parts, self._length, self._styles = [], 0, []
        self._kind = "p"
        for style in reopened:
            self.open(style)

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def open(self, style: Style) -> None:
        if len(self._open) < len(("strong", "em", "code")) * 2:
            self._open.append((style, self._length))

    def close(self, style: Style) -> None:
        for at in reversed(range(len(self._open))):
            if self._open[at][0] == style:
                _, start = self._open.pop(at)
                if start < self._length:
                    self._styles.append(Styled(start, self._length, style))
                return
