"""The table of single-byte codecs says what Python's own codecs say."""

import subprocess
import sys

import pytest

from guarded_webfetch.core.charset import LABELS
from guarded_webfetch.parser import charmaps

from . import generate_charmaps

CODECS = sorted({encoding.codec for encoding in LABELS.values()})
EVERY_BYTE = bytes(range(256))


def test_the_file_is_what_its_generator_writes() -> None:
    done = subprocess.run([sys.executable, "-I", generate_charmaps.__file__, "--check"], timeout=60, check=False)
    assert done.returncode == 0


def test_it_holds_every_single_byte_codec() -> None:
    multi_byte = {"big5hkscs", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp", "utf-8", "utf_16_be", "utf_16_le"}
    assert set(charmaps.load()) == set(CODECS) - multi_byte


@pytest.mark.parametrize("codec", CODECS)
def test_decodes_as_python_does(codec: str) -> None:
    for body in (EVERY_BYTE, EVERY_BYTE[::-1], b"", b"abc", "\u3042\u00e9".encode(codec, "replace")):
        assert charmaps.decode(body, codec) == body.decode(codec, "replace")


@pytest.mark.parametrize(("codec", "cut"), [("utf-8", b"a\xe3\x81"), ("cp932", b"a\x82"), ("utf_16_le", b"a\x00b")])
def test_an_unfinished_character_is_left_out_of_a_cut_body(codec: str, cut: bytes) -> None:
    assert charmaps.decode(cut, codec, final=False) == "a"
    assert charmaps.decode(cut, codec) == "a\ufffd"
