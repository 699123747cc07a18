"""Page chrome: what stands around the content of every page of a site, told by element, role or class name.

Nothing is removed here: the functions name elements, and `structural` decides.
"""

import re
from functools import lru_cache
from typing import Final

from guarded_webfetch.parser.measure import NOTHING, Sizes
from guarded_webfetch.parser.tree import Element, outermost, tag_of, text_of

WEAK_SHARE: Final = 0.4  # what only a class name calls chrome, and holds more of the page than this, is the page
_MIN_REST_LETTERS: Final = 200
_MAX_NAME_CHARS: Final = 400  # generated class lists run to kilobytes; their first names tell
_MIN_ARTICLE_LETTERS: Final = 1_500  # a text of this length stands without the comments below it

_STRONG_TAGS: Final = frozenset(("nav", "footer", "search", "dialog"))
_STRONG_ROLES: Final = frozenset((
    "navigation", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar",
))  # fmt: skip
_WEAK_ROLES: Final = frozenset(("banner", "complementary"))
_OVERLAY_ROLES: Final = frozenset(("dialog", "alertdialog", "contentinfo"))
_NAMES: Final = frozenset((
    "nav", "navbar", "navigation", "menu", "submenu", "megamenu", "sidebar", "sidenav", "footer", "breadcrumb",
    "breadcrumbs", "cookie", "cookies", "consent", "gdpr", "newsletter", "subscribe", "signup", "social", "share",
    "sharing", "sharethis", "related", "recommended", "recommendations", "promo", "advert", "advertisement", "ads",
    "adsense", "banner", "popup", "modal", "toc", "tableofcontents", "pagination", "pager", "skiplink", "masthead",
    "topbar", "toolbar", "headerlink", "editsection", "catlinks", "printfooter", "sponsored", "navbox",
    "sistersitebox", "authority", "outbrain", "taboola", "disqus", "noprint", "siteheader", "sitefooter",
))  # fmt: skip
_OVERLAYS: Final = frozenset(("modal", "popup"))
_THREADS: Final = frozenset(("thread", "topic", "forum", "forums", "discussion", "question", "answer", "answers"))
_NAME: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_COMMENTS: Final = re.compile(
    r"(?:^|[\s_-])(?:comments?(?:list|section|area|wrapper|container)?|commentswrapper|respond|disqus\w*)(?:$|[\s_-])",
    re.I,
)
_KEPT_TAGS: Final = frozenset((
    "html", "body", "main", "article", "pre", "code", "table", "tbody", "tr", "td", "h1", "h2", "h3", "p",
))  # fmt: skip


def chrome_of(root: Element, sizes: Sizes) -> set[Element]:
    """The outermost elements of `root` that are chrome. What surrounds the main part or the page's heading never is."""
    guarded = guarded_in(root)
    strong: set[Element] = set()
    weak: set[Element] = set()
    total = sizes[root].letters

    def judge(element: Element, in_article: bool) -> bool:
        if element in guarded:
            return False
        small = sizes.get(element, NOTHING).letters <= total * WEAK_SHARE
        if is_told(element):
            (weak if small else strong).add(element)
            return True
        if small and _is_weak(element, in_article):
            weak.add(element)
            return True
        return False

    for _ in outermost(root, judge):
        pass
    rest = total - sum(sizes[element].letters for element in strong | weak)
    return weak | strong if rest >= _MIN_REST_LETTERS else weak


def guarded_in(root: Element) -> set[Element]:
    """The elements around the main part or a heading of the first level that stands in no overlay."""
    found: set[Element] = set()
    overlaid: set[Element] = set()
    for element in root.iter("main", "h1"):
        line: list[Element] = []
        node: Element | None = element
        covered = False
        while node is not None and node not in found and not covered:
            line.append(node)
            covered = node in overlaid or (tag_of(element) == "h1" and _is_overlay(node))
            node = node.getparent()
        (overlaid if covered else found).update(line)
    return found


def comments_of(root: Element, sizes: Sizes, chrome: set[Element]) -> set[Element]:
    """The comments below a text that stands without them; in a thread or below an answer they are the page."""
    found = set(outermost(root, lambda element, _: tag_of(element) not in _KEPT_TAGS and _is_comments(element), chrome))
    rest = sizes[root].plain_letters - sum(sizes[element].plain_letters for element in found | chrome)
    return set() if not found or rest < _MIN_ARTICLE_LETTERS or _is_thread(root, found) else found


def names_of(element: Element) -> frozenset[str]:
    """The words of its class and id: `siteNav main_menu` holds site, nav, main and menu."""
    classes, identifier = element.get("class") or "", element.get("id") or ""
    return names_in(f"{classes} {identifier}") if classes or identifier else frozenset()


@lru_cache(4_096)
def names_in(value: str) -> frozenset[str]:
    """The words of class names, in lower case."""
    return frozenset(name.lower() for name in _NAME.findall(value[:_MAX_NAME_CHARS]))


def is_told(element: Element) -> bool:
    """Whether its element or role says that it is chrome."""
    return tag_of(element) in _STRONG_TAGS or (element.get("role") or "").lower() in _STRONG_ROLES


def _is_weak(element: Element, in_article: bool) -> bool:
    tag = tag_of(element)
    if tag == "aside" or (element.get("role") or "").lower() in _WEAK_ROLES:
        return True
    if tag == "header":
        return not in_article
    return tag not in _KEPT_TAGS and not _NAMES.isdisjoint(names_of(element)) and not _is_titled(element)


def _is_titled(element: Element) -> bool:
    """Whether the name is that of a section with this title: `<section id="cookies"><h2>Cookies</h2>` in a manual."""
    first = next(element.iterchildren("h2", "h3", "h4", "h5", "h6"), None)
    name = _letters_of(element.get("id") or "")
    return (
        element.tag == "section" and first is not None and bool(name) and _letters_of(text_of(first)).startswith(name)
    )


def _letters_of(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _is_overlay(element: Element) -> bool:
    if tag_of(element) in ("dialog", "footer", "nav") or (element.get("role") or "").lower() in _OVERLAY_ROLES:
        return True
    return not _OVERLAYS.isdisjoint(names_of(element))


def _is_comments(element: Element) -> bool:
    return bool(_COMMENTS.search(element.get("class") or "") or _COMMENTS.search(element.get("id") or ""))


def _is_thread(root: Element, comments: set[Element]) -> bool:
    around: set[Element] = set()
    for element in (*comments, *root.iter("h1")):
        node = element.getparent()
        while node is not None and node not in around:
            around.add(node)
            node = node.getparent()
    return any(not _THREADS.isdisjoint(names_of(element)) for element in around)
