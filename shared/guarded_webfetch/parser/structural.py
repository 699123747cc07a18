"""The structural candidate: the body without what is no content, told by rules, one reading of the sizes for each step."""

import re
from typing import Final, NamedTuple

from guarded_webfetch.parser import chrome, teasers
from guarded_webfetch.parser.measure import Sizes, without
from guarded_webfetch.parser.tree import Element, elements_of, tag_of

MIN_LETTERS: Final = 200  # below this a candidate has found nothing
_MAIN_SHARE: Final = 0.4
_ARTICLE_SHARE: Final = 0.6
_NAMED_SHARE: Final = 0.6
_ITEM_NAMES: Final = frozenset(("articleBody", "mainContentOfPage", "mainEntity"))
_CONTENT_NAMES: Final = re.compile(
    r"(?:^|[\s_-])(?:(?:main|page|post|entry|site)-?content|article-?(?:body|content|text)|(?:post|story)-?body|markdown-body|"
    r"mw-parser-output|content-?(?:main|area|body|wrapper)|content|main)(?:$|\s)",
    re.I,
)


class Candidate(NamedTuple):
    """A part of the page and what is left out of it: `chrome` is what stands on every page of the site, `left_out` are comments,
    teasers, repetitions and menus."""

    root: Element
    chrome: set[Element]
    left_out: tuple[set[Element], set[Element], set[Element], set[Element]]


def find(body: Element, sizes: Sizes) -> Candidate:
    """The candidate within `body`, which stays as it is."""
    around = chrome.chrome_of(body, sizes)
    comments = chrome.comments_of(body, sizes, around)
    gone = around | comments
    sizes = without(sizes, gone)
    root = _main_part(body, sizes)
    sections = teasers.sections_of(root, sizes)
    gone |= sections
    repeated = teasers.repeated_in(root, sizes, gone)
    gone |= repeated
    menus = teasers.link_blocks_of(root, sizes, gone)
    return Candidate(root, around, (comments, sections, repeated, menus))


def _main_part(body: Element, sizes: Sizes) -> Element:
    """`main`, `[role=main]` or the only `article`, else a part named like content, when it holds enough of the page."""
    known = [element for element in elements_of(body) if element in sizes]
    articles = [element for element in known if tag_of(element) == "article"]
    marked = [element for element in known if tag_of(element) == "main" or element.get("role") == "main"]
    for element in marked + (articles if len(articles) == 1 else []):
        if _holds(element, body, sizes, _MAIN_SHARE):
            return _only_article(element, sizes)
    named = [element for element in known if _holds(element, body, sizes, _NAMED_SHARE) and _is_named(element)]
    return named[-1] if named else body


def _only_article(main: Element, sizes: Sizes) -> Element:
    articles = [element for element in main.iter("article") if element is not main and element in sizes]
    return articles[0] if len(articles) == 1 and _holds(articles[0], main, sizes, _ARTICLE_SHARE) else main


def _holds(element: Element, outer: Element, sizes: Sizes, share: float) -> bool:
    return sizes[element].letters >= max(sizes[outer].letters * share, MIN_LETTERS)


def _is_named(element: Element) -> bool:
    if element.get("itemprop") in _ITEM_NAMES:
        return True
    return any(_CONTENT_NAMES.search(element.get(name) or "") for name in ("class", "id"))
