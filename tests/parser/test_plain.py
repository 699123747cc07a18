"""Text that is delivered as it stands."""

import pytest

from guarded_webfetch.core.reasons import Refusal
from tests.parser.pages import parsed


@pytest.mark.parametrize(
    ("content_type", "body", "kind", "text"),
    [
        ("application/json", b'{"a": "<b>&amp;",\r\n "c": [1]}', "code", '{"a": "<b>&amp;",\n "c": [1]}'),
        ("text/plain", b"\xef\xbb\xbfone\rtwo\r\n", "paragraph", "one\ntwo\n"),
        ("text/csv", "a;ä\n1;2\n".encode("cp1252"), "code", "a;ä\n1;2\n"),
        ("application/xml", b"<?xml encoding='latin1'?>\n<t>Financi\xebn", "code", "<?xml encoding='latin1'?>\n<t>Financiën"),
        ("text/markdown", b"# T\n\n    code <script>\n", "paragraph", "# T\n\n    code <script>\n"),
        ("text/plain", b"a\x00b\x1b[31mred", "paragraph", "ab[31mred"),
    ],
)  # fmt: skip
def test_verbatim(content_type, body, kind, text):
    said = parsed(body, "text", content_type=content_type)
    assert said["blocks"] == [{"kind": kind, "text": text, "spans": []}]
    assert (said["extractor"], said["source"], said["title"]) == ("verbatim", None, None)


def test_undeclared_utf_8_is_read():
    said = parsed("运河水位记录\n守闸人每日午时".encode(), "text", content_type="text/plain")
    assert said["blocks"][0]["text"].startswith("运河水位记录")
    assert said["charset"]["name"] == "utf-8"


def test_a_meta_element_means_nothing_in_plain_text():
    said = parsed("<meta charset=gbk> é".encode(), "text", content_type="text/plain")
    assert said["charset"]["name"] == "utf-8"


@pytest.mark.parametrize("body", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_blank_text_is_no_success(body):
    with pytest.raises(Refusal) as refusal:
        parsed(body, "text")
    assert refusal.value.code == "extract_empty"
