"""EUC-JP and ISO-2022-JP with the vendor characters that Python's codecs leave out.

Circled digits, Roman numerals, (kabu) and the IBM kanji stand in rows 13 and 89-115 of the vendors' tables; pages declare the plain
names all the same (WHATWG Encoding Standard, index jis0208). Python knows them in cp932 only, so holes are filled from there.
"""

import codecs
import re
from typing import Final

_ESCAPE: Final = re.compile(rb"\x1b(?:\([BJIH]|\$[@B]|\$\([@BD])")
_FILL: Final = "guarded_webfetch_euc_jp"


def decode_euc_jp(data: bytes) -> str:
    """EUC-JP with U+FFFD for what no vendor table knows."""
    return data.decode("euc_jp", _FILL)


def decode_iso_2022_jp(data: bytes) -> str:
    """ISO-2022-JP in its common dialects: JIS X 0201 kana and vendor characters included."""
    parts: list[str] = []
    mode, position = b"\x1b(B", 0
    for match in _ESCAPE.finditer(data):
        parts.append(_segment(mode, data[position : match.start()]))
        mode, position = match.group(), match.end()
    parts.append(_segment(mode, data[position:]))
    return "".join(parts)


def _segment(mode: bytes, data: bytes) -> str:
    if mode == b"\x1b(I":
        return bytes(byte | 0x80 if 0x21 <= byte <= 0x5F else byte for byte in data).decode("cp932", "replace")
    if not mode.startswith(b"\x1b$"):
        return data.decode("ascii", "replace")
    prefix = b"\x8f" if mode == b"\x1b$(D" else b""
    # A line end ends the two-byte mode in practice (RFC 1468 asks writers to return to ASCII before it).
    return "".join(_double_bytes(line, prefix) for line in re.split(rb"([\r\n]+)", data))


def _double_bytes(line: bytes, prefix: bytes) -> str:
    if not line or line[0] in b"\r\n":
        return line.decode("ascii")
    pairs = (line[index : index + 2] for index in range(0, len(line), 2))
    return decode_euc_jp(b"".join(prefix + bytes(byte | 0x80 for byte in pair) for pair in pairs))


def _fill_from_cp932(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and min(pair) >= 0xA1 and max(pair) <= 0xFE:
        return _shift_jis(pair[0] - 0x80, pair[1] - 0x80).decode("cp932", "replace")[:1], error.start + 2
    return "\ufffd", error.start + 1


def _shift_jis(row: int, cell: int) -> bytes:
    """The Shift_JIS form of a JIS X 0208 code: two rows share one lead byte."""
    lead = (row - 0x21) // 2 + (0x81 if row < 0x5F else 0xC1)
    if row % 2:
        return bytes((lead, cell + (0x1F if cell < 0x60 else 0x20)))
    return bytes((lead, cell + 0x7E))


codecs.register_error(_FILL, _fill_from_cp932)
