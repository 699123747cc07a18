"""What a client would make a link of, and what it would not."""

import pytest

from guarded_webfetch.text.bare_urls import bare_urls

FOUND = {
    "See https://example.org/a, then go.": ("https://example.org/a", "https://example.org/a"),
    "(https://example.org/a_(b))": ("https://example.org/a_(b)", "https://example.org/a_(b)"),
    "Visit www.example.org/a": ("www.example.org/a", "https://www.example.org/a"),
    "Visit example.org/a?b=c.": ("example.org/a?b=c", "https://example.org/a?b=c"),
    'src="//example.org/p.png"': ("//example.org/p.png", "https://example.org/p.png"),
    "\\\\example.org\\share\\a.png": ("\\\\example.org\\share\\a.png", "https://example.org/share/a.png"),
    "https:\\\\example.org\\a": ("https:\\\\example.org\\a", "https://example.org/a"),
    "ht\ntps://example.org/a": ("ht\ntps://example.org/a", "https://example.org/a"),
    "url(https://example.org/a)": ("https://example.org/a", "https://example.org/a"),
    "<https://example.org/|click>": ("https://example.org/", "https://example.org/"),
    "http://2130706433/a": ("http://2130706433/a", "http://2130706433/a"),
    "https://例え.jp/料金": ("https://例え.jp/料金", "https://xn--r8jz45g.jp/%E6%96%99%E9%87%91"),
    "mailto:a@example.org?body=x": ("mailto:a@example.org?body=x", ""),
    "ssh://git@example.org/a": ("ssh://git@example.org/a", ""),
    "hxxps://example.org/a": ("hxxps://example.org/a", "https://example.org/a"),
    "https:example.org/a": ("https:example.org/a", "https://example.org/a"),
    "https&#58;//example.org/a": ("https&#58;//example.org/a", "https://example.org/a"),
    "example.org./a": ("example.org./a", "https://example.org./a"),
    "10.1.2.3/latest?x": ("10.1.2.3/latest?x", "https://10.1.2.3/latest?x"),
    "www.example.org": ("www.example.org", "https://www.example.org"),
    "https://例え。jp/料金": ("https://例え。jp/料金", "https://xn--r8jz45g.jp/%E6%96%99%E9%87%91"),
    "https://ja.example.org/wiki/日本": (
        "https://ja.example.org/wiki/日本",
        "https://ja.example.org/wiki/%E6%97%A5%E6%9C%AC",
    ),
    "詳細はhttps://example.org/aをご覧ください。": ("https://example.org/a", "https://example.org/a"),
    "詳細はexample.org/aをご覧": ("example.org/a", "https://example.org/a"),
}
NONE = [
    "Our domain example.com was registered in 1995.",
    "See config.py and setup.cfg",
    "either/or, 1/2, and/or",
    "Version 3.11/3.12",
    "a // comment",
    "C:\\Users\\name",
    "ratio 3:4?",
    "Really.What? Yes/no.",
]


@pytest.mark.parametrize("text", FOUND)
def test_an_address_is_found_whole(text):
    bare = list(bare_urls(text))
    assert [(text[one.start : one.end], one.url) for one in bare] == [FOUND[text]]


@pytest.mark.parametrize("text", NONE)
def test_ordinary_text_holds_no_address(text):
    assert list(bare_urls(text)) == []


def test_every_address_is_ascii_and_absolute():
    for text in FOUND:
        for one in filter(lambda bare: bare.url, bare_urls(text)):
            assert one.url.isascii() and one.url.startswith(("http://", "https://")) and " " not in one.url


def test_an_address_inside_japanese_text_is_taken():
    text = "詳細は https://example.org/a をご覧ください。"
    assert [one.url for one in bare_urls(text)] == ["https://example.org/a"]


def test_what_follows_a_sentence_is_searched_again():
    text = "https://a.example/xをご覧くださいhttps://b.example/y、b.example/zをwww.c.exampleと"
    assert [one.url for one in bare_urls(text)] == [
        "https://a.example/x",
        "https://b.example/y",
        "https://b.example/z",
        "https://www.c.example",
    ]
