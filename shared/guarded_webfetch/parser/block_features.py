"""What is known about each block of a page beside its words: sizes, links, what stands around it, where it stands.

Everything is counted from the sizes of `measure` and in one pass over the blocks, so the time grows with the page and no faster.
The names and their order are those of the forest that was trained on them (`content_forest.json`).
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Block, Span
from guarded_webfetch.parser.measure import NOTHING, Size, Sizes
from guarded_webfetch.parser.surroundings import Ruling, levels, ways
from guarded_webfetch.parser.tree import Element

FEATURES: Final = (
    # the block itself
    "kind", "level", "letters", "link_share", "digit_share", "capital_share", "copies",
    # the elements around it: letters, share of the page, share of links
    "around1_letters", "around1_share", "around1_links", "around2_letters", "around2_share", "around2_links",
    "around3_letters", "around3_share", "around3_links", "around4_letters", "around4_links",
    # where the paragraphs are densest, and the way from there
    "paragraphs", "centre_steps", "centre_up", "centre_share", "centre_links",
    # the first heading, and the way from there
    "title_steps", "title_up", "title_share", "title_links", "title_before",
    # the blocks before and after it
    "before_letters", "after_letters", "near_letters", "near_links", "far_letters", "far_links",
    "prose_near", "prose_before", "prose_after", "heading_before", "heading_letters",
    # blocks made like it: items of a menu, cards, posts
    "alike", "alike_letters", "alike_links", "alike_share",
    # where it stands
    "place", "place_letters", "rest", "depth", "main", "main_is_body", "comments", "teaser", "repeated", "menu",
    "to_main", "to_footer", "to_comment", "to_overlay", "to_product", "to_section", "to_foot", "to_content",
    # the page
    "page_letters", "page_blocks", "page_prose", "page_longest", "page_average", "page_links", "page_headings", "page_prices",
    "page_dates",
)  # fmt: skip

_KINDS: Final = ("paragraph", "heading", "item", "code", "table", "details", "rule", "page")
_PRICE: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[€£円]")
_DATE: Final = re.compile(r"\b(?:19|20)\d\d\b|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")
_LOOKED_AT: Final = 300
_PROSE_LETTERS: Final = 150
_PROSE_LINKS: Final = 0.4
_NEAR: Final = 5  # blocks to either side
_FAR: Final = 20
_ALIKE_LEVELS: Final = 3


class Line(NamedTuple):
    """One block as the features see it: its text, its characters and those in links."""

    text: str
    letters: int
    links: int

    @property
    def link_share(self) -> float:
        return self.links / self.letters if self.letters else 0.0

    @property
    def is_prose(self) -> bool:
        return self.letters > _PROSE_LETTERS and self.links < self.letters * _PROSE_LINKS


def line_of(block: Block) -> Line:
    """The text of a block, the cells of a table one after the other."""
    if block["kind"] != "table":
        return Line(block["text"], len(block["text"]), _linked(block["spans"]))
    cells = [cell for row in block.get("rows", []) for cell in row]
    text = " ".join(cell["text"] for cell in cells)
    return Line(text, len(text), sum(_linked(cell["spans"]) for cell in cells))


def _linked(spans: Sequence[Span]) -> int:
    return sum(end - start for kind, start, end, _ in spans if kind == "link")


class PageFeatures:
    """The features of the blocks of one page. `owners[i]` is the element block i was written from."""

    def __init__(
        self, blocks: Sequence[Block], lines: Sequence[Line], owners: Sequence[Element], body: Element, sizes: Sizes
    ) -> None:
        self._blocks, self._lines, self._owners, self._body, self._sizes = blocks, lines, owners, body, sizes
        self._total = max(1, sizes[body].letters)
        self._sums = [0, *accumulate(line.letters for line in lines)]
        self._link_sums = [0, *accumulate(line.links for line in lines)]
        self._prose = [index for index, line in enumerate(lines) if line.is_prose]
        self._headings = [index for index, block in enumerate(blocks) if block["kind"] == "heading"]
        self._copies = Counter(line.text for line in lines)
        self._count_forms()
        self._scores = self._paragraph_scores()
        self._best = max(self._scores.values(), default=1.0)
        self._page = self._of_page()
        self._levels = levels(body)
        title = next((heading for heading in body.iter("h1") if sizes.get(heading, NOTHING).letters), None)
        self._title = next((index for index in self._headings if owners[index] is title), -1)
        self._from_title = ways(body, title)
        self._from_centre = ways(body, max(self._scores, key=self._scores.__getitem__, default=body))

    def of(self, index: int, ruling: Ruling, *, main_is_body: bool) -> tuple[float, ...]:
        """The values of FEATURES for one block."""
        owner = self._owners[index]
        depth, *names = self._levels.of(owner)
        title, centre = self._from_title.of(owner), self._from_centre.of(owner)
        return (
            *self._of_block(index),
            *self._of_elements(owner),
            self._paragraphs(owner),
            centre.steps,
            centre.up,
            *self._of_branch(centre.branch),
            title.steps,
            title.up,
            *self._of_branch(title.branch),
            index - self._title if self._title >= 0 else 999,
            *self._of_neighbours(index),
            *self._of_form(index),
            index / len(self._lines),
            self._sums[index] / max(1, self._sums[-1]),
            len(self._lines) - index,
            depth,
            ruling.inside,
            main_is_body,
            *ruling.left_out,
            *names,
            *self._page,
        )

    def _of_block(self, index: int) -> tuple[float, ...]:
        block, line = self._blocks[index], self._lines[index]
        words = line.text.split()
        capital = sum(word[0].isupper() for word in words) / max(1, len(words))
        digits = sum(map(line.text.count, "0123456789")) / max(1, line.letters)
        kind = _KINDS.index(block["kind"])
        return kind, block.get("level", 0), line.letters, line.link_share, digits, capital, self._copies[line.text]

    def _of_elements(self, owner: Element) -> list[float]:
        values: list[float] = []
        element = owner
        for level in range(1, 5):
            above = element.getparent()
            if element is not self._body and above is not None:
                element = above
            size = self._sizes.get(element, NOTHING)
            share = [size.letters / self._total] if level < 4 else []
            values += [_log(size.letters), *share, size.link_share]
        return values

    def _of_branch(self, branch: Element | None) -> tuple[float, float]:
        size: Size = NOTHING if branch is None else self._sizes.get(branch, NOTHING)
        return size.letters / self._total, size.link_share

    def _paragraph_scores(self) -> dict[Element, float]:
        """As readability does: each paragraph counts for the element around it, and by half for the one around that."""
        scores: dict[Element, float] = {}
        for owner, line in zip(self._owners, self._lines, strict=True):
            if line.letters <= 40 or line.links * 2 >= line.letters:
                continue
            above = owner.getparent() if owner is not self._body else None
            further = above.getparent() if above is not None and above is not self._body else None
            for element, weight in ((above, 1.0), (further, 0.5)):
                if element is not None:
                    scores[element] = scores.get(element, 0.0) + weight * (line.letters - line.links)
        return scores

    def _paragraphs(self, owner: Element) -> float:
        above = owner.getparent()
        further = above.getparent() if above is not None else None
        found = (self._scores.get(element, 0.0) for element in (above, further) if element is not None)
        return max(found, default=0.0) / self._best

    def _of_neighbours(self, index: int) -> tuple[float, ...]:
        last = len(self._lines) - 1
        before = self._lines[index - 1].letters if index else -1
        after = self._lines[index + 1].letters if index < last else -1
        place = bisect_left(self._prose, index)
        near = min((abs(other - index) for other in self._prose[max(0, place - 1) : place + 1]), default=999)
        heading = bisect_left(self._headings, index + 1) - 1
        at = self._headings[heading] if heading >= 0 else None
        return (
            before,
            after,
            *self._window(index, _NEAR),
            *self._window(index, _FAR),
            near,
            place,
            len(self._prose) - place,
            99 if at is None else index - at,
            -1 if at is None else self._lines[at].letters,
        )

    def _window(self, index: int, reach: int) -> tuple[float, float]:
        start, end = max(0, index - reach), min(len(self._lines), index + reach + 1)
        letters = self._sums[end] - self._sums[start]
        return _log(letters), (self._link_sums[end] - self._link_sums[start]) / max(1, letters)

    def _count_forms(self) -> None:
        self._forms = [self._form(index) for index in range(len(self._blocks))]
        self._alike = Counter(self._forms)
        self._alike_letters: Counter[object] = Counter()
        self._alike_links: Counter[object] = Counter()
        for form, line in zip(self._forms, self._lines, strict=True):
            self._alike_letters[form] += line.letters
            self._alike_links[form] += line.links

    def _form(self, index: int) -> object:
        """Tags and classes of the block and what is around it: equal for what one template wrote."""
        form: list[object] = [self._blocks[index]["kind"]]
        element: Element | None = self._owners[index]
        for _ in range(_ALIKE_LEVELS):
            if element is None or element is self._body:
                break
            form += [element.tag, element.get("class")]
            element = element.getparent()
        return tuple(form)

    def _of_form(self, index: int) -> tuple[float, ...]:
        form = self._forms[index]
        letters = self._alike_letters[form]
        share = self._alike_links[form] / max(1, letters)
        return self._alike[form], _log(letters / self._alike[form]), share, letters / max(1, self._sums[-1])

    def _of_page(self) -> tuple[float, ...]:
        letters = max(1, self._sums[-1])
        starts = [line.text[:_LOOKED_AT] for line in self._lines]
        return (
            _log(self._total),
            _log(len(self._lines)),
            sum(line.letters for line in self._lines if line.is_prose) / letters,
            _log(max((line.letters for line in self._lines), default=0)),
            _log(letters / max(1, len(self._lines))),
            self._sizes[self._body].link_share,
            _log(sum(block["kind"] == "heading" for block in self._blocks)),
            _log(sum(bool(_PRICE.search(start)) for start in starts)),
            _log(sum(bool(_DATE.search(start)) for start in starts)),
        )


def _log(value: float) -> float:
    return math.log2(1 + value)
