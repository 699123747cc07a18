"""Which declaration wins, what happens when none fits, and what is no text at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.decode import decode
from guarded_webfetch.parser.japanese import decode_euc_jp, decode_iso_2022_jp
from guarded_webfetch.parser.prescan import PRESCAN_BYTES, meta_label, xml_label
from tests.parser.pages import data_set, parsed, text_of

JA = "運河事務所は毎日、石柱の水位を測って日誌に書きます。上の水門は午前八時に開き、夕方に閉まります。"
FR = "L’été prochain à Besançon, l’écluse sera rénovée."


def page(text, head=""):
    return f"<!DOCTYPE html><html><head>{head}<title>t</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("head", "label"),
    [
        (b"<meta charset=big5>", "big5"),
        (b"<meta charset='big5'>", "big5"),
        (b'<META CHARSET = "Big5" >', "Big5"),
        (b'<meta http-equiv="content-type" content="text/html; charset=gbk">', "gbk"),
        (b"<meta content=\"text/html; charset='gbk'\" http-equiv=Content-Type>", "gbk"),
        (b'<meta name="description" content="old notes: charset=gbk"><meta data-charset="gbk" name=x>', None),
        (b"<!-- <meta charset=gbk> --><meta charset=utf-8>", "utf-8"),
        (b"<!--> <meta charset=gbk>", "gbk"),
        (b"<script>'<meta charset=gbk>'</script><meta charset=utf-8>", "utf-8"),
        (b"<title><meta charset=gbk></title><meta charset=utf-8>", "utf-8"),
        (b"<link title='<meta charset=gbk>'><meta charset=utf-8>", "utf-8"),
        (b"x" * 2_000 + b"<meta charset=gbk>", "gbk"),
        (b"x" * PRESCAN_BYTES + b"<meta charset=gbk>", None),
        (b"<meta http-equiv=refresh content='1; url=/?charset=gbk'>", None),
    ],
)
def test_only_a_real_declaration_counts(head, label):
    assert meta_label(head) == label


def test_an_xml_declaration_counts_at_the_start_only():
    assert xml_label(b'<?xml version="1.0" encoding="ISO-8859-1"?><m/>') == "ISO-8859-1"
    assert xml_label(b'<m/><?xml version="1.0" encoding="ISO-8859-1"?>') is None


@pytest.mark.parametrize(
    ("codec", "header", "head", "name", "source", "conflict"),
    [
        ("cp932", "ISO-8859-1", '<meta charset="Shift_JIS">', "shift_jis", "meta", True),
        ("cp932", "x-unknown-9", '<meta charset="Shift_JIS">', "shift_jis", "meta", False),
        ("euc_jp", "EUC-JP", "", "euc-jp", "header", False),
        ("euc_jp", "EUC-JP", '<meta charset="utf-8">', "euc-jp", "header", True),
        ("utf-8", "ISO-8859-1", "", "utf-8", "detected", True),
        ("utf-8", "utf8mb4", "", "utf-8", "header", False),
        ("utf-8", "\x81gUTF-8\x81h", "", "utf-8", "detected", False),
        ("utf-8", "gbk", '<meta charset="utf-8">', "utf-8", "meta", True),
        ("utf-8", None, "", "utf-8", "detected", False),
        ("utf-8-sig", "Shift_JIS", "", "utf-8", "bom", True),
        ("utf-16", "utf-8", "", "utf-16le", "bom", True),
        ("utf_16_le", None, "", "utf-16le", "detected", False),
        ("cp932", None, "", "shift_jis", "detected", False),
        ("euc_jp", None, "", "euc-jp", "detected", False),
        ("iso2022_jp", None, "", "iso-2022-jp", "detected", False),
        ("iso2022_jp", "iso-8859-1", '<meta charset="iso-2022-jp">', "iso-2022-jp", "meta", True),
        ("cp932", "utf-8", "", "shift_jis", "detected", True),
    ],
)
def test_the_chain(codec, header, head, name, source, conflict):  # noqa: PLR0917
    text, charset = decode(page(JA, head).encode(codec), header, "html")
    assert JA in text
    assert (charset["name"], charset["source"], charset["conflict"]) == (name, source, conflict)
    assert charset["replacements"] == 0


def test_a_western_header_stays_for_western_text():
    text, charset = decode(page(FR).encode("cp1252"), "iso-8859-1", "html")
    assert FR in text
    assert (charset["name"], charset["source"], charset["conflict"]) == ("windows-1252", "header", False)


def test_ascii_keeps_the_declared_name():
    assert decode(page("plain").encode(), "iso-8859-1", "html")[1]["name"] == "windows-1252"


def test_damage_is_counted():
    body = page(JA * 40).encode("utf-8").replace("石".encode(), b"\xe7\x9f", 1)
    text, charset = decode(body, "utf-8", "html")
    assert charset["name"] == "utf-8"
    assert charset["replacements"] == text.count("\ufffd") == 1


def test_a_cut_inside_a_character_is_no_damage():
    body = page(JA).encode("utf-8")[:-30][: -len("</p></body></html>")]
    cut = body[: body.rindex("閉".encode()) + 1] if "閉".encode() in body else body[:-1]
    assert decode(cut, "utf-8", "html", truncated=True)[1]["replacements"] == 0


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr"])
def test_what_browsers_refuse_to_decode_is_refused(label):
    with pytest.raises(Refusal) as refusal:
        decode(page("x").encode() + b"\xb0\xa1", label, "html")
    assert refusal.value.code == "charset_unknown"


@pytest.mark.parametrize(
    "body", [b"PK\x03\x04" + bytes(range(256)), b"\x89PNG\r\n\x1a\n" + b"a" * 400, bytes(range(256)) * 4]
)
def test_a_binary_is_no_page(body):
    with pytest.raises(Refusal) as refusal:
        decode(body, None, "html")
    assert refusal.value.code == "content_type"


def test_single_control_characters_do_not_make_a_binary():
    assert "noon" in text_of(parsed(page("The bell rang \x00 at noon\x01 and again\x7f at six.")))


def test_vendor_characters_are_read_in_every_japanese_encoding():
    assert decode_euc_jp(b"\xad\xa1\xad\xea\x8e\xca\xa4\xa2") == "①㈱ﾊあ"
    assert decode_iso_2022_jp(b"a\x1b$B\x2d\x21\x24\x22\x1b(B b\x1b(I\x4a\x1b(B") == "a①あ bﾊ"


@given(
    st.binary(max_size=300),
    st.sampled_from([None, "utf-8", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "utf-16", "big5"]),
)
def test_any_bytes_are_text_or_a_refusal(body, label):
    try:
        text, charset = decode(body, label, "html")
    except Refusal as refusal:
        assert refusal.code in ("charset_unknown", "content_type")
    else:
        text.encode("utf-8")
        assert charset["replacements"] == text.count("\ufffd")


def test_charset_data_set_is_exact():
    folder = data_set("charset")
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = []
    for row in rows:
        header = row["content_type"].partition("charset=")[2] or None
        text, charset = decode((folder / row["file"]).read_bytes(), header, "html")
        lines = [line for line in row["expected_text"].split("\n") if line.strip()]
        if charset["replacements"] or any(line not in text for line in lines):
            wrong.append(row["id"])
    assert len(rows) >= 59
    assert wrong == []
