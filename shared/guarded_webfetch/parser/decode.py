"""Bytes to text: byte order mark, then header, then the page's own declaration, then UTF-8, then a guess.

A declaration counts when the body decodes under it with less than one bad character in a thousand. Two exceptions, both from
real servers: a windows-1252 header (Apache's AddDefaultCharset) loses to valid UTF-8 and to a declaration inside the page that
fits, and a legacy declaration loses to a body that is valid UTF-8 many times over.
"""

import codecs
import re
from typing import Final, Literal, NamedTuple

from guarded_webfetch.core.charset import UTF_8, WINDOWS_1252, Encoding, is_replacement, lookup
from guarded_webfetch.core.limits import SNIFF_BYTES
from guarded_webfetch.core.messages import Charset, ContentKind
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser import charmaps, detect, prescan
from guarded_webfetch.parser.japanese import decode_euc_jp, decode_iso_2022_jp

Source = Literal["bom", "header", "meta", "detected", "fallback"]

_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_BAD: Final = re.compile("[\ufffd\x80-\x84\x86-\x9f]")  # U+0085 is a line end in some old text
_MAX_BAD_SHARE: Final = 0.001
_MAX_FALLBACK_BAD_SHARE: Final = 0.05  # beyond this even windows-1252 is not text
_UTF8_SEQUENCE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_SURE_UTF8_SEQUENCES: Final = 10  # two legacy letters may look like one sequence; ten in a row without an error may not


_MAGIC: Final = (
    b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"Rar!\x1a", b"7z\xbc\xaf", b"BZh9", b"\x7fELF", b"RIFF",
)  # fmt: skip
# Text holds tabs, line ends, form feeds and escapes. Random bytes hold a tenth of other control characters.
_BINARY: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_BINARY_SHARE: Final = 0.02
_FEW_CONTROLS: Final = 8


class Claim(NamedTuple):
    """An encoding and who names it."""

    encoding: Encoding
    source: Source


def decode(
    body: bytes, charset_header: str | None, kind: ContentKind, *, truncated: bool = False
) -> tuple[str, Charset]:
    """The text of `body` and how it was read. Raises Refusal `charset_unknown` when no encoding yields text, and
    `content_type` for what never was text.
    """
    for mark, label in _BOMS:
        if body.startswith(mark) and (encoding := lookup(label)):
            text = _decode(body[len(mark) :], encoding, truncated)
            other = _declared(body, charset_header, kind)
            return text, _charset(Claim(encoding, "bom"), text, other)
    claims = _declared(body, charset_header, kind)
    if _is_binary(body, claims):
        raise Refusal("content_type")
    valid_utf8 = _valid_utf8(body, truncated)
    if is_replacement(charset_header) and not valid_utf8:
        raise Refusal("charset_unknown")
    for claim in _candidates(body, claims, valid_utf8):
        text = _decode(body, claim.encoding, truncated)
        if _bad_share(text) < _MAX_BAD_SHARE:
            return text, _charset(claim, text, claims)
    return _lossy(body, claims, truncated)


def _is_binary(body: bytes, claims: list[Claim]) -> bool:
    head = body[:SNIFF_BYTES]
    if head.startswith(_MAGIC):
        return True
    if any(claim.encoding.name.startswith("utf-16") for claim in claims) or detect.utf_16(body) is not None:
        return False
    return len(_BINARY.findall(head)) > max(len(head) * _MAX_BINARY_SHARE, _FEW_CONTROLS)


def _declared(body: bytes, charset_header: str | None, kind: ContentKind) -> list[Claim]:
    claims = [Claim(encoding, "header")] if (encoding := lookup(charset_header)) else []
    label = prescan.xml_label(body) or (prescan.meta_label(body) if kind == "html" else None)
    if inner := lookup(label):
        # A declaration read as ASCII cannot stand in UTF-16 text (HTML standard: treat as UTF-8).
        claims.append(Claim(UTF_8 if inner.name.startswith("utf-16") else inner, "meta"))
    return claims


def _candidates(body: bytes, claims: list[Claim], valid_utf8: bool) -> list[Claim]:
    order = list(claims)
    if len(order) == 2 and order[0].encoding == WINDOWS_1252:
        order.reverse()
    if valid_utf8 and not any(claim.encoding == UTF_8 for claim in order):
        beyond_ascii = not body.isascii()
        weak = not order or all(claim.encoding == WINDOWS_1252 for claim in order)
        if (beyond_ascii and (weak or _surely_utf8(body))) or (not order and b"\x1b$" not in body):
            order.insert(0, Claim(UTF_8, "detected"))
    if len(claims) == 2 and claims[1].encoding == UTF_8 and valid_utf8 and not body.isascii():
        order.sort(key=lambda claim: claim.encoding != UTF_8)
    if guess := detect.detect(body) if not valid_utf8 or not order else None:
        order.append(Claim(guess, "detected"))
    return order


def _lossy(body: bytes, claims: list[Claim], truncated: bool) -> tuple[str, Charset]:
    """No encoding fits cleanly: what was declared, else the web's default, with the damage counted."""
    claim = claims[0] if claims else Claim(WINDOWS_1252, "fallback")
    text = _decode(body, claim.encoding, truncated)
    if _bad_share(text) > _MAX_FALLBACK_BAD_SHARE:
        raise Refusal("charset_unknown")
    return text, _charset(claim, text, claims)


def _decode(body: bytes, encoding: Encoding, truncated: bool) -> str:
    if encoding.name == "euc-jp":
        return decode_euc_jp(body)
    if encoding.name == "iso-2022-jp":
        return decode_iso_2022_jp(body)
    return charmaps.decode(body, encoding.codec, final=not truncated)


def _valid_utf8(body: bytes, truncated: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(body, not truncated)
    except UnicodeDecodeError:
        return False
    return True


def _surely_utf8(body: bytes) -> bool:
    return sum(1 for _, _ in zip(_UTF8_SEQUENCE.finditer(body), range(_SURE_UTF8_SEQUENCES), strict=False)) >= (
        _SURE_UTF8_SEQUENCES
    )


def _bad_share(text: str) -> float:
    return len(_BAD.findall(text)) / max(len(text), 1)


def _charset(claim: Claim, text: str, claims: list[Claim]) -> Charset:
    named = {other.encoding.name for other in claims} | {claim.encoding.name}
    return {
        "name": claim.encoding.name,
        "source": claim.source,
        "conflict": len(named) > 1,
        "replacements": text.count("\ufffd"),
    }
