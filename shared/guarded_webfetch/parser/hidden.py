"""Visible and hidden text, parted on the tree: what a person cannot see is taken out and set aside with the way it was hidden."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from lxml import etree

from guarded_webfetch.core.limits import MAX_HIDDEN_CHARS
from guarded_webfetch.core.messages import Hidden, Technique
from guarded_webfetch.parser.cascade import Cascade
from guarded_webfetch.parser.clean import clean_text, collapse
from guarded_webfetch.parser.computed import State, Style, inherit, own_text_technique, subtree_technique
from guarded_webfetch.parser.disclosure import TECHNIQUES, Controls, open_part
from guarded_webfetch.parser.presentational import covers, presentational
from guarded_webfetch.parser.tree import Element, classes_of, elements_of, remove, tag_of, text_of

_MAX_ITEM_CHARS: Final = 4_000
_SR_ONLY_CHARS: Final = 200  # labels for screen readers are short; a paragraph hidden their way is concealed
_MIN_PAGE_CHARS: Final = 1_000
_MIN_NOSCRIPT_CHARS: Final = 1_000
_SHELL_CHARS: Final = 200
_REVEALED: Final = frozenset(("opacity", "size", "sr_only", "clip", "transform"))  # where entrance animations begin
_SR_ONLY: Final = re.compile(
    r"sr-?only|visually-?hidden|screen-?reader|a11y|skip|accessib|off-?screen|assistive|katex-mathml"
)
_ELEMENTS: Final[dict[str, Technique]] = {
    "template": "template", "noscript": "noscript", "iframe": "fallback_content", "object": "fallback_content",
    "video": "fallback_content", "audio": "fallback_content", "canvas": "fallback_content", "noembed": "fallback_content",
    "noframes": "fallback_content", "applet": "fallback_content", "datalist": "form_value", "select": "form_value",
    "desc": "metadata", "metadata": "metadata", "annotation": "metadata", "annotation-xml": "metadata", "defs": "metadata",
    "portal": "fallback_content", "progress": "fallback_content", "meter": "fallback_content",
}  # fmt: skip
_ATTRIBUTES: Final = ("alt", "title", "aria-label", "aria-description", "placeholder", "summary", "label")
_TEXT_INPUTS: Final = frozenset(("", "text", "search", "email", "url", "tel"))
_BLANK: Final = State()


class Split(NamedTuple):
    """What was set aside, and whether part of the style could not be judged."""

    hidden: list[Hidden]
    incomplete: bool


class _Shelf:
    """Hidden text set aside, within its limit."""

    def __init__(self) -> None:
        self.items: list[Hidden] = []
        self._left = MAX_HIDDEN_CHARS

    def put(self, technique: Technique, text: str) -> None:
        text = collapse(text)[: min(_MAX_ITEM_CHARS, self._left)]
        if text:
            self._left -= len(text)
            self.items.append({"technique": technique, "text": text})


def split(root: Element) -> Split:
    """Removes from `root` all text a person does not see. Scripts and styles go without a trace: they are no text."""
    shelf = _Shelf()
    sheets = [style.text or "" for style in root.iter("style") if _is_sheet(style)]
    cascade = Cascade(root, sheets)
    external = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
    _comments(root, shelf)
    _metadata(root, shelf)
    _open_noscript(root)
    _never_shown(root, shelf)
    walk = _Walk(cascade, shelf, external, Controls(root))
    walk.run(root)
    return Split(shelf.items, cascade.incomplete or walk.uncertain)


def _is_sheet(style: Element) -> bool:
    media = (style.get("media") or "all").lower()
    return "print" not in media or "screen" in media


def _comments(root: Element, shelf: _Shelf) -> None:
    for comment in list(root.iter(etree.Comment, etree.ProcessingInstruction)):
        shelf.put("comment", comment.text or "")
        remove(comment)


def _metadata(root: Element, shelf: _Shelf) -> None:
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


def _never_shown(root: Element, shelf: _Shelf) -> None:
    """Elements no browser draws, and attributes."""
    for element in list(elements_of(root)):
        tag = tag_of(element)
        if tag in ("script", "style"):
            remove(element)
        elif tag == "input":
            _input(element, shelf)
        elif tag == "textarea":
            element.tag = "p"
        elif technique := _technique_of(element, tag):
            shelf.put(technique, text_of(element))
            if srcdoc := element.get("srcdoc"):
                shelf.put("fallback_content", srcdoc)
            remove(element)
        else:
            for name in _ATTRIBUTES:
                if value := element.get(name):
                    shelf.put("attribute", value)


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


def _input(element: Element, shelf: _Shelf) -> None:
    """A text field shows its value; other values are for the server."""
    value = element.get("value") or ""
    kind = (element.get("type") or "").lower()
    if kind in _TEXT_INPUTS and " " in value.strip() and element.get("hidden") is None:
        element.tag = "span"
        element.text = clean_text(value)
        return
    shelf.put("form_value", value)
    shelf.put("attribute", element.get("placeholder") or "")


class _Walk:
    """One pass down the tree, with the state each element inherits."""

    def __init__(self, cascade: Cascade, shelf: _Shelf, external: bool, controls: Controls) -> None:
        self._cascade = cascade
        self._shelf = shelf
        self._external = external  # sheets that are not loaded may paint what lies behind the text
        self.uncertain = False
        self._gone: list[tuple[Element, Technique]] = []
        self._controls = controls
        self._opened: list[tuple[Element, str]] = []
        self._unseen: list[tuple[Element, Technique]] = []  # only their own text is hidden, children may show

    def run(self, root: Element) -> None:
        states = [_BLANK]
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "end":
                states.pop()
                continue
            state, technique = self._enter(element, states[-1])
            states.append(state)
            if technique:
                self._gone.append((element, technique))
                walker.skip_subtree()
        self._keep_what_scripts_reveal(root)
        for element, technique in self._unseen:
            self._set_own_text_aside(element, technique)
        for element, technique in self._gone:
            self._set_aside(element, technique)
        for element, label in self._opened:
            open_part(element, label)

    def _keep_what_scripts_reveal(self, root: Element) -> None:
        """Half a page and more that waits for a script in many parts is the page, not a text kept from its readers."""
        waiting = sum(
            len(collapse(" ".join(_own_parts(element)))) for element, how in self._unseen if how == "visibility"
        )
        waiting += sum(len(text_of(element)) for element, how in self._gone if how == "opacity")
        if waiting >= _MIN_PAGE_CHARS and waiting * 2 >= len(text_of(root)):
            self.uncertain = True
            self._unseen = [(element, how) for element, how in self._unseen if how != "visibility"]
            self._gone = [(element, how) for element, how in self._gone if how != "opacity"]

    def _enter(self, element: Element, parent: State) -> tuple[State, Technique | None]:
        declared = {**presentational(element), **self._cascade.declared(element)}
        style = Style(declared, parent.custom)
        is_page = tag_of(element) in ("html", "body")
        state = inherit(parent, element, style)
        if is_page:  # faded in or un-hidden by a script: nobody hides a whole page from its readers
            return state._replace(visible=True, fill=None), None
        technique = subtree_technique(style, state) if style else None
        faded = technique in _REVEALED or (parent.visible and not state.visible)
        if faded and self._is_most_of_page(element):
            self.uncertain = True
            technique, state = None, state._replace(visible=True)
        if technique is None and element.get("hidden") is not None and style.get("display") in ("", "none"):
            technique = "hidden_attribute"
        if technique in TECHNIQUES and (label := self._controls.label_of(element)) is not None:
            self._opened.append((element, label))
            technique = None
        if technique is None and style and covers(style):
            self._overlay(element)
        if technique is None and state is not _BLANK:
            self._own_text(element, state)
        return state, technique

    def _is_most_of_page(self, element: Element) -> bool:
        """Whether this is the wrapper of a page that scripts fade in, not a part that is kept from its readers."""
        letters = len(text_of(element))
        return letters >= _MIN_PAGE_CHARS and letters * 2 >= len(text_of(element.getroottree().getroot()))

    def _own_text(self, element: Element, state: State) -> None:
        technique = own_text_technique(state)
        if technique is None or not any(part.strip() for part in _own_parts(element)):
            return
        if (
            technique == "colour"
            and self._external
            and state.background_is_default
            and (state.fill or state.colour).alpha > 0.5
        ):
            self.uncertain = True
            return
        self._unseen.append((element, technique))

    def _set_own_text_aside(self, element: Element, technique: Technique) -> None:
        self._shelf.put(technique, " ".join(_own_parts(element)))
        element.text = " " if element.text else None
        for child in element:
            child.tail = " " if child.tail else None

    def _overlay(self, cover: Element) -> None:
        if tag_of(cover) and not text_of(cover):
            for sibling in cover.itersiblings(preceding=True):
                if tag_of(sibling):
                    self._gone.append((sibling, "overlay"))

    def _set_aside(self, element: Element, technique: Technique) -> None:
        text = text_of(element)
        if technique in ("off_screen", "clip", "size", "sr_only", "transform"):
            short = len(text) <= _SR_ONLY_CHARS
            label = technique == "sr_only" or any(_SR_ONLY.search(name) for name in classes_of(element))
            technique = "sr_only" if short and label else "clip" if technique == "sr_only" else technique
        self._shelf.put(technique, text)
        remove(element)


def _own_parts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield child.tail or ""
