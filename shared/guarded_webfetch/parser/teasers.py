"""Parts inside the content that lead elsewhere or stand there twice: teasers, subscription boxes, repeated blocks, menus."""

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree

from guarded_webfetch.parser.chrome import guarded_in
from guarded_webfetch.parser.measure import NOTHING, Size, Sizes
from guarded_webfetch.parser.tree import Element, elements_of, outermost, tag_of, text_of

_MAX_SHARE: Final = 0.3
_MAX_HEADING_CHARS: Final = 50
_PROSE_LETTERS: Final = 200  # a paragraph this long is no teaser
_MIN_REPEATED_LETTERS: Final = 60
_MAX_REPEATED_SHARE: Final = 0.4
_LINK_DENSE: Final = 0.7
_MAX_DENSE_SHARE: Final = 0.6
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_DENSE_TAGS: Final = frozenset(("div", "ul", "ol", "section", "table", "p", "dl"))
# Containers only: a paragraph that says the same again is what its author wrote.
_REPEATED_TAGS: Final = frozenset(("div", "section", "ul", "article"))
_PRIME: Final = 2**61 - 1
_BASE: Final = 1_000_003
_KEPT_INSIDE: Final = ("pre", "code", "table", "dl", "h1")
_TITLE: Final = re.compile(
    r"you (?:may|might) (?:also )?(?:like|enjoy|be interested)|more (?:from|in|stories|articles|posts|on this)\b|"
    r"(?:related|recommended|recent|latest|popular|trending|similar|other popular|most (?:read|popular|viewed))\s+"
    r"(?:posts?|articles?|stories|topics?|threads?|content|products?|items?|news|pages?|links?|guides?|reads?|reading|"
    r"questions?|discussions?|blogs?|blog posts?|insights?|publications?|videos?|comments?|searches|categories)|"
    r"related$|trending(?: now)?$|customers? also|people also|frequently bought|recently viewed|hot network questions|"
    r"(?:subscribe|sign up)\b|join (?:us|our|the (?:discussion|conversation))\b|newsletter|"
    r"follow us|stay (?:connected|in touch|up to date)|connect with us|"
    r"share (?:this|article|via|on)|share$|leave a (?:reply|comment)|post a comment|"
    r"about the authors?|we care about your privacy|privacy overview|footer$|"
    r"関連|おすすめ|人気(?:の)?記事|最近の|最新(?:の)?記事|新着|シェア|あわせて読みたい|ランキング|カテゴリー?$|アーカイブ$",
    re.I,
)


def sections_of(root: Element, sizes: Sizes) -> set[Element]:
    """Parts whose heading says that they lead elsewhere: the box around the heading, else what follows it."""
    guarded = guarded_in(root)
    limit = sizes[root].letters * _MAX_SHARE
    firsts: dict[Element, Element | None] = {}
    found: set[Element] = set()
    for heading in root.iter(*_HEADINGS[1:]):
        if heading not in sizes or heading in found or not _is_teaser(heading, sizes[heading]):
            continue
        box = heading
        while (up := box.getparent()) is not None and up is not root and up not in guarded:
            if sizes[up].letters > limit or _first_with_text(up, sizes, firsts) is not box:
                break
            box = up
        found.add(box)
        if box is heading:
            found.update(_following(heading, sizes, limit, guarded))
    return found


def _is_teaser(heading: Element, size: Size) -> bool:
    return 0 < size.letters <= _MAX_HEADING_CHARS and bool(_TITLE.match(text_of(heading).strip(" :»>")))


def _first_with_text(parent: Element, sizes: Sizes, known: dict[Element, Element | None]) -> Element | None:
    """The child in which the text of `parent` begins; None when it begins in no child."""
    if parent not in known:
        blank = not (parent.text or "").strip()
        known[parent] = next((child for child in parent if sizes.get(child, NOTHING).letters), None) if blank else None
    return known[parent]


def _following(heading: Element, sizes: Sizes, limit: float, guarded: set[Element]) -> Iterator[Element]:
    level = tag_of(heading)
    for sibling in heading.itersiblings():
        size = sizes.get(sibling, NOTHING)
        prose = tag_of(sibling) == "p" and size.letters > _PROSE_LETTERS and size.link_share < 0.5
        if sibling in guarded or size.letters > limit or prose:
            return
        if any(tag_of(other) <= level for other in sibling.iter(*_HEADINGS)):
            return
        yield sibling


def repeated_in(root: Element, sizes: Sizes, gone: set[Element]) -> set[Element]:
    """Blocks that say again, word for word, what an earlier block said: signatures, variants for narrow screens."""
    limit = sizes[root].letters * _MAX_REPEATED_SHARE
    says = _digests(root, sizes)
    seen: set[int] = set()
    found: set[Element] = set()
    walker = etree.iterwalk(root, events=("start",))
    for _, element in walker:
        size = sizes.get(element, NOTHING)
        if element in gone or size.letters < _MIN_REPEATED_LETTERS or tag_of(element) in _KEPT_INSIDE:
            walker.skip_subtree()
        elif element is not root and tag_of(element) in _REPEATED_TAGS and size.letters <= limit:
            if says[element] in seen and next(element.iter(*_KEPT_INSIDE), None) is None:
                found.add(element)
                walker.skip_subtree()
            elif not any(says.get(child) == says[element] for child in element):
                seen.add(says[element])
    # Where most of a page is repetition, that is the page.
    return found if sum(sizes[element].letters for element in found) <= limit else set()


def _digests(root: Element, sizes: Sizes) -> dict[Element, int]:
    """A number for the words of each element, whatever its tags: that of a row of parts follows from those of the parts."""
    found: dict[Element, int] = {}
    factors: dict[Element, int] = {}  # what a number to the left of the element is multiplied with
    for element in reversed(list(elements_of(root))):
        if not sizes.get(element, NOTHING).letters:
            continue
        digest, factor = _append((0, 1), element.text)
        for child in element:
            if child in found:
                digest = (digest * factors[child] + found[child]) % _PRIME
                factor = factor * factors[child] % _PRIME
            digest, factor = _append((digest, factor), child.tail)
        found[element], factors[element] = digest, factor
    return found


def _append(so_far: tuple[int, int], text: str | None) -> tuple[int, int]:
    digest, factor = so_far
    for word in (text or "").split():
        digest = (digest * _BASE + hash(word)) % _PRIME
        factor = factor * _BASE % _PRIME
    return digest, factor


def link_blocks_of(root: Element, sizes: Sizes, gone: set[Element]) -> set[Element]:
    """Blocks that are links and little else, unless a list of links is what the page is."""
    found = set(outermost(root, lambda element, _: _is_link_block(element, sizes.get(element, NOTHING)), gone))
    left = sizes[root].letters - sum(sizes[element].letters for element in gone if element in sizes)
    return found if sum(sizes[element].letters for element in found) <= left * _MAX_DENSE_SHARE else set()


def _is_link_block(element: Element, size: Size) -> bool:
    if tag_of(element) not in _DENSE_TAGS or size.links < 4 or size.link_share < _LINK_DENSE or _is_announced(element):
        return False
    return next(element.iter(*_HEADINGS, "pre", "th", "caption"), None) is None


def _is_announced(element: Element) -> bool:
    """Whether the paragraph before a list ends with a colon: the list goes on with its sentence."""
    before = element.getprevious()
    return before is not None and before.tag == "p" and text_of(before)[-1:] in (":", "：")
