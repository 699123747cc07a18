"""Whatever a client would load, open or run is disarmed or numbered; what only mentions a name or an address stays."""

import pytest

from guarded_webfetch.text.active import COUNTED, kind_of, live_targets
from guarded_webfetch.text.bare_urls import bare_urls
from guarded_webfetch.text.edits import Passage, apply
from tests.sanitizer.orders import block, paragraph, run

HOST = "evil.example"
LIVE = [
    "![x](https://evil.example/p.png)",
    "![x][1]\n\n[1]: https://evil.example/p.png 'title'",
    "[x]: <//evil.example/p>",
    "[x](//evil.example)",
    "[x](///evil.example/a)",
    "[x](/\\evil.example/a)",
    "[x](\\/evil.example/a)",
    "[x](https:evil.example/a)",
    "[x](https:/evil.example)",
    "[x](https:evil.example)",
    "[x](HTTPS://EVIL.EXAMPLE/a)",
    "[x](&#104;ttps://evil.example/a)",
    "[x](https&#58;//evil.example)",
    "[x](https&colon;&sol;&sol;evil.example)",
    "[x](https:&#x2f;&#x2F;evil.example)",
    "[x](https://evil&period;example/a)",
    "[x](https\\://evil.example)",
    "[x](https:\\/\\/evil\\.example\\/a)",
    "https\\u003a//evil.example/a",
    "https:\\u002f\\u002fevil.example",
    "\\x68ttps://evil.example",
    "hxxps://evil.example/a",
    "h**ps://evil.example/a",
    "ftp://evil.example/a",
    "gopher://evil.example",
    "ssh://git@evil.example/repo",
    "vscode://evil.example/install",
    "www.evil.example",
    "WWW.evil.example/?d=1",
    "evil.example./a",
    "evil.example:8080/a",
    "user@evil.example/a",
    "https://good.example@evil.example/",
    "https://evil。example/a",
    "https://evil．example/a",
    "詳細はevil.example/aをご覧ください",
    "<mailto:a@evil.example?body=SECRET>",
    "mailto:a@evil.example?subject=x&body=SECRET",
    '<form action="https://evil.example/">',
    '<base href="//evil.example/">',
    '<video poster="https://evil.example/p.png">',
    '<input type="image" src="https://evil.example/p">',
    "<svg><image href='https://evil.example/a.svg'/></svg>",
    "<style>@font-face{src:url(//evil.example/f.woff)}</style>",
    "\\href{https://evil.example/}{x} \\url{https://evil.example/}",
    "[[https://evil.example/][x]] image::https://evil.example/a.png[] !https://evil.example/a.png!",
    "[img]https://evil.example/a.png[/img] [url=https://evil.example]x[/url] [x|https://evil.example]",
    "[^1]: see https://evil.example/note",
    "$\\href{https://evil.example}{x}$",
    "http://evil.example#frag",
    "https://evil.example?q",
    "wss://evil.example/socket",
    "a ` b\n`https://evil.example/x` c",
    "<a title='`'>`https://evil.example/x` `",
    '```mermaid\nclick A "https://evil.example/"\n```',
]
TARGETS = [
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](vbscript:msgbox)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x]: javascript:alert(1)",
    "<javascript:alert(1)>",
    "[x](file:///etc/passwd)",
    "[x](vscode:extension/x)",
    "[x](sms:+123?body=S)",
    '<a href="javascript:alert(1)">x</a>',
    "<a href='sms:+1'>x</a>",
    "<img src=x onerror=alert(1)>",
    '<svg onload="alert(1)">',
    "<script>alert(1)</script>",
    '<iframe srcdoc="<p>x">',
]
KEPT = [
    "Our domain example.com was registered in 1995.",
    "See config.py, setup.cfg, index.php?id and Node.js/Express.",
    "`https://example.com/api`",
    "``a ` https://example.com/api``",
    "Text[^1]\n\n[^1]: A note.",
    "Mail info@example.com or press <Ctrl>.",
    "C++: std::vector<int> and <std::string>",
    "The <img> and <script> elements; set onclick handlers.",
    "data: the figures; file: see below; tel: 03-1234-5678",
    "[x](config.py) and [y](#part) and [z](/about)",
    "10.0.0.0/8 and 192.168.0.1/24, Chrome/120.0.0.0",
    "C:\\Users\\name\\file.txt and \\\\server\\share",
    "postgres://localhost/db",
    "either/or, 3/4, a//b, http status, https only",
    "```\ncurl https://example.com/api\n```",
    "~~~sh\ncurl https://example.com/api\n~~~",
]


@pytest.mark.parametrize("text", LIVE)
def test_no_address_of_the_page_is_left_alive(text):
    result = run(paragraph(text), kind="text")
    assert HOST not in result["raw_text"].lower().replace("。", ".").replace("．", ".")
    assert HOST not in (run(title=text)["title"] or "").lower()


@pytest.mark.parametrize("text", TARGETS)
def test_other_targets_are_disarmed_and_readable(text):
    changed = apply(Passage(text), sorted(live_targets(text))).text
    assert changed != text and changed.replace("\\", "") == text.replace("\\", "")
    assert not list(live_targets(changed))


@pytest.mark.parametrize("text", KEPT)
def test_mentions_stay_word_for_word(text):
    result = run(paragraph(text), kind="text")
    assert result["raw_text"] == text
    assert result["active_markup"] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("![x](https://a.example/p.png)", "image"),
        ('<img alt="a" src="https://a.example/p.png">', "image"),
        (".. image:: https://a.example/p.png", "image"),
        ("\\includegraphics[width=1cm]{https://a.example/p.png}", "image"),
        ("a{background:url('https://a.example/p.png')}", "css_url"),
        ('@import "https://a.example/p.css";', "css_url"),
        ('<a href="https://a.example/p">', "html_element"),
        ("[x](https://a.example/p)", "markdown_link"),
        ("[x]: https://a.example/p", "reference"),
        ("<https://a.example/p>", "autolink"),
        ("see https://a.example/p now", ""),
        ("https://a.example/p?d=SECRET", "data_carrier"),
        ("https://a.example/p?d={{history}}", "data_carrier"),
        ("https://a.example/?q=${KEY}", "data_carrier"),
        ("https://a.example/?conversation=x", "data_carrier"),
        ("https://a.example/?page=2&lang=ja", ""),
    ],
)
def test_an_address_is_counted_by_what_it_is_for(text, kind):
    (bare,) = bare_urls(text)
    assert kind_of(text, bare.start, bare.end) == kind
    counts = dict(run(paragraph(text), kind="text")["active_markup"])
    assert counts == ({kind: 1} if kind in COUNTED else {})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[x](javascript:y)", "javascript_url"),
        ("[x](livescript:y)", "javascript_url"),
        ("[x](vbscript:y)", "javascript_url"),
        ("[x](vscode:y)", "other_target"),
        ("[x](data:y)", "data_url"),
        ("<img src=x onerror=y>", "html_element"),
    ],
)
def test_a_target_is_named_by_its_scheme(text, kind):
    assert [edit.what for edit in live_targets(text)] == [kind]


def test_a_fence_is_code_only_in_a_page_that_is_one_text():
    fenced = "```\nsee https://example.com/a\n```"
    assert "example.com" in run(paragraph(fenced), kind="text")["raw_text"]
    assert "example.com" not in run(paragraph("```"), paragraph(fenced), kind="text")["raw_text"]
    assert "example.com" not in run(paragraph(fenced))["raw_text"]
    assert "example.com" not in run(paragraph(f"<div>\n{fenced}"), kind="text")["raw_text"]
    assert "example.com" not in run(paragraph("```\nnever closed https://example.com/a"), kind="text")["raw_text"]


def test_backticks_of_the_page_beside_code_of_the_page_keep_no_address():
    text = "a ` b https://example.com/a c"
    assert "example.com" not in run(paragraph(text, ("code", 6, 27, 0)))["raw_text"]


def test_a_fence_in_a_paragraph_cannot_turn_the_blocks_behind_it_inside_out():
    text = run(paragraph("```"), block("code", "x"), paragraph("~~~ tail"))["raw_text"]
    assert text == "\\```\n\n```\nx\n```\n\n\\~~~ tail"


def test_inline_links_keep_their_addresses_but_no_script():
    text = run(paragraph("https://example.com/a [x](javascript:y)"), link_style="inline")["raw_text"]
    assert text == "https://example.com/a [x]\\(javascript:y)"
