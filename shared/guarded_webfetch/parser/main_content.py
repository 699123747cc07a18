"""Which blocks of a page are its content.

Rules name a structural candidate: the main part without what stands around and between it (`structural`). A small forest judges the
blocks one by one, from sizes, links and what the rules say (`forest`), and the blocks are kept that promise the best result as a
whole. Where that finds next to nothing, or the page is too large to look at each block, the candidate stands; a page without a
candidate is delivered whole. Nothing is lost silently: `kept_permille` says how much of the visible text was kept.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import Final, Literal, NamedTuple

from guarded_webfetch.core.messages import Block
from guarded_webfetch.parser import structural
from guarded_webfetch.parser.block_features import PageFeatures, line_of
from guarded_webfetch.parser.blocks import BlockWriter
from guarded_webfetch.parser.forest import CONTENT
from guarded_webfetch.parser.inline import is_permalink
from guarded_webfetch.parser.links import Hrefs, LinkTable, number_links
from guarded_webfetch.parser.measure import NOTHING, measure
from guarded_webfetch.parser.structural import MIN_LETTERS
from guarded_webfetch.parser.surroundings import rulings
from guarded_webfetch.parser.tree import Element, remove

_MAX_JUDGED_BLOCKS: Final = 5_000  # 40 microseconds each; a long page has 1,500
_MIN_JUDGED_LETTERS: Final = (
    1_000  # in a short text a block more or less is much, and there is little to compare it with
)
_SENTENCE_LETTERS: Final = 20
_LEAST_SHARE: Final = 0.1  # of the candidate: a judgement that keeps less has understood nothing
_CANDIDATE_PART: Final = 0.1  # how much the rules say beside the forest; more and less are worse in cross-validation
_KEPT_KINDS: Final = frozenset(("code", "table"))  # inside the candidate they always stay

Extractor = Literal["structural", "whole_body"]


class Content(NamedTuple):
    """The chosen blocks, who chose them, the share of the visible letters in them, and their letters outside links."""

    blocks: list[Block]
    extractor: Extractor
    kept_permille: int
    plain_letters: int


class Page:
    """All blocks of a body in order, and what the rules say about each."""

    def __init__(self, body: Element, hrefs: Hrefs) -> None:
        self._body = body
        self._sizes = measure(body)
        candidate = structural.find(body, self._sizes)
        self._main_is_body = candidate.root is body
        writer = BlockWriter(hrefs)
        self.blocks = writer.write(body)
        self.lines = [line_of(block) for block in self.blocks]
        self._owners = writer.owners
        found = rulings(body, candidate)
        self._rulings = [found.of(owner) for owner in writer.owners]
        self.in_candidate = [ruling.is_candidate for ruling in self._rulings]
        title = next((heading for heading in body.iter("h1") if self._sizes.get(heading, NOTHING).letters), None)
        self.title = next((index for index, owner in enumerate(writer.owners) if owner is title), None)

    def letters(self, keep: Sequence[bool] | None = None) -> int:
        """The letters of the blocks that are kept, or of all."""
        return sum(line.letters for line, is_kept in zip(self.lines, keep or repeat(True), strict=False) if is_kept)

    def with_plain_text(self) -> list[bool]:
        """The candidate and all sentences beside its main part: on a short page they are as likely content."""
        return [
            ruling.is_candidate
            or (ruling.is_beside and line.letters >= _SENTENCE_LETTERS and line.links * 2 < line.letters)
            for line, ruling in zip(self.lines, self._rulings, strict=True)
        ]

    def features(self) -> list[tuple[float, ...] | None]:
        """The values of FEATURES for each block; None for chrome and blocks without text, which are not judged."""
        page = PageFeatures(self.blocks, self.lines, self._owners, self._body, self._sizes)
        return [
            page.of(index, ruling, main_is_body=self._main_is_body) if line.letters and not ruling.chrome else None
            for index, (line, ruling) in enumerate(zip(self.lines, self._rulings, strict=True))
        ]


def choose(body: Element, links: LinkTable) -> Content:
    """The content of `body`, which must hold visible text only."""
    prepare(body)
    hrefs = Hrefs()
    page = Page(body, hrefs)
    keep = _kept(page)
    extractor: Extractor = "structural"
    if keep is None:
        keep, extractor = [True] * len(page.blocks), "whole_body"
    blocks = [block for block, is_kept in zip(page.blocks, keep, strict=True) if is_kept]
    number_links(blocks, hrefs, links)
    whole, part = page.letters(), page.letters(keep)
    plain = sum(line.letters - line.links for line, is_kept in zip(page.lines, keep, strict=True) if is_kept)
    return Content(blocks, extractor, part * 1000 // whole if whole else 0, plain)


def _kept(page: Page) -> list[bool] | None:
    """Which blocks are content; None when nothing looks like it."""
    ruled = page.letters(page.in_candidate)
    if ruled < MIN_LETTERS and ruled * 2 < page.letters():
        return None
    if ruled < _MIN_JUDGED_LETTERS:
        return page.with_plain_text()
    if len(page.blocks) > _MAX_JUDGED_BLOCKS:
        return page.in_candidate
    judged = kept_of(page, [None if values is None else CONTENT.probability(values) for values in page.features()])
    return judged if page.letters(judged) >= ruled * _LEAST_SHARE else page.in_candidate


def kept_of(page: Page, probabilities: Sequence[float | None]) -> list[bool]:
    """Which blocks to keep, given how likely each is content."""
    odds = [0.0] * len(page.blocks)
    for index, (block, probability) in enumerate(zip(page.blocks, probabilities, strict=True)):
        if (page.in_candidate[index] and block["kind"] in _KEPT_KINDS) or index == page.title:
            odds[index] = 1.0
        elif probability is not None:
            odds[index] = (1 - _CANDIDATE_PART) * probability + _CANDIDATE_PART * page.in_candidate[index]
    for index in range(len(odds) - 2, -1, -1):
        if page.in_candidate[index] and page.blocks[index]["kind"] == "heading":
            odds[index] = max(odds[index], odds[index + 1])  # a heading stays with what begins below it
    least = least_odds([line.letters for line in page.lines], odds)
    keep = [value >= least for value in odds]
    for index, line in enumerate(page.lines):
        if page.blocks[index]["kind"] == "heading" and page.in_candidate[index] and not line.links:
            keep[index] = True  # the outline of a text is worth more than a heading too many
        if not line.letters:  # a rule, the mark of a part that opens: with what stands around it
            keep[index] = any(keep[max(0, index - 1) : index]) and any(keep[index + 1 : index + 2])
    return keep


def least_odds(letters: Sequence[int], odds: Sequence[float]) -> float:
    """The probability from which blocks are kept so that the F1 to expect of their letters is greatest.

    With blocks in falling order, F1 = 2 * expected content kept / (letters kept + all expected content).
    """
    total = sum(count * value for count, value in zip(letters, odds, strict=True))
    best, least = -1.0, 1.0
    kept = content = 0.0
    for value, count in sorted(zip(odds, letters, strict=True), reverse=True):
        kept += count
        content += count * value
        if count and 2 * content > best * (kept + total):
            best, least = 2 * content / (kept + total), value
    return least


def prepare(body: Element) -> None:
    """Makes headings and forms plain, in place."""
    _plain_headings(body)
    _plain_forms(body)


def _plain_headings(body: Element) -> None:
    """Headings without the links to themselves (a linked heading is taken for navigation), and not inside the button that opens
    what stands below them, or around it: a button is left out, its heading is text."""
    for heading in body.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        for button in heading.iter("button"):
            button.tag = "span"
        if (around := heading.getparent()) is not None and around.tag == "button":
            around.tag = "div"
        for anchor in list(heading.iter("a")):
            if is_permalink(anchor):
                remove(anchor)
            elif (anchor.get("href") or "").startswith("#"):
                anchor.tag = "span"


def _plain_forms(body: Element) -> None:
    """Whole pages stand in a form. Controls are left out by the writer."""
    for form in list(body.iter("form")):
        form.tag = "div"
