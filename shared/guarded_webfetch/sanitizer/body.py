"""The blocks of a page as passages: cleaned, then edited, then printed. A table is one block with a passage per cell."""

from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.core.limits import MAX_TEXT_CHARS
from guarded_webfetch.core.messages import Block, SanitizeOrder
from guarded_webfetch.sanitizer.tally import Tally
from guarded_webfetch.text.code_stretches import RENDERED_LANGUAGES
from guarded_webfetch.text.edits import Passage
from guarded_webfetch.text.graphemes import boundary

# Links shrink to placeholders, so more than the limit may fit; text beyond this is dropped before it is matched.
MAX_CLEANED_CHARS: Final = 2 * MAX_TEXT_CHARS


class Part:
    """One block; `passages` are its text, or the cells of a table row by row. `matched`: a rule found something in it."""

    __slots__ = ("block", "matched", "passages")  # no dataclass: that module loads `inspect`, at 6 ms a page

    def __init__(self, block: Block, passages: list[Passage]) -> None:
        self.block = block
        self.passages = passages
        self.matched = False

    @property
    def is_code(self) -> bool:
        return self.block["kind"] == "code" and self.block.get("language", "") not in RENDERED_LANGUAGES

    @property
    def heading(self) -> int:
        """The level of a heading, 0 for everything else."""
        return self.block.get("level", 1) if self.block["kind"] == "heading" else 0


class Body:
    """The parts in reading order. `truncated`: further blocks were dropped."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.truncated = False

    def passages(self) -> Iterator[tuple[Part, int]]:
        """Every passage by its place, in reading order."""
        for part in self.parts:
            for number in range(len(part.passages)):
                yield part, number


def clean_body(order: SanitizeOrder, tally: Tally) -> Body:
    """All blocks without invisible characters, as far as they can be delivered."""
    body = Body()
    length = 0
    for block in order["blocks"]:
        if length > MAX_CLEANED_CHARS:
            body.truncated = True
            break
        passages = [tally.clean(_short(passage)) for passage in _passages(block)]
        body.truncated = body.truncated or any(len(passage.text) > MAX_CLEANED_CHARS for passage in _passages(block))
        length += sum(len(passage.text) for passage in passages)
        if any(passage.text for passage in passages) or block["kind"] == "rule":
            body.parts.append(Part(block, passages))
    return body


def _short(passage: Passage) -> Passage:
    """The part of a passage that can be delivered at all: a file of 3 MB may be one passage."""
    if len(passage.text) <= MAX_CLEANED_CHARS:
        return passage
    end = boundary(passage.text, MAX_CLEANED_CHARS)
    spans = [(kind, first, min(last, end), argument) for kind, first, last, argument in passage.spans if first < end]
    return passage._replace(text=passage.text[:end], spans=spans)


def _passages(block: Block) -> Sequence[Passage]:
    if block["kind"] == "table":
        return [Passage(cell["text"], cell["spans"]) for row in block.get("rows", []) for cell in row]
    return [Passage(block["text"], block["spans"])]
