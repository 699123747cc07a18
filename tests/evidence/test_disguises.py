"""One disguise put over another: whatever order people or programs take them off in, no address is left."""

import html
import random
from collections.abc import Callable
from typing import Final

from scoring.links import attributes, rendered, views

from guarded_webfetch.evidence.rebuild import Wanted, build
from tests.conftest import LONG_RUN
from tests.evidence.link_cases import ITEMS

ADDRESSES: Final = ("evil.example", "https://evil.example/x", "www.evil.example", "a@evil.example")
ALL_KINDS: Final = frozenset(("code", "pre", "blockquote", "table"))
URLS: Final = {item.url for item in ITEMS if item.url}


def dots(other: str) -> Callable[[str], str]:
    return lambda text: text.replace(".", other)


def around(before: str, after: str) -> Callable[[str], str]:
    return lambda text: before + text + after


def inside(place: int, what: str) -> Callable[[str], str]:
    return lambda text: text[:place] + what + text[place:]


def each(form: str) -> Callable[[str], str]:
    return lambda text: "".join(form.format(c=c, n=ord(c)) for c in text)


def shifted(first: int) -> Callable[[str], str]:
    return lambda text: "".join(chr(first + ord(c) - 97) if "a" <= c <= "z" else c for c in text)


DISGUISES: Final[tuple[Callable[[str], str], ...]] = (
    *map(dots, ("&#46;", "&period;", "%2e", "。", "．", "\u2024", "[.]", "(dot)", " dot ", "\\.", "<wbr>.")),
    *(around(*pair) for pair in (("(", ")"), ("「", "」"), ("見る", "です"), ("[x](", ")"), ("<", ">"), ("`", "`"), ("**", "**"),
                                 ("_", "_"),
                                 ("<code>", "</code>"), ("<a href='", "'>x</a>"), ("", "¹"), ("|", "|"), ("&lt;a href=", "&gt;"),
                                 ("", "[[POST:1]]"), ("[[POST:1]]", ""))),
    *(inside(*pair) for pair in ((2, "<!-- -->"), (3, "<b>"), (4, "&shy;"), (3, "\u200b"), (5, "\n"))),
    *map(each, ("{c}\u200b", "&#{n};", "&#x{n:x};")),
    *map(shifted, (0x1D5BA, 0xFF41, 0x24D0)),
    lambda text: "".join(f"%{ord(c):02x}" if c.isascii() else c for c in text),
    html.escape,
    str.upper,
    lambda text: f"\u202e{text[::-1]}\u202c",
)  # fmt: skip


def test_disguises_of_disguises() -> None:
    """Two or three, in HTML and in Markdown, from a fixed seed."""
    generator = random.Random(20261130)
    for _ in range(20_000 if LONG_RUN else 600):
        draft = generator.choice(ADDRESSES)
        for disguise in generator.choices(DISGUISES, k=generator.choice((1, 2, 2, 3))):
            draft = disguise(draft)
        kinds = generator.choice((frozenset(), ALL_KINDS))
        pages = (
            build(f"<p>{draft}</p>", ITEMS, Wanted(complete=False, kinds=kinds)),
            rendered(build(draft, ITEMS, Wanted("markdown", complete=False, kinds=kinds))),
        )
        for page in pages:
            assert not any("evil.example" in view.casefold() for view in views(page)), (draft, page)
            assert all(html.unescape(value) in URLS for _, value in attributes(page)), (draft, page)
