"""Cleans one text of a draft or a store: nothing invisible, no address, no bracket that means something to us.

Every address becomes a visible mark, so that taking one out cannot put another together; the steps repeat until nothing changes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from guarded_webfetch.evidence.addresses import addresses, joined
from guarded_webfetch.evidence.disguises import SPOKEN_DOT
from guarded_webfetch.evidence.draft import Block, Item, Styled
from guarded_webfetch.evidence.markdown_links import unlink
from guarded_webfetch.evidence.placeholders import OBJECT, loose_brackets, placeholders
from guarded_webfetch.text import unicode
from guarded_webfetch.text.edits import Edit, Passage, apply, inside, merge

REMOVED: Final = {"en": "(link removed)", "ja": "（リンク削除）"}
MAX_PASSES: Final = 12

# What bidirectional overrides enclose is read backwards by people and forwards by programs.
_OVERRIDDEN: Final = re.compile("[\u202d\u202e][^\u202c\n]*\u202c?")
_UNWANTED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ue000-\uf8ff\ufff9-\ufffc\ufffe\uffff\U000f0000-\U0010ffff]+"
)
# A text of these has no room for an address, a placeholder or a link: full stops only where a sentence ends.
_PLAIN: Final = re.compile(r"(?:[A-Za-z0-9,;'\"!? \n-]|(?<![ \n])\.(?=[ \n]|$))*")
Resolve = Callable[[int], bool]


class UnstableText(Exception):
    """A text still changed after MAX_PASSES: nothing is written then."""


def clean_block(block: Block, language: str, resolve: Resolve) -> Block:
    """The block with an Item where the draft names one. Raises UnstableText.

    `resolve(number)` says whether that item gets a link at this place; other placeholders are taken out.
    """
    if _is_plain(block.text):
        return block
    styles: list[Any] = [(style.style, style.start, style.end, 0) for style in block.styles]
    passage = Passage(block.text, styles)
    passage = apply(passage, [_mark(match.span(), language) for match in _OVERRIDDEN.finditer(passage.text)])
    passage = unicode.clean(passage).passage
    passage = apply(passage, [Edit(*match.span(), "") for match in _UNWANTED.finditer(passage.text)])
    passage = _stable(_expanded(passage, block.kind == "pre", resolve), block.kind == "pre", language)
    spans: Sequence[Any] = passage.spans
    return block._replace(
        text=passage.text,
        styles=tuple(Styled(start, end, kind) for kind, start, end, _ in spans if kind != "link"),
        items=tuple(Item(start, number) for kind, start, _, number in spans if kind == "link"),
    )


def clean_text(text: str, language: str) -> str:
    """A title or an excerpt on one line, without addresses, placeholders and invisible characters."""
    return " ".join(clean_block(Block("p", " ".join(text.split())), language, lambda _: False).text.split())


def _expanded(passage: Passage, pre: bool, resolve: Resolve) -> Passage:
    numbers: list[int] = []
    edits: list[Edit] = []
    code = _code(passage, pre)
    for found in placeholders(passage.text):
        if inside(code, found.start, found.end):
            continue
        named = found.number is not None and resolve(found.number)
        if named and found.number is not None:
            numbers.append(found.number)
        edits.append(Edit(found.start, found.end, _set_apart(passage.text, found.start) if named else ""))
    passage = apply(passage, edits)
    places = [at for at, character in enumerate(passage.text) if character == OBJECT]
    links: list[Any] = [("link", at, at + 1, number) for at, number in zip(places, numbers, strict=True)]
    return passage._replace(spans=[*passage.spans, *links])


def _set_apart(text: str, start: int) -> str:
    """A title must not complete an address that the draft began."""
    return f" {OBJECT}" if start and text[start - 1] in "./:@" else OBJECT


def _stable(passage: Passage, pre: bool, language: str) -> Passage:
    for _ in range(MAX_PASSES):
        edits = _edits(passage, pre, language)
        if not edits:
            return passage
        passage = unicode.clean(apply(passage, edits)).passage
    raise UnstableText


def _edits(passage: Passage, pre: bool, language: str) -> list[Edit]:
    text = passage.text
    code = _code(passage, pre)
    found = joined([*_across(text, code), *_between_borders(passage, code)])
    links = [edit for edit in unlink(text) if not inside(code, edit.start, edit.end)]
    entries = [Edit(entry.start, entry.end, "") for entry in placeholders(text, code=bool(code))]
    brackets = [Edit(start, end, text[start]) for start, end in loose_brackets(text) if not inside(code, start, end)]
    return merge(links, [_mark(span, language) for span in found], entries, brackets)


def _across(text: str, code: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Addresses in the whole text, whatever styles they cross."""
    found = addresses(text)
    if not code:
        return found
    in_code = set(addresses(text, code=True))
    return [span for span in found if span in in_code or not inside(code, *span)]


def _between_borders(passage: Passage, code: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Addresses in each stretch of one style: on the page it is a text of its own, which a client may look through for links."""
    borders = sorted({at for kind, start, end, _ in passage.spans if kind != "link" for at in (start, end)})
    for start, end in pairwise([0, *borders, len(passage.text)] if borders else []):
        stretch = passage.text[start:end]
        if not _is_plain(stretch):
            yield from ((start + a, start + b) for a, b in addresses(stretch, code=inside(code, start, end)))


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and not SPOKEN_DOT.search(text)


def _mark(span: tuple[int, int], language: str) -> Edit:
    return Edit(*span, REMOVED[language])


def _code(passage: Passage, pre: bool) -> list[tuple[int, int]]:
    """Where code stands, sorted and joined."""
    if pre:
        return [(0, len(passage.text))]
    return sorted((start, end) for kind, start, end, _ in passage.spans if kind == "code")
