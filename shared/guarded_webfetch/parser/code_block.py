"""Code blocks: lines and indentation exactly as a browser shows them, without line numbers and buttons."""

import re
from typing import Final

from lxml import etree

from guarded_webfetch.parser.clean import clean_text
from guarded_webfetch.parser.inline import BLOCK_TAGS
from guarded_webfetch.parser.tree import Element, classes_of, tag_of

_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush|sourcecode|code)[-:]\s*([a-z0-9+#-]{1,20})"
)
_PLAIN_CLASS: Final = re.compile(
    r"(?:^|\s)(?:hljs|highlight|sourcecode|prettyprint|codehilite|chroma|src)\s+(?:src-)?([a-z0-9+#-]{1,20})"
)
_NOT_LANGUAGES: Final = frozenset((
    "source", "line-numbers", "linenums", "highlight", "wrap", "code", "text", "none", "plaintext", "nohighlight",
    "notranslate", "pre", "block", "default", "scroll",
))  # fmt: skip
_GUTTERS: Final = frozenset((
    "gutter", "linenos", "lineno", "linenodiv", "linenumber", "line-number", "line-numbers-rows", "hljs-ln-numbers",
    "lnt", "ln", "blob-num", "rouge-gutter", "crayon-nums", "linenr", "code-line-number",
    "react-syntax-highlighter-line-number",
))  # fmt: skip
_DROPPED: Final = frozenset(("button", "script", "style", "select", "input", "textarea", "rp"))
_LINE_CLASSES: Final = frozenset(["line", "code-line", "token-line", "view-line", "cl", "hljs-ln-line", "codeline"])


def code_text(pre: Element) -> str:
    """The text of `pre`: `br` and per-line elements end lines, no-break spaces are spaces."""
    parts: list[str] = []
    walker = etree.iterwalk(pre, events=("start", "end"))
    for event, node in walker:
        if event == "start":
            if is_gutter(node) or tag_of(node) in _DROPPED:
                walker.skip_subtree()
                continue
            if node is not pre and _is_line(node):
                _end_line(parts)
            parts.append("\n" if tag_of(node) == "br" else node.text or "")
        elif node is not pre:
            tail = node.tail or ""
            if _is_line(node) and not is_gutter(node) and not tail.startswith(("\n", "\r")):
                _end_line(parts)
            parts.append(tail)
    text = clean_text("".join(parts)).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").replace("\f", "")
    return re.sub(r"\A(?:[ \t]*\n)+", "", text).rstrip()


def language_of(pre: Element) -> str | None:
    """The language a highlighter was told, from the classes on the block, its `code`, or the wrappers around it."""
    nodes = [*[child for child in pre if tag_of(child) == "code"][:1], pre]
    for ancestor in pre.iterancestors():
        if len(nodes) >= 5 or tag_of(ancestor) in ("body", "article", "main", "section", "td", "li"):
            break
        nodes.append(ancestor)
    for node in nodes:
        for name in ("data-language", "data-lang", "lang"):
            value = (node.get(name) or "").lower() if name != "lang" or tag_of(node) in ("pre", "code") else ""
            if re.fullmatch(r"[a-z0-9+#-]{1,20}", value) and value not in _NOT_LANGUAGES:
                return value
        classes = (node.get("class") or "").lower()
        for pattern in (_LANGUAGE, _PLAIN_CLASS):
            match = pattern.search(classes)
            if match and match[1] not in _NOT_LANGUAGES and not match[1].isdigit():
                return match[1]
    return None


def is_gutter(element: Element) -> bool:
    """Whether the element holds line numbers only."""
    return not _GUTTERS.isdisjoint(classes_of(element)) and _is_numbers(element)


def _is_numbers(element: Element) -> bool:
    return not re.search(r"[^\d\s.:|]", "".join(map(str, element.itertext())))


def is_code_element(element: Element) -> bool:
    """A `code` element that is a block of lines: with breaks or line elements inside."""
    return tag_of(element) == "code" and any(tag_of(node) in ("br", "div", "p") for node in element.iter(etree.Element))


def _is_line(node: Element) -> bool:
    tag = tag_of(node)
    if tag in BLOCK_TAGS and tag not in ("td", "th", "table", "tbody"):
        return True
    return tag in ("span", "code") and not _LINE_CLASSES.isdisjoint(classes_of(node))


def _end_line(parts: list[str]) -> None:
    """A line end, unless the last thing written was one (or nothing was written)."""
    for part in reversed(parts):
        if part:
            if not part.endswith("\n"):
                parts.append("\n")
            return
