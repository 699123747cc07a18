"""The label table of the WHATWG Encoding Standard, and the labels of real life."""

import codecs

import pytest

from guarded_webfetch.core.charset import LABELS, Encoding, is_replacement, lookup


def test_the_table_has_all_labels_and_every_codec_exists():
    assert len(LABELS) == 220
    for encoding in LABELS.values():
        codecs.lookup(encoding.codec)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("utf-8", ("utf-8", "utf-8")),
        ("UTF8", ("utf-8", "utf-8")),
        ("Shift_JIS", ("shift_jis", "cp932")),
        ("x-sjis", ("shift_jis", "cp932")),
        ("gb2312", ("gbk", "gb18030")),
        ("euc-kr", ("euc-kr", "cp949")),
        ("big5", ("big5", "big5hkscs")),
        ("latin1", ("windows-1252", "cp1252")),
        ("us-ascii", ("windows-1252", "cp1252")),
        ("iso-8859-9", ("windows-1254", "cp1254")),
        ("utf-16", ("utf-16le", "utf_16_le")),
        ("x-user-defined", ("windows-1252", "cp1252")),
        ("utf8mb4", ("utf-8", "utf-8")),
        ("utf-8,gbk", ("utf-8", "utf-8")),
        ("utf-8; charset=gbk", ("utf-8", "utf-8")),
        ("'big5'", ("big5", "big5hkscs")),
        ('"EUC-JP"', ("euc-jp", "euc_jp")),
        ("  utf-8\r\n", ("utf-8", "utf-8")),
    ],
)
def test_labels(label, expected):
    assert lookup(label) == Encoding(*expected)


@pytest.mark.parametrize(
    "label", [None, "", "x-unknown-9", "binary", "\x81gUTF-8\x81h", "utf-8" * 100, "hz-gb-2312", "utf-7"]
)
def test_what_means_nothing_is_none(label):
    assert lookup(label) is None


def test_replacement_labels():
    assert is_replacement("ISO-2022-KR")
    assert not is_replacement("iso-2022-jp")
    assert not is_replacement(None)
