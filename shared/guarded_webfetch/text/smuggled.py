"""What removed invisible characters spelled: tag characters, variation selectors as bytes, two symbols as bits."""

from collections.abc import Iterator
from typing import Final

from guarded_webfetch.core.messages import Decoded
from guarded_webfetch.text.unicode import Payload

MIN_CHARS: Final = 3
MIN_PRINTABLE: Final = 0.9
MAX_BITS: Final = 400_000


def decode(payload: Payload) -> Iterator[Decoded]:
    """The readable payloads, each with its encoding."""
    tags = "".join(chr(ord(tag) - 0xE0000) for tag in payload.tags)
    if len(tags) >= MIN_CHARS:
        yield {"encoding": "tags", "text": tags}
    selected = _text(bytes(map(_selector_byte, payload.selectors)))
    if selected:
        yield {"encoding": "variation_selectors", "text": selected}
    hidden = _binary(payload.zero_width[:MAX_BITS])
    if hidden:
        yield {"encoding": "zero_width_binary", "text": hidden}


def _selector_byte(selector: str) -> int:
    code = ord(selector)
    return code - 0xFE00 if code < 0xFF00 else code - 0xE0100 + 16


def _binary(symbols: str) -> str:
    """Two symbols as the bits of bytes, either way round; "" when that reads as no text."""
    kinds = list(dict.fromkeys(symbols))
    if len(kinds) != 2 or len(symbols) < 8 * MIN_CHARS:
        return ""
    for zero in kinds:
        bits = "".join("0" if symbol == zero else "1" for symbol in symbols)
        text = _text(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))
        if text:
            return text
    return ""


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    printable = sum((character.isprintable() and character != "\ufffd") or character == "\n" for character in text)
    return text if len(text) >= MIN_CHARS and printable >= MIN_PRINTABLE * len(text) else ""
