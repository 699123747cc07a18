"""What an address in prose would do in a client that renders it, by kind; and targets that are alive without naming a host."""

import re
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.text.edits import Edit
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.reading import resolved

BEFORE: Final = 300  # characters before an address that may say what it is for
COUNTED: Final = (
    "image",
    "html_element",
    "css_url",
    "javascript_url",
    "data_url",
    "data_carrier",
)  # kinds that load or carry

# Kind by what stands right before the address, dearest first.
_KINDS: Final = (
    (
        "css_url",
        LazyPattern(r"(?:url\(\s{0,3}|@import\s{1,3}|image-set\(\s{0,3})(?:url\(\s{0,3})?[\"']?$", re.IGNORECASE),
    ),
    (
        "image",
        LazyPattern(
            r"(?:!\\?\[[^\]]{0,200}\]\(\s{0,3}<?|<(?:img|image|source|video|audio|picture|input|track)\b[^<>]{0,250}"
            r"|\\includegraphics(?:\[[^\]]{0,80}\])?\{|(?:\.\. )?(?:image|figure)::?\s{0,3}|\[img[^\]]{0,30}\]|!)$",
            re.IGNORECASE,
        ),
    ),
    ("html_element", LazyPattern(r"<[a-z][\w:-]{0,30}\b[^<>]{0,250}$", re.IGNORECASE)),
    ("reference", LazyPattern(r"(?:^|\n)[ ]{0,3}\[[^\]\n]{1,200}\]:\s{0,4}<?$")),
    ("markdown_link", LazyPattern(r"\]\(\s{0,4}<?$")),
    ("autolink", LazyPattern(r"<$")),
)
# A value that stands for what a reader knows: template fields, a word in capitals, a name that says so.
_CARRIER: Final = LazyPattern(
    r"[?&#;/=](?:[\w.-]{1,40}=)?(?:%7B|%5B|[{\[<$]|\$\{)|=(?:[A-Z][A-Z_]{2,40})(?:$|[&#;])|/(?:SECRET|DATA|TOKEN|KEY|PASSWORD|PAYLOAD)\b"
    r"|(?i:[?&;](?:secret|leak|exfil\w*|stolen|steal|passw\w*|password|token|api_?key|apikey|cookies?|session|conversation|history|chat"
    r"|prompt|system_?prompt|context|memory|env|creds?|credentials?|ssn|body|payload|dump)=)"
)
_FIELD: Final = LazyPattern(r"=[{\[<$]|/(?:\{\{|\$\{)")  # an address that ends where a template goes on
_SCHEMES: Final = (
    r"(?P<scheme>j\s?a\s?v\s?a\s?s\s?c\s?r\s?i\s?p\s?t|vbscript|livescript|data|file|blob|mailto|smsto|sms|tel|xmpp|view-source|intent"
    r"|ms-[\w-]{2,30}|itms(?:-\w+)?|vscode|cursor|obsidian|slack|steam|skype|facetime|whatsapp|tg|magnet|chrome|about|jar|ftp|resource)"
    r"\s{0,2}:(?=\S)"
)
# A Markdown link, image or definition, an autolink, or an element whose target has such a scheme.
_TARGET: Final = LazyPattern(rf"\](?==?\(\s{{0,4}}<?{_SCHEMES})", re.IGNORECASE)
_DEFINITION: Final = LazyPattern(
    rf"^[ ]{{0,3}}\[[^\]\n]{{1,200}}\](?=:\s{{0,4}}<?{_SCHEMES})", re.IGNORECASE | re.MULTILINE
)
_AUTOLINK: Final = LazyPattern(rf"<(?={_SCHEMES}[^\s<>]{{1,2048}}>)", re.IGNORECASE)
_ELEMENT: Final = LazyPattern(
    rf"<(?=[a-z][\w:-]{{0,30}}\b[^<>]{{0,600}}?(?:=\s{{0,3}}[\"']?\s{{0,3}}{_SCHEMES}|[\s/\"']on[a-z]{{3,20}}\s{{0,3}}=|\bsrcdoc\s{{0,3}}=))",
    re.IGNORECASE,
)
_SCRIPT: Final = LazyPattern(r"<(?=(?:script|style)\b[^<>]{0,300}>[\s\S]{1,2000}?</(?:script|style))", re.IGNORECASE)


def kind_of(text: str, start: int, end: int) -> str:
    """What the address text[start:end] is for; "" when it only stands there."""
    if _CARRIER.search(text, start, end) or _FIELD.match(text, end - 1):
        return "data_carrier"
    before = text[max(0, start - BEFORE) : start]
    return next((kind for kind, pattern in _KINDS if pattern.search(before)), "")


def live_targets(text: str) -> Iterator[Edit]:
    """A backslash into everything whose target is a script, data or another program; nothing of it is removed."""
    if ":" not in text and "<" not in text and "&" not in text:
        return
    view = resolved(text)
    for pattern, hint in ((_TARGET, "]"), (_DEFINITION, "]:"), (_AUTOLINK, "<"), (_ELEMENT, "<"), (_SCRIPT, "</")):
        if hint in view.text:
            for match in pattern.finditer(view.text):
                at = match.end() if view.offsets is None else view.offsets[match.end()]
                if text[at - 1 : at] != "\\" and text[at : at + 1] != "\\":
                    yield Edit(at, at, "\\", _kind(match))


def _kind(match: re.Match[str]) -> str:
    scheme = (match.groupdict().get("scheme") or "").lower()
    if scheme.startswith(("j", "v", "l")) and scheme.endswith("t"):
        return "javascript_url"
    return "data_url" if scheme == "data" else "html_element" if not scheme else "other_target"
