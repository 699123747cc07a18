"""Undoes one content coding, incrementally and under a bound. No I/O.

Sources: RFC 9110 section 8.4 (codings), RFC 1952 section 2.2 (a gzip file is a series of members).
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.core.limits import FRAME_CHUNK_BYTES
from guarded_webfetch.core.reasons import Refusal

# Servers name the charset, or no coding at all, in Content-Encoding (locustio/locust#1233): such a body is not coded.
_NO_CODING: Final = re.compile(
    r"|identity|none|utf-?(?:8|16(?:le|be)?)|(?:us-)?ascii|iso-?8859-\d{1,2}|windows-\d{3,4}|cp\d{3,4}"
    r"|latin-?1|shift[_-]jis|euc-(?:jp|kr)|iso-2022-(?:jp|kr)|gbk|gb2312|gb18030|big5|koi8-[ru]"
)
_GZIP: Final = frozenset(("gzip", "x-gzip"))  # RFC 9110 section 8.4.1.3: x-gzip is equivalent
_GZIP_MAGIC: Final = b"\x1f\x8b"
_HEADER_BYTES: Final = 2  # of gzip and of zlib: enough to tell what follows

_WBITS_GZIP: Final = 31
_WBITS_ZLIB: Final = 15
_WBITS_RAW: Final = -15


class BodyDecoder:
    """Decodes what `decode` is given piece by piece; `finish` says whether it was all.

    Refusal content_encoding: another coding, two of them, or data the coding does not allow.
    """

    def __init__(self, content_encodings: Sequence[str]) -> None:
        """`content_encodings`: the values of all Content-Encoding fields."""
        self._coding = _only_coding(content_encodings)
        self._inflate: zlib._Decompress | None = None  # inside a gzip member or a deflate stream
        self._pending = b""  # encoded bytes, too few to tell what they begin
        self._members = 0
        self._over = False  # what follows is no part of the body

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Decoded pieces, none empty, none over FRAME_CHUNK_BYTES."""
        if self._coding is None:
            yield from (data[at : at + FRAME_CHUNK_BYTES] for at in range(0, len(data), FRAME_CHUNK_BYTES))
            return
        if self._over:
            return
        self._pending += data
        while self._inflate or self._begin():
            yield from self._inflated()
            if self._inflate is not None:  # wants more than there is
                return

    def finish(self) -> None:
        """Refusal body_incomplete when a coded body lacks its end; one without a single byte has none to lack."""
        begun = self._inflate is not None or (self._pending and not self._members)
        if self._coding is not None and begun:
            raise Refusal("body_incomplete")

    def _begin(self) -> bool:
        """Starts the next member or stream once its first two bytes are there."""
        head = self._pending[:_HEADER_BYTES]
        if len(head) < _HEADER_BYTES:
            return False
        if self._members and (self._coding == "deflate" or head != _GZIP_MAGIC):
            self._over, self._pending = True, b""  # padding or garbage behind the end, as gzip(1) and browsers take it
            return False
        self._inflate = zlib.decompressobj(_WBITS_GZIP if self._coding == "gzip" else _deflate_wbits(head))
        return True

    def _inflated(self) -> Iterator[bytes]:
        inflate = self._inflate
        assert inflate is not None
        data, self._pending = self._pending, b""
        piece = b""
        # After a full piece zlib may hold more without needing input. At the end it must not be asked again: it would
        # add `data` to unused_data each time.
        while not inflate.eof and (data or len(piece) == FRAME_CHUNK_BYTES):
            try:
                piece = inflate.decompress(data, FRAME_CHUNK_BYTES)
            except zlib.error as error:
                raise Refusal("content_encoding") from error
            data = inflate.unconsumed_tail
            if piece:
                yield piece
        if inflate.eof:
            self._inflate, self._pending = None, inflate.unused_data
            self._members += 1


def _only_coding(content_encodings: Sequence[str]) -> str | None:
    tokens = [token.strip(" \t").lower() for value in content_encodings for token in value.split(",")]
    codings = [token for token in tokens if not _NO_CODING.fullmatch(token)]
    if not codings:
        return None
    if len(codings) == 1 and codings[0] in _GZIP:
        return "gzip"
    if codings == ["deflate"]:
        return "deflate"
    raise Refusal("content_encoding")


def _deflate_wbits(head: bytes) -> int:
    """Some servers send raw deflate where RFC 9110 section 8.4.1.2 asks for zlib; RFC 1950 section 2.2 tells which."""
    zlib_format = head[0] & 0x0F == 8 and int.from_bytes(head, "big") % 31 == 0
    return _WBITS_ZLIB if zlib_format else _WBITS_RAW
