"""Where the content of a page is: readability's answer, a structural one beside it, the whole body last.

readability alone drops most of 40 pages in 511, without an error, outside news articles. The rule that chooses was fitted on a
development sample; its thresholds are the constants below.
"""

from collections import Counter
from typing import Final, Literal, NamedTuple

from guarded_webfetch.parser import readable, structural
from guarded_webfetch.parser.inline import is_permalink
from guarded_webfetch.parser.measure import Sizes, measure
from guarded_webfetch.parser.structural import MIN_LETTERS
from guarded_webfetch.parser.tree import Element, drop_all, remove, tag_of

_READABILITY_SHARE: Final = 0.5  # of the structural candidate's letters
_TOO_MUCH: Final = 1.6  # times the structural candidate: readability took the page's chrome along
_SHORT_PAGE_LETTERS: Final = 600  # readability weighs paragraphs against each other; here there are none to weigh
_HEADING_SHARE: Final = 0.3
_ITEM_SHARE: Final = 0.7
_ITEM_LINKS: Final = 0.5  # an item with more link text than this belongs to a menu
_MAX_READABILITY_ELEMENTS: Final = 60_000  # its time grows faster than the page beyond
_MAX_READABILITY_DEPTH: Final = 400

Extractor = Literal["readability", "structural", "whole_body"]


class Content(NamedTuple):
    """The chosen tree, who chose it, the share of the visible letters in it, and its letters outside links."""

    root: Element
    extractor: Extractor
    kept_permille: int
    plain_letters: int


class _Facts(NamedTuple):
    letters: int
    code: int
    tables: int
    headings: int
    titles: int  # h1
    items: int
    link_letters: int


def choose(body: Element) -> Content:
    """The content of `body`, which must hold visible text only. The tree may be cut to it."""
    _plain_headings(body)
    _plain_forms(body)
    sizes = measure(body)
    whole = _facts(body, sizes)
    candidate = structural.find(body, sizes)
    second = _facts(candidate.root, candidate.sizes)
    if second.letters >= MIN_LETTERS:  # the whole body is not wanted any more
        drop_all(candidate.told)
    tame = len(sizes) <= _MAX_READABILITY_ELEMENTS and sizes[body].height < _MAX_READABILITY_DEPTH
    first_root = readable.read(_document(body)) if tame else None
    if first_root is not None:
        first = _facts(first_root, measure(first_root))
        if not _prefer_structural(first, second):
            return _content(first_root, "readability", first, whole)
    if second.letters >= MIN_LETTERS or second.letters * 2 >= whole.letters:
        return _content(structural.carve(candidate), "structural", second, whole)
    return _content(body, "whole_body", whole, whole)


def _plain_headings(body: Element) -> None:
    """Headings without the links to themselves: readability takes a linked heading for navigation and drops it."""
    for heading in body.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        for anchor in list(heading.iter("a")):
            if is_permalink(anchor):
                remove(anchor)
            elif (anchor.get("href") or "").startswith("#"):
                anchor.tag = "span"


def _plain_forms(body: Element) -> None:
    """readability drops forms with all they hold, and whole pages stand in one. Controls are left out by the writer."""
    for form in list(body.iter("form")):
        form.tag = "div"


def _content(root: Element, extractor: Extractor, facts: _Facts, whole: _Facts) -> Content:
    kept = min(1000, facts.letters * 1000 // whole.letters) if whole.letters else 0
    return Content(root, extractor, kept, facts.letters - facts.link_letters)


def _document(body: Element) -> Element:
    root = body.getroottree().getroot()
    return root if tag_of(root) == "html" else body


def _prefer_structural(first: _Facts, second: _Facts) -> bool:
    if first.letters < second.letters * _READABILITY_SHARE or first.letters == 0:
        return True
    if first.letters < second.letters < _SHORT_PAGE_LETTERS:
        return True
    if first.letters > second.letters * _TOO_MUCH and second.letters > _SHORT_PAGE_LETTERS:
        return True
    if first.code < second.code or first.tables < second.tables or first.items < second.items * _ITEM_SHARE:
        return True
    if second.tables and (
        first.items < second.items or first.titles < second.titles
    ):  # what stood in or before a table
        return True
    return second.headings >= 3 and first.headings < second.headings * _HEADING_SHARE


def _facts(root: Element, sizes: Sizes) -> _Facts:
    tags = Counter(
        tag_of(element)
        for element, size in sizes.items()
        if size.letters and (element.tag != "li" or size.link_share < _ITEM_LINKS)
    )
    headings = sum(tags[f"h{level}"] for level in range(1, 7))
    whole = sizes[root]
    return _Facts(whole.letters, tags["pre"], tags["table"], headings, tags["h1"], tags["li"], whole.link_letters)
