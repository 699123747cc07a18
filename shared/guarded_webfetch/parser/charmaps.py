"""Decodes by a Python codec's name, the single-byte ones from one table of ours.

Any page may need any of them, and after the lock none can be imported: 27 modules of `encodings` took 5 ms of every fetch, the
table takes 0.4. charmaps.json is made from those modules by tests/parser/generate_charmaps.py; a test compares them.
"""

import codecs
import json
import os
from functools import cache
from typing import Final

FILE: Final = os.path.join(os.path.dirname(__file__), "charmaps.json")
_ASCII: Final = "".join(map(chr, range(0x80)))


def decode(body: bytes, codec: str, *, final: bool = True) -> str:
    """`body` with U+FFFD for what does not decode; unless `final`, an unfinished character at its end is left out."""
    upper_half = load().get(codec)
    if upper_half is not None:
        return codecs.charmap_decode(body, "replace", _ASCII + upper_half)[0]
    return codecs.getincrementaldecoder(codec)("replace").decode(body, final)


@cache
def load() -> dict[str, str]:
    """{codec: what its bytes from 0x80 on stand for; U+FFFE for nothing}"""
    with open(FILE, encoding="ascii") as file:
        tables: dict[str, str] = json.load(file)
    return tables
