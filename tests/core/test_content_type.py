"""What a body is: declared types, first bytes, and the cases where they disagree."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guarded_webfetch
from guarded_webfetch.core.content_type import (
    KNOWN_ESSENCES,
    choose_kind,
    looks_like_html,
    parse_content_type,
    record_essence,
)
from guarded_webfetch.core.reasons import Refusal

HTML = b'<!DOCTYPE html>\n<html lang="en"><head><title>T</title></head><body><p>x</p></body></html>'
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"


@pytest.mark.parametrize(
    ("values", "essence", "charset"),
    [
        ([], "", None),
        (["text/html"], "text/html", None),
        (["Text/HTML; Charset=UTF-8"], "text/html", "UTF-8"),
        (['text/html;charset="shift_jis"'], "text/html", "shift_jis"),
        (["text/html; charset='big5'"], "text/html", "big5"),
        (["text/html; charset=utf-8,gbk"], "text/html", "utf-8,gbk"),  # the charset chain takes the first
        (["text/html; charset=utf-8; charset=gbk"], "text/html", "utf-8"),
        (["text/html; description=charset; x"], "text/html", None),
        (["text/html; charset="], "text/html", None),
        (["text/html;; ;charset = utf-8 "], "text/html", "utf-8"),
        (["text/html; charset=\x81gUTF-8\x81h"], "text/html", None),
        (["text/html; charset=" + "x" * 100], "text/html", None),
        (["application/pdf; charset=binary"], "application/pdf", "binary"),
        (["application/problem+json"], "application/problem+json", None),
        (["text/html", "text/html"], "text/html", None),
        (["text/html, text/html"], "text/html", None),
        # malformed: as if there were none
        (["html"], "", None),
        (["text/"], "", None),
        (["/html; charset=utf-8"], "", "utf-8"),
        (["text/html/x"], "", None),
        (["text html"], "", None),
        (["\x00"], "", None),
        (["a/" + "b" * 200], "", None),
    ],
)
def test_content_type_fields(values, essence, charset):
    assert parse_content_type(values) == (essence, charset)


@pytest.mark.parametrize(
    "values",
    [
        ["text/html", "application/pdf"],
        ["text/html; charset=utf-8", "text/html; charset=gbk"],
        ["text/html, application/json"],
        ["text/html", ""],
    ],
)
def test_differing_fields_are_refused(values):
    with pytest.raises(Refusal, match="content_type"):
        parse_content_type(values)


@pytest.mark.parametrize(
    ("essence", "body", "kind"),
    [
        ("text/html", HTML, "html"),
        ("text/html", b"just words", "html"),
        ("application/xhtml+xml", b"<?xml version='1.0'?>" + HTML, "html"),
        ("text/html", HTML.replace(b"x", b"a\x00b"), "html"),  # a stray NUL in a page
        ("text/plain", b"plain words", "text"),
        ("text/plain", HTML, "text"),  # declared text stays text
        ("text/markdown", b"# Head", "text"),
        ("application/json", b'{"a": 1}', "text"),
        ("application/problem+json", b"{}", "text"),
        ("application/ld+json", b"{}", "text"),
        ("application/xml", b"<?xml version='1.0'?><a/>", "text"),
        ("text/xml", b"<a/>", "text"),
        ("application/rss+xml", b"<rss/>", "text"),
        ("application/vnd.x+xml", b"<a/>", "text"),
        ("text/csv", b"a,b\n1,2\n", "text"),
        # PDF by its signature, whatever the type says
        ("application/pdf", PDF, "pdf"),
        ("application/octet-stream", PDF, "pdf"),
        ("", PDF, "pdf"),
        ("text/html", PDF, "pdf"),
        ("image/png", PDF, "pdf"),
        ("application/pdf", b"\xef\xbb\xbf\n" + PDF, "pdf"),
        ("application/pdf", b"x" * 1000 + PDF, "pdf"),
        ("text/plain", b"HTTP junk\r\n\r\n" + PDF, "pdf"),
        # a text about PDF is no PDF
        ("text/html", HTML.replace(b"x", b"A file starts with %PDF-1.7"), "html"),
        ("text/plain", b"A file starts with %PDF-1.7 and ends with %%EOF.", "text"),
        ("", HTML.replace(b"x", b"%PDF-1.7"), "html"),
        # a page that pretends to be a PDF
        ("application/pdf", HTML, "html"),
        # no type that says anything: by the first bytes
        ("", HTML, "html"),
        ("application/octet-stream", b"\n <!-- c --><HTML>", "html"),
        ("*/*", b"plain words", "text"),
        ("", b"<?xml version='1.0'?><rss/>", "text"),
        ("", b'{"a": 1}', "text"),
        ("", b"", "text"),
        ("", "日本語".encode("iso2022_jp"), "text"),
        ("text/html", "<html><p>x".encode("utf-16"), "html"),
        ("", "<html><p>x".encode("utf-16"), "html"),
        ("text/plain", "words".encode("utf-16"), "text"),
    ],
)
def test_kinds(essence, body, kind):
    assert choose_kind(essence, body) == (kind, kind == "text")


@pytest.mark.parametrize("charset", ["utf-16", "UTF-16LE", "utf-16be"])
def test_a_declared_wide_charset_explains_nul_bytes(charset):
    body = "words and more".encode(charset.lower())
    assert choose_kind("text/plain", body, charset) == ("text", True)
    with pytest.raises(Refusal, match="content_type"):
        choose_kind("text/plain", body.removeprefix(b"\xff\xfe"), "utf-8")


@pytest.mark.parametrize(
    ("essence", "body", "code"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n", "content_type"),
        ("image/svg+xml", b"<svg/>", "content_type"),
        ("application/zip", b"PK\x03\x04", "content_type"),
        ("video/mp4", b"\0\0\0\x18ftyp", "content_type"),
        ("text/css", b"a{}", "content_type"),
        ("application/javascript", b"x()", "content_type"),
        ("text/html", b"PK\x03\x04" + b"Z" * 50, "content_type"),
        ("text/html", b"\x1f\x8b\x08\x00", "content_type"),
        ("text/plain", b"\x89PNG\r\n\x1a\n", "content_type"),
        ("application/json", b"GIF89a", "content_type"),
        ("text/html", b"words\x00" + HTML, "content_type"),
        ("text/plain", b"words\x00words", "content_type"),
        ("application/octet-stream", b"words\x01words", "content_type"),
        ("", b"\x7fELF\x02", "content_type"),
        ("application/pdf", b"not a document", "pdf_broken"),
        ("application/pdf", b"", "pdf_broken"),
        ("application/pdf", b"x" * 1100 + PDF, "pdf_broken"),  # beyond where the signature may stand
        ("application/pdf", b"PK\x03\x04", "content_type"),
    ],
)
def test_refused_bodies(essence, body, code):
    with pytest.raises(Refusal) as refusal:
        choose_kind(essence, body)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("essence", "known"),
    [
        ("text/html", "text/html"),
        ("application/problem+json", "application/json"),
        ("text/x-markdown", "text/markdown"),
        ("application/x-pdf", "application/pdf"),
        ("application/vnd.x+xml", "application/xml"),
        ("image/svg+xml", None),
        ("image/png", None),
        ("", None),
    ],
)
def test_a_record_names_types_out_of_a_closed_list(essence, known):
    assert record_essence(essence) == known


def test_the_closed_list_is_the_one_of_the_schema():
    path = Path(guarded_webfetch.__file__).parent / "contract" / "record.schema.json"
    schema = json.loads(path.read_text("utf-8"))
    assert set(schema["properties"]["content_type"]["enum"]) == {*KNOWN_ESSENCES, None}


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"<p>x", True),
        (b"<DIV class=a>", True),
        (b"<!doctype   HTML>", True),
        (b"<!-- a --><!-- b -->\n<body>", True),
        (b"< p>", False),
        (b"<", False),
        (b"<!-- never closed <html>", False),
        (b"<!doctype svg>", False),
        (b"<rss>", False),
        (b"<person>", False),
        (b"1 < 2 <p>", False),
    ],
)
def test_html_signatures(head, expected):
    assert looks_like_html(head) is expected


@given(
    st.sampled_from([*KNOWN_ESSENCES, "", "image/png", "application/octet-stream"]),
    st.lists(
        st.sampled_from(
            [b"<", b"html", b"%PDF-", b"\0", b"\xff\xfe", b"<!--", b"<?xml", b"?>", b"a", b"\xe9", b"PK\x03\x04"]
        ),
        max_size=6,
    ),
)
def test_only_refusals_are_raised(essence, parts):
    try:
        kind, verbatim = choose_kind(essence, b"".join(parts))
    except Refusal as refusal:
        assert refusal.code in ("content_type", "pdf_broken")
        return
    assert verbatim is (kind == "text")


@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_field_values(values):
    try:
        essence, charset = parse_content_type(values)
    except Refusal as refusal:
        assert refusal.code == "content_type"
        return
    assert essence == essence.lower() and (not essence or "/" in essence)
    assert charset is None or charset.isascii()
