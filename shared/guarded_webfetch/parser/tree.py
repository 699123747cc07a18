"""The page as one lxml tree: parsed once, from text, with nothing in it that JSON or a reader cannot hold."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from lxml import etree, html

from guarded_webfetch.core.limits import MAX_TAGS
from guarded_webfetch.parser.clean import clean_text, collapse

# libxml2 gives up below 256 levels without, and below 2,048 with, its huge option; what is deeper is lost.
_DEPTH_MESSAGE: Final = "Excessive depth"
# libxml2 compares every attribute of a tag with all others: 100,000 of them take it 15 s. Long values are fine.
_LONG_TAG: Final = re.compile(r"<[A-Za-z][^<>]{20000,}")
_MAX_ATTRIBUTES: Final = 2_000

_METADATA: Final = frozenset(
    ("", "title", "meta", "link", "base", "style", "script", "noscript", "template", "object", "bgsound")
)

Element = etree._Element
# lxml.html chooses a class for each tag in Python, each time an element is touched; one class for all is chosen in C.
_CLASSES: Final = etree.ElementDefaultClassLookup(
    element=html.HtmlElement, comment=html.HtmlComment, pi=html.HtmlProcessingInstruction, entity=html.HtmlEntity
)


class Page(NamedTuple):
    """The root element, whether the parser gave up below some depth, and whether the page was cut at MAX_TAGS."""

    root: html.HtmlElement
    depth_limited: bool
    cut: bool


def parse(text: str) -> Page | None:
    """The tree of an HTML page; None when there is nothing in it."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    parser.set_element_class_lookup(_CLASSES)
    kept = _within_limit(text)
    data = _LONG_TAG.sub(_without_attributes, clean_text(kept)).encode("utf-8")
    try:
        root = html.document_fromstring(data, parser=parser)
    except etree.ParserError:
        return None
    _empty_head(root)
    depth_limited = any(_DEPTH_MESSAGE in entry.message for entry in parser.error_log.filter_from_fatals())
    return Page(root, depth_limited, len(kept) < len(text))


def _empty_head(root: Element) -> None:
    """Moves what is no metadata from the head to the start of the body: libxml2 leaves `main`, `nav` and other names it does not know
    in the head of a page that has no body tag."""
    head, body = root.find("head"), root.find("body")
    children = [] if head is None else list(head)
    first = next((place for place, child in enumerate(children) if tag_of(child) not in _METADATA), len(children))
    if first == len(children):
        return
    if body is None:
        body = root.makeelement("body")
        root.append(body)
    text, body.text = body.text, None
    for place, child in enumerate(children[first:]):
        body.insert(place, child)
    if text:
        children[-1].tail = (children[-1].tail or "") + text


def _within_limit(text: str) -> str:
    """`text` up to the tag behind the last one allowed."""
    if text.count("<") <= MAX_TAGS:
        return text
    position = -1
    for _ in range(MAX_TAGS + 1):
        position = text.index("<", position + 1)
    return text[:position]


def _without_attributes(match: re.Match[str]) -> str:
    tag = match[0]
    return tag if tag.count("=") + len(tag.split()) <= _MAX_ATTRIBUTES else tag.split(None, 1)[0]


def tag_of(element: Element) -> str:
    """The tag name in lower case; "" for comments and processing instructions."""
    return element.tag if isinstance(element.tag, str) else ""


def text_of(element: Element) -> str:
    """All text below `element`, on one line."""
    return collapse("".join(map(str, element.itertext(etree.Element))))


def remove(element: Element) -> None:
    """Takes `element` out of its tree and leaves the text after it in place."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        previous = element.getprevious()
        if previous is None:
            parent.text = (parent.text or "") + element.tail
        else:
            previous.tail = (previous.tail or "") + element.tail
        element.tail = None
    parent.remove(element)


def classes_of(element: Element) -> frozenset[str]:
    """The class names of `element` in lower case."""
    return _class_names(element.get("class") or "")


@lru_cache(8_192)
def _class_names(value: str) -> frozenset[str]:
    return frozenset(value.lower().split())


def outermost(
    root: Element, judge: Callable[[Element, bool], bool], closed: Collection[Element] = frozenset()
) -> Iterator[Element]:
    """The outermost elements below `root` that `judge` names. It is asked about no element in `closed`, in code or below another
    one it named, and told whether an `article` or `main` is open around the element."""
    around = 0
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in walker:
        if element.tag in ("article", "main"):
            around += 1 if event == "start" else -1
        if event == "end" or element is root:
            continue
        if element in closed or element.tag in ("pre", "code"):
            walker.skip_subtree()
        elif judge(element, around > 0):
            yield element
            walker.skip_subtree()


def drop_all(elements: Iterable[Element]) -> None:
    """Removes elements that were collected before anything was removed."""
    for element in list(elements):
        remove(element)


def elements_of(root: Element) -> Iterator[Element]:
    """All elements in document order, without comments."""
    return root.iter(etree.Element)
