"""PDF files written by hand (ISO 32000-1): text pages, a page that is one image, encryption, an exact size."""

import hashlib
from collections.abc import Sequence
from typing import Final

PASSWORD_PAD: Final = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
PERMISSIONS: Final = -4  # everything allowed
FILE_ID: Final = bytes(range(16))


def text_pdf(pages: Sequence[Sequence[str]], *, password: str | None = None) -> bytes:
    """One page per list of lines (Latin-1). `password` is the one to open it; "" encrypts, but opens freely."""
    return _document([_text_page(lines) for lines in pages], password)


def scanned_pdf() -> bytes:
    """One page with an image and no text."""
    image = b"q 400 0 0 400 100 200 cm BI /W 2 /H 2 /CS /G /BPC 8 ID " + bytes((0, 160, 220, 90)) + b" EI Q"
    return _document([image], None)


def padded_pdf(pages: Sequence[Sequence[str]], total_bytes: int) -> bytes:
    """A PDF of exactly `total_bytes`: an unused stream fills it."""
    contents = [_text_page(lines) for lines in pages]
    padding = total_bytes - len(_document(contents, None, padding=0))
    while (size := len(_document(contents, None, padding=padding))) != total_bytes:
        padding += total_bytes - size  # the digits of lengths and offsets move with it
    return _document(contents, None, padding=padding)


def _text_page(lines: Sequence[str]) -> bytes:
    drawn = [b"BT /F1 11 Tf 72 740 Td 15 TL"]
    for line in lines:
        escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        drawn.append(b"(" + escaped.encode("latin-1") + b") Tj T*")
    return b"\n".join([*drawn, b"ET"])


def _document(contents: Sequence[bytes], password: str | None, padding: int | None = None) -> bytes:
    """Objects 1 catalogue, 2 page tree, 3 font, then page and content in turn, then padding and encryption."""
    key = b"" if password is None else _file_key(password)
    kids = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [ %s ] /Count %d >>" % (kids, len(contents)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for content in contents:
        number = len(objects) + 1
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects += [page + b" /Contents %d 0 R >>" % (number + 1), _stream(_encrypted(content, key, number + 1))]
    if padding is not None:
        objects.append(_stream(b"\0" * padding))
    trailer = b""
    if password is not None:
        objects.append(_encryption(password, key))
        trailer = b" /Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), FILE_ID.hex().encode(), FILE_ID.hex().encode())
    return _file(objects, trailer)


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    parts = [b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"]
    offsets = []
    at = len(parts[0])
    for number, content in enumerate(objects, 1):
        offsets.append(at)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        at += len(parts[-1])
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows))
    parts.append(b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, at))
    return b"".join(parts)


def _stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


# ---------------------------------------------------------------- standard security handler, revision 2 (section 7.6.3)


def _file_key(password: str) -> bytes:
    """Algorithm 2: 40 bits."""
    permissions = (PERMISSIONS & 0xFFFFFFFF).to_bytes(4, "little")
    return hashlib.md5(_padded(password) + _owner_entry(password) + permissions + FILE_ID).digest()[:5]


def _owner_entry(password: str) -> bytes:
    """Algorithm 3, owner password "owner"."""
    return _rc4(hashlib.md5(_padded("owner")).digest()[:5], _padded(password))


def _encryption(password: str, key: bytes) -> bytes:
    owner, user = _owner_entry(password).hex().encode(), _rc4(key, PASSWORD_PAD).hex().encode()
    return b"<< /Filter /Standard /V 1 /R 2 /Length 40 /P %d /O <%s> /U <%s> >>" % (PERMISSIONS, owner, user)


def _encrypted(data: bytes, key: bytes, number: int) -> bytes:
    """Algorithm 1; an empty key means no encryption."""
    return _rc4(hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], data) if key else data


def _padded(password: str) -> bytes:
    return (password.encode("latin-1") + PASSWORD_PAD)[:32]


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
