"""What a text is read as, and the way back to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.text.reading import reading, resolved

READ = {
    "＜｜ｉｍ＞": "<|im>",
    "‹ѕуѕtem›": "<system>",
    "&lt;a&#62;&#x7C;&vert;": "<a>||",
    "&LT;&#0000060;&lt b": "<<< b",
    "&nosuch; &#8; &#300; &#x9f; &": "&nosuch; &#8; &#300; &#x9f; &",
    "s\u00ady\u200dstem": "system",
    "━━ ： ⁄": "-- : /",
    "〈システム〉《あ》「い」": "〈システム〉《あ》「い」",
    "＼[L3] &#92; &bsol;": "＼[L3] &#92; &bsol;",
    "é日本\u3000": "é日本\u3000",
    "\\&#60;": "\\<",
}
RESOLVED = {
    "https\\://a\\.b": "https://a.b",
    "\\u0068ttp\\x3a\\u002f": "http:/",
    "https&colon;//a": "https://a",
    "C:\\Users\\a": "C:\\Users\\a",
    "＜ a": "＜ a",
    "\\u0101 \\x7": "\\u0101 \\x7",
}


@pytest.mark.parametrize("text", READ)
def test_a_reading(text):
    assert reading(text).text == READ[text]


@pytest.mark.parametrize("text", RESOLVED)
def test_references_and_escapes(text):
    assert resolved(text).text == RESOLVED[text]


@given(st.text(st.sampled_from("a<＜&#60;lt\\u{}0\u00ad日"), max_size=40))
def test_every_place_leads_back(text):
    for view in (reading(text), resolved(text)):
        assert len(view.text) <= len(text)
        if view.offsets is None:
            assert len(view.text) == len(text)
        else:
            assert len(view.offsets) == len(view.text) + 1 and view.offsets[-1] == len(text)
            assert list(view.offsets) == sorted(view.offsets)
