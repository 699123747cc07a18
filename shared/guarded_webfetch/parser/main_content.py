"""Where the content of a page is: readability's answer, a structural one beside it, the whole body last.

readability alone drops most of 40 pages in 511, without an error, outside news articles. The structural candidate is the body
without page chrome. The rule that chooses was fitted on a development sample; its thresholds are the constants below.
"""

import copy
import re
from collections import Counter
from typing import Final, Literal, NamedTuple

from lxml import etree

from guarded_webfetch.parser import readable
from guarded_webfetch.parser.inline import is_permalink
from guarded_webfetch.parser.measure import NOTHING, Size, measure
from guarded_webfetch.parser.tree import Element, elements_of, remove, tag_of

MIN_LETTERS: Final = 200  # below this a candidate has found nothing
_READABILITY_SHARE: Final = 0.5  # of the structural candidate's letters
_SHORT_PAGE_LETTERS: Final = 600  # readability weighs paragraphs against each other; here there are none to weigh
_HEADING_SHARE: Final = 0.3
_ITEM_SHARE: Final = 0.7
_MAIN_SHARE: Final = 0.4
_CHROME_SHARE: Final = 0.4  # what holds more of the page than this is no chrome, whatever its class says
_LINK_DENSE: Final = 0.7
_MAX_READABILITY_ELEMENTS: Final = 60_000  # its time grows faster than the page beyond
_MAX_READABILITY_DEPTH: Final = 400

_CHROME_TAGS: Final = frozenset(("nav", "footer", "aside", "search"))
_CHROME_ROLES: Final = frozenset((
    "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar",
    "toolbar",
))  # fmt: skip
_CHROME_TOKENS: Final = frozenset((
    "nav", "navbar", "navigation", "menu", "submenu", "megamenu", "sidebar", "sidenav", "footer", "breadcrumb",
    "breadcrumbs", "cookie", "cookies", "consent", "gdpr", "newsletter", "subscribe", "signup", "social", "share",
    "sharing", "sharethis", "related", "recommended", "recommendations", "promo", "advert", "advertisement", "ads",
    "adsense", "banner", "popup", "modal", "toc", "tableofcontents", "pagination", "pager", "skiplink", "masthead",
    "topbar", "toolbar", "headerlink", "editsection", "catlinks", "printfooter", "sponsored", "navbox",
    "sistersitebox", "authority", "outbrain", "taboola", "disqus", "noprint", "siteheader", "sitefooter",
))  # fmt: skip
_TOKEN: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_KEPT_TAGS: Final = frozenset((
    "html", "body", "main", "article", "pre", "code", "table", "tbody", "tr", "td", "h1", "h2", "h3", "p",
))  # fmt: skip
_DENSE_TAGS: Final = frozenset(("div", "ul", "ol", "section", "table", "p", "dl"))

Extractor = Literal["readability", "structural", "whole_body"]


class Content(NamedTuple):
    """The chosen tree, who chose it, and the share of the visible letters in it."""

    root: Element
    extractor: Extractor
    kept_permille: int


class _Facts(NamedTuple):
    letters: int
    code: int
    tables: int
    headings: int
    titles: int  # h1
    items: int


def choose(body: Element) -> Content:
    """The content of `body`, which must hold visible text only. Of `body` itself only links
    from headings to themselves and form elements change."""
    sizes = measure(body)
    total = sizes[body].letters
    _plain_headings(body)
    _plain_forms(body)
    structural = _structural(body)
    second = _facts(structural)
    first_root = readable.read(_document(body)) if _is_tame(body, len(sizes)) else None
    if first_root is not None and not _prefer_structural(_facts(first_root), second):
        return _content(first_root, "readability", total)
    if second.letters >= MIN_LETTERS or second.letters * 2 >= total:
        return _content(structural, "structural", total)
    return _content(body, "whole_body", total)


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


def _content(root: Element, extractor: Extractor, total: int) -> Content:
    kept = _facts(root).letters
    return Content(root, extractor, min(1000, kept * 1000 // total) if total else 0)


def _document(body: Element) -> Element:
    root = body.getroottree().getroot()
    return root if tag_of(root) == "html" else body


def _is_tame(body: Element, count: int) -> bool:
    if count > _MAX_READABILITY_ELEMENTS:
        return False
    depth = deepest = 0
    for event, _ in etree.iterwalk(body, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest <= _MAX_READABILITY_DEPTH


def _prefer_structural(first: _Facts, second: _Facts) -> bool:
    if first.letters < second.letters * _READABILITY_SHARE or first.letters == 0:
        return True
    if first.letters < second.letters < _SHORT_PAGE_LETTERS:
        return True
    if first.code < second.code or first.tables < second.tables or first.items < second.items * _ITEM_SHARE:
        return True
    if second.tables and (
        first.items < second.items or first.titles < second.titles
    ):  # what stood in or before a table
        return True
    return second.headings >= 3 and first.headings < second.headings * _HEADING_SHARE


def _facts(root: Element) -> _Facts:
    sizes = measure(root)
    tags = Counter(tag_of(element) for element, size in sizes.items() if size.letters)
    headings = sum(tags[f"h{level}"] for level in range(1, 7))
    return _Facts(sizes[root].letters, tags["pre"], tags["table"], headings, tags["h1"], tags["li"])


def _structural(body: Element) -> Element:
    root: Element = copy.deepcopy(body)
    _drop_chrome(root)
    root = _main_part(root)
    _drop_link_blocks(root)
    return root


def _drop_chrome(root: Element) -> None:
    sizes = measure(root)
    total = max(sizes[root].letters, 1)
    guarded = _guarded(root)
    walker = etree.iterwalk(root, events=("start",))
    chrome = []
    for _, element in walker:
        if element is root or not _is_chrome(element):
            continue
        small = sizes[element].letters <= total * _CHROME_SHARE
        if element not in guarded and small:
            chrome.append(element)
            walker.skip_subtree()
    for element in chrome:
        remove(element)


def _guarded(root: Element) -> set[Element]:
    """Elements around the main part or the page's first heading."""
    found: set[Element] = set()
    for element in root.iter("main", "h1"):
        found.update(element.iterancestors())
        found.add(element)
    return found


def _is_chrome(element: Element) -> bool:
    tag = tag_of(element)
    if tag in _CHROME_TAGS or (element.get("role") or "").lower() in _CHROME_ROLES:
        return True
    if tag == "header":
        return next(element.iterancestors("article", "main"), None) is None
    if tag in _KEPT_TAGS or not tag:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return not _CHROME_TOKENS.isdisjoint(token.lower() for token in _TOKEN.findall(names))


def _main_part(root: Element) -> Element:
    """`main`, `[role=main]` or the only `article`, when it holds enough of the page."""
    sizes = measure(root)
    articles = list(root.iter("article"))
    candidates = [
        element for element in elements_of(root) if tag_of(element) == "main" or element.get("role") == "main"
    ]
    candidates += articles if len(articles) == 1 else []
    for element in candidates:
        if sizes[element].letters >= sizes[root].letters * _MAIN_SHARE and sizes[element].letters >= MIN_LETTERS:
            element.tail = None
            return element
    return root


def _drop_link_blocks(root: Element) -> None:
    sizes = measure(root)
    walker = etree.iterwalk(root, events=("start",))
    dense = []
    for _, element in walker:
        if element is not root and _is_link_block(element, sizes.get(element, NOTHING)):
            dense.append(element)
            walker.skip_subtree()
    if sum(sizes[element].letters for element in dense) > sizes[root].letters * 0.6:
        return  # a list of links is what this page is
    for element in dense:
        remove(element)


def _is_link_block(element: Element, size: Size) -> bool:
    if tag_of(element) not in _DENSE_TAGS or size.links < 4 or size.link_share < _LINK_DENSE:
        return False
    return next(element.iter("h1", "h2", "h3", "h4", "h5", "h6", "pre", "th", "caption"), None) is None
