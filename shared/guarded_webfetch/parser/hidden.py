"""Visible and hidden text, parted on the tree: what a person cannot see is taken out and set aside with the way it was hidden."""

from typing import Final, NamedTuple

from lxml import etree

from guarded_webfetch.core.messages import Hidden, Technique
from guarded_webfetch.parser.cascade import Cascade, Page
from guarded_webfetch.parser.clean import clean_text
from guarded_webfetch.parser.conditions import media
from guarded_webfetch.parser.disclosure import Controls
from guarded_webfetch.parser.shelf import Shelf, mark, take_out
from guarded_webfetch.parser.streamed import put_in_place
from guarded_webfetch.parser.survey import TEXT_ATTRIBUTES, Survey
from guarded_webfetch.parser.tree import Element, tag_of, text_of
from guarded_webfetch.parser.walk import Walk

_MIN_NOSCRIPT_CHARS: Final = 1_000
_SHELL_CHARS: Final = 200
_MIN_DOUBTFUL_CHARS: Final = 20
_ELEMENTS: Final[dict[str, Technique]] = {
    "template": "template", "noscript": "noscript", "iframe": "fallback_content", "object": "fallback_content",
    "video": "fallback_content", "audio": "fallback_content", "canvas": "fallback_content", "noembed": "fallback_content",
    "noframes": "fallback_content", "applet": "fallback_content", "datalist": "form_value", "select": "form_value",
    "desc": "metadata", "metadata": "metadata", "annotation": "metadata", "annotation-xml": "metadata", "defs": "metadata",
    "symbol": "metadata", "clippath": "metadata", "portal": "fallback_content", "progress": "fallback_content", "meter": "fallback_content",
}  # fmt: skip
_TEXT_INPUTS: Final = frozenset(("", "text", "search", "email", "url", "tel"))
_TAGS: Final = frozenset(("script", "style", "input", "textarea", "title", "dialog", "rp", *_ELEMENTS))


class Split(NamedTuple):
    """What was set aside, and whether part of the style could not be judged."""

    hidden: list[Hidden]
    incomplete: bool
    doubtful: list[str]  # left in, though a sheet that was not loaded decides whether it can be seen

    def is_unsure_of(self, text: str) -> bool:
        """Whether `text`, which was left in, may hold what nobody sees. Less than a phrase is a sign or a button."""
        return self.incomplete or sum(len(part) for part in self.doubtful if part in text) >= _MIN_DOUBTFUL_CHARS


def split(root: Element) -> Split:
    """Removes from `root` all text a person does not see. Scripts and styles go without a trace: they are no text."""
    shelf = Shelf()
    put_in_place(root)
    _comments(root, shelf)
    survey = Survey(root, _TAGS)
    sheets = [style.text or "" for style in root.iter("style") if _is_sheet(style)]
    cascade = Cascade(Page.of(root, survey), sheets)
    external = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
    _metadata(root, shelf)
    _open_noscript(root)
    _never_shown(survey.judged, shelf)
    take_out(root)
    walk = Walk(root, cascade, shelf, Controls(survey.referring), external=external)
    walk.run()
    shelf.pass_copies(root)
    return Split(shelf.items, cascade.incomplete or walk.uncertain or cascade.doubts(root), walk.doubtful)


def _is_sheet(style: Element) -> bool:
    kind = (style.get("type") or "text/css").strip().lower()
    return kind == "text/css" and media((style.get("media") or "all").lower()) is not False


def _comments(root: Element, shelf: Shelf) -> None:
    for comment in root.iter(etree.Comment, etree.ProcessingInstruction):
        shelf.put("comment", comment.text or "")
    etree.strip_elements(root, etree.Comment, etree.ProcessingInstruction, with_tail=False)


def _metadata(root: Element, shelf: Shelf) -> None:
    for meta in root.iter("meta"):
        if meta.get("charset") is None and not meta.get("http-equiv"):
            shelf.put("metadata", meta.get("content") or "")
    for link in root.iter("link"):
        shelf.put("metadata", link.get("title") or "")
    for script in root.iter("script"):
        if "json" in (script.get("type") or ""):
            shelf.put("metadata", script.text or "")


def _open_noscript(root: Element) -> None:
    """A page that scripts would draw, with a whole page inside `noscript`, is read as a reader without scripts reads it."""
    body = root.find("body")
    blocks = [] if body is None else list(body.iter("noscript"))
    inside = sum(len(text_of(block)) for block in blocks)
    if body is None or inside < _MIN_NOSCRIPT_CHARS:
        return
    outside = (
        len(text_of(body)) - inside - sum(len(text_of(script)) for script in body.iter("script", "style", "template"))
    )
    if outside <= _SHELL_CHARS:
        for block in blocks:
            block.tag = "div"


def _never_shown(judged: list[Element], shelf: Shelf) -> None:
    """Elements no browser draws, and attributes."""
    for element in judged:
        tag = tag_of(element)
        if tag in ("script", "style"):
            mark(element)
        elif tag == "input":
            _input(element, shelf)
        elif tag == "textarea" or (tag == "object" and element.get("data") is None):
            element.tag = "p" if tag == "textarea" else "div"
        elif tag == "template" and element.get("shadowrootmode") is not None:
            _open_shadow(element, shelf)
        elif technique := _technique_of(element, tag):
            shelf.put(technique, text_of(element))
            if srcdoc := element.get("srcdoc"):
                shelf.put("fallback_content", srcdoc)
            mark(element)
        else:
            for name in TEXT_ATTRIBUTES:
                if value := element.get(name):
                    shelf.put("attribute", value)


def _open_shadow(template: Element, shelf: Shelf) -> None:
    """A declarative shadow tree is drawn instead of what else its host holds, unless it has a slot for that."""
    host = template.getparent()
    if host is not None and next(template.iter("slot"), None) is None:
        for part in (host.text, *(child.tail for child in host)):
            shelf.put("fallback_content", part or "")
        host.text = None
        for child in host:
            child.tail = None
            if child is not template:
                shelf.put("fallback_content", text_of(child))
                mark(child)
    template.tag = "div"


def _technique_of(element: Element, tag: str) -> Technique | None:
    if tag == "title":  # of a drawing: the page's own title is no hidden text
        return "metadata" if next(element.iterancestors("head"), None) is None else None
    if tag == "dialog" and element.get("open") is None:
        return "closed_dialog"
    if element.get("popover") is not None:
        return "closed_dialog"
    if tag == "rp" and len(text_of(element)) > 1:
        return "fallback_content"
    return _ELEMENTS.get(tag)


def _input(element: Element, shelf: Shelf) -> None:
    """A text field shows its value; other values are for the server."""
    value = element.get("value") or ""
    kind = (element.get("type") or "").lower()
    if kind in _TEXT_INPUTS and " " in value.strip() and element.get("hidden") is None:
        element.tag = "span"
        element.text = clean_text(value)
        return
    shelf.put("form_value", value)
    shelf.put("attribute", element.get("placeholder") or "")
