"""What a page says about its own encoding: the meta prescan of the WHATWG HTML standard, and the XML declaration.

Deviation from section 13.2.3.2 "prescan a byte stream": 64 KB are searched instead of 1,024 bytes, because pages put comments,
keywords and scripts first (jsdom/html-encoding-sniffer#10, #13), and browsers re-parse when they meet a late declaration.
"""

import re
from typing import Final

PRESCAN_BYTES: Final = 65_536

# A comment ends at "-->" or "--!>"; "<!-->" and "<!--->" are whole comments (tokenizer states 13.2.5.43-51).
_NEXT: Final = re.compile(rb"<!--(?:-?>|.*?--!?>)|<(/?[a-zA-Z][^\s/>]*)|<[!/?][^>]*>?", re.S)
_ATTRIBUTE: Final = re.compile(
    rb"[\s/]*(?:([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"'][^\s>]*)))?|(>)|(=))"
)
_RAW_TEXT: Final = {
    name: re.compile(rb"</" + name + rb"[\s/>]", re.I) for name in (b"script", b"style", b"title", b"textarea", b"xmp")
}
_CONTENT_CHARSET: Final = re.compile(r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.I)
_XML: Final = re.compile(rb"\s*<\?xml\s[^>]*?encoding\s*=\s*(?:\"([^\">]+)\"|'([^'>]+)')", re.I)


def xml_label(body: bytes) -> str | None:
    """The encoding an XML declaration at the very start names."""
    match = _XML.match(body[:1024])
    return (match[1] or match[2]).decode("latin-1") if match else None


def meta_label(body: bytes) -> str | None:
    """The first label a real `meta` element declares (charset, or http-equiv content-type), or None."""
    head, position = body[:PRESCAN_BYTES], 0
    while match := _NEXT.search(head, position):
        position = match.end()
        name = (match[1] or b"").lower()
        if not name:
            continue
        attributes, position = _attributes(head, position)
        if name == b"meta" and (label := _declared(attributes)):
            return label
        closing = _RAW_TEXT.get(name)
        if closing and (end := closing.search(head, position)):
            position = end.start()
    return None


def _attributes(head: bytes, position: int) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    while match := _ATTRIBUTE.match(head, position):
        if match.end() == position:
            break
        position = match.end()
        if match[5]:
            break
        if match[1]:
            value = match[2] or match[3] or match[4] or b""
            found.setdefault(match[1].decode("latin-1").lower(), value.decode("latin-1"))
    return found, position


def _declared(attributes: dict[str, str]) -> str | None:
    if attributes.get("charset"):
        return attributes["charset"]
    if attributes.get("http-equiv", "").strip().lower() != "content-type":
        return None
    match = _CONTENT_CHARSET.search(attributes.get("content", ""))
    return (match[1] or match[2] or match[3]) if match else None
