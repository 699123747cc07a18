"""A page built from a hostile draft holds our links and no other address; the words of an honest one all survive."""

import html
import os
import random
import re
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring.links import attributes, rendered, views

from guarded_webfetch.core.limits import MAX_DRAFT_CHARS
from guarded_webfetch.evidence import cleaning, disguises, placeholders, rebuild
from guarded_webfetch.evidence.rebuild import StoreItem, Wanted, build
from guarded_webfetch.text import match_view
from tests.evidence.link_cases import ATTACKS, BENIGN, ITEMS, Attack

LONG = os.environ.get("GUARDED_WEBFETCH_LONG") == "1"
URLS = {item.url for item in ITEMS if item.url}
OWN_TAGS = {"p", "h2", "h3", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "table", "tr", "td", "a"}
EVERYTHING = frozenset(("code", "pre", "blockquote", "table"))


def faults(attack: Attack, wanted: Wanted) -> list[str]:
    page = build(attack.draft, ITEMS, wanted)
    shown = [view.casefold() for view in views(page)]
    found = [f"{name}={value}" for name, value in attributes(page) if name != "href" or value not in URLS]
    found += [f"rendered {value}" for _, value in attributes(rendered(page)) if value not in URLS]
    found += [f"tag {tag}" for tag in re.findall(r"<([a-z][a-z0-9-]*)", page) if tag not in OWN_TAGS]
    found += [text for text in attack.gone if any(text.casefold() in view for view in shown)]
    return found + [f"lost {text}" for text in attack.kept if text not in page]


@pytest.mark.parametrize("kinds", [frozenset(), EVERYTHING], ids=["plain", "all-kinds"])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_address_survives(attack: Attack, kinds: frozenset[str]) -> None:
    assert faults(attack, Wanted(complete=False, kinds=kinds)) == []


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_address_survives_in_markdown(attack: Attack) -> None:
    page = build(attack.draft, ITEMS, Wanted("markdown", complete=False, kinds=EVERYTHING))
    assert [value for name, value in attributes(rendered(page)) if html.unescape(value) not in URLS] == []
    if "evil.example" in attack.gone:
        assert not any("evil.example" in view.casefold() for view in views(rendered(page)))


@pytest.mark.parametrize("draft", BENIGN)
def test_honest_words_survive(draft: str) -> None:
    assert build(draft, ITEMS, Wanted(complete=False)) == draft + "\n"


def test_items_are_expanded_and_completed() -> None:
    page = build("<p>See [[POST:2]] and [[ post : 1 ]].</p>", ITEMS, Wanted())
    assert '<a href="https://site.example.net/reports/2?a=1&amp;b=2">二つ目の記事</a>' in page
    assert '<a href="https://site.example.net/reports/1">First report</a>.' in page
    assert "<ul>\n<li>No address\n</li>\n</ul>" in page
    assert "No address" not in build("<p>x</p>", ITEMS, Wanted(complete=False))


def test_a_title_is_cleaned_and_escaped() -> None:
    items = [StoreItem(1, 'Tom & "Jo" <b>evil.example</b> \u200b!', "https://site.example.net/1")]
    page = build("<p>[[POST:1]]</p>", items, Wanted())
    assert page == '<p><a href="https://site.example.net/1">Tom &amp; "Jo" &lt;b&gt;(link removed) !</a></p>\n'


def test_repeating_a_placeholder_does_not_fill_the_page() -> None:
    page = build("[[POST:1]]" * 10_000, ITEMS, Wanted())
    assert page.count("<a ") == rebuild.MAX_MENTIONS + 1


def test_code_expands_nothing_and_keeps_members_and_matrices() -> None:
    draft = "<p><code>user.name = [[1, 2]]; [[POST:1]]</code></p><pre>a\n  b = x.id\nevil.example/x</pre>"
    page = build(draft, ITEMS, Wanted(complete=False, kinds=EVERYTHING))
    assert "<code>user.name = [[1, 2]]; </code>" in page
    assert "<pre>a\n  b = x.id\n(link removed)</pre>" in page


@dataclass(frozen=True)
class Canary:
    """A defence that is switched off, and the cases that must turn red."""

    module: object
    name: str
    replacement: object
    red: tuple[str, ...]


CANARIES = {
    "addresses": Canary(cleaning, "addresses", lambda text, code=False: [], ("bare", "relative", "spaced")),
    "folding": Canary(
        match_view, "fold", lambda text: match_view.View(text.lower()), ("fullwidth", "circled", "monospace")
    ),
    "decoding": Canary(disguises, "MAX_DECODINGS", 0, ("entity-three-times", "percent", "percent-dot")),
    "mending": Canary(disguises, "_mended", lambda view: [view], ("defanged", "spoken", "spelled")),
    "markdown": Canary(cleaning, "unlink", lambda text: [], ("md-link-relative", "md-link-word", "md-reference-word")),
    "escaping": Canary(html, "escape", lambda text, quote=True: text, ("literal-tag", "literal-bold", "literal-element")),
    "invented": Canary(cleaning, "placeholders", lambda text, code=False: [], ("out-of-range", "invented", "other-digits")),
    "overrides": Canary(cleaning, "_OVERRIDDEN", re.compile("(?!)"), ("override-name", "override-open", "override-twice")),
    "unwanted": Canary(cleaning, "_UNWANTED", re.compile("(?!)"), ("private-use", "plane-16", "noncharacter")),
}  # fmt: skip


@pytest.mark.parametrize("name", CANARIES)
def test_switching_a_defence_off_turns_its_cases_red(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = CANARIES[name]
    monkeypatch.setattr(canary.module, canary.name, canary.replacement)
    cases = {attack.name: attack for attack in ATTACKS}
    assert len(canary.red) >= 3
    for red in canary.red:
        assert faults(cases[red], Wanted(complete=False)) != [], red


PIECES = (
    "evil", ".", "example", "com", "https", ":", "/", "//", "\\", "@", "[", "]", "(", ")", "[[", "]]", "POST:1", "[[POST:1]]",
    "[[POST:9]]", "<b>", "</b>", "<a href=", '"', "'", ">", "<", "<!--", "-->", "<br>", "&#46;", "&amp;", "%2e", "。", "．", "\u200b",
    "\u202e", "\n", " ", "!", "www", "data:", "javascript:", "mailto:", "[.]", " dot ", "ｅｖｉｌ", "x", "<img src=x ", "`", "*", "|",
    "#", "- ", "1. ", "<li>", "<pre>", "<script>", "</script>", "url(",
)  # fmt: skip
HOST = re.compile(
    r"evil(?:\.|。|．|&#46;|%2e)(?:example|com)(?!\w|[.。．]\w)|https?:/|(?<!\w)javascript:[a-z(]|(?<!\w)mailto:[a-z]"
)


def check_composition(draft: str, form: str) -> None:
    page = build(draft, ITEMS, Wanted(form, complete=False))
    own = page
    for url in URLS:
        own = own.replace(f"](<{url}>)", "").replace(html.escape(url), "")
    assert HOST.search(own) is None, (draft, page)
    assert all(value in URLS for _, value in attributes(rendered(page))), (draft, page)
    assert len(page) <= 6 * len(draft) + 300 * rebuild.MAX_MENTIONS * len(ITEMS) + 100


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from(["html", "markdown"]))
def test_no_composition_of_pieces_makes_an_address(pieces: list[str], form: str) -> None:
    check_composition("".join(pieces), form)


def test_many_compositions() -> None:
    """100,000 in the long run, from a fixed seed."""
    generator = random.Random(20261130)
    for _ in range(50_000 if LONG else 500):
        draft = "".join(generator.choices(PIECES, k=generator.randrange(2, 40)))
        check_composition(draft, "html")
        check_composition(draft, "markdown")


@pytest.mark.parametrize("piece", PIECES)
def test_a_draft_of_one_repeated_piece_ends_soon(piece: str) -> None:
    draft = (piece * MAX_DRAFT_CHARS)[: MAX_DRAFT_CHARS // (1 if LONG else 10)]
    check_composition(draft, "html")


def test_placeholders_are_told_apart() -> None:
    found = list(placeholders.placeholders("[[POST:12]] [[x]] ［［POST:3］］"))
    assert [(row.start, row.number) for row in found] == [(0, 12), (12, None), (18, 3)]
