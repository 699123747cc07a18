"""Forged structure: page text that imitates our marks, a fence, a chat template, a turn, a tool call.

Our own marks get a backslash before each bracket; the delimiters of others get one inside, because a tokenizer that reads
`<|im_start|>` as a control token reads it just as well after a backslash. All stays readable, nothing is removed, and a
second pass finds nothing more to do.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.text import delimiters
from guarded_webfetch.text.edits import Edit
from guarded_webfetch.text.fence import DRAWN, FENCE, FENCE_END, FENCE_IN_CODE, SECTION
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.reading import reading
from guarded_webfetch.text.turns import turns

WHAT: Final = "forged_mark"

# Whatever imitates anything has one of these, or a look-alike that is not ASCII.
_ANY_SIGN: Final = LazyPattern(r"[\[<>|#&:={}~*_+%\"'`]|---")

_OURS: Final = LazyPattern(
    r"\[(?<!\\.)(?=[ ]?(?:FILTERED[ ]?:|(?:L|LINK:)[ ]?\d{1,6}[ ]?\]))|\{(?<!\\.)(?=\{link:\d)|⟦(?<!\\.)(?=L\d)",
    re.IGNORECASE,
)
_OURS_END: Final = LazyPattern(r"[^\[\]\n]{0,80}(?<!\\)\]")
# Literals of which one must occur, and a pattern whose matches end where the backslash goes.
_Finder = tuple[Sequence[str], LazyPattern]
_IN_PROSE: Final[tuple[_Finder, ...]] = (
    (("|",), delimiters.TOKEN),
    (("<",), delimiters.TAG),
    (("[", "<<", "{{#"), delimiters.BRACKET),
    (("[",), delimiters.BRACKETED_FENCE),
    (("#",), delimiters.HEADING),
    (("ole",), delimiters.ROLE_KEY),
    (('"', "'"), delimiters.JSON),
)
_IN_CODE: Final[tuple[_Finder, ...]] = (
    (("|",), delimiters.TOKEN_IN_CODE),
    (("<",), delimiters.TAG_IN_CODE),
    (("[", "<<"), delimiters.BRACKET_IN_CODE),
)


def forged(text: str, *, code: bool = False, structured: bool = False) -> list[Edit]:
    """The edits that neutralise imitations in `text`; in code only what nothing but an imitation can be.

    `structured`: the text is one block of a page whose structure we write.
    """
    if text.isascii() and not _ANY_SIGN.search(text):
        return []
    view = reading(text)
    read = view.text
    found = {
        *_our_marks(read),
        *_fences(read, code),
        *_sections(read),
        *_delimiters(read, _IN_CODE if code else _IN_PROSE),
    }
    if not code:
        found |= {_insert(at) for at in (*turns(read), *_stray_closings(read))}
    if structured and not code and ("```" in text or "~~~" in text):
        found |= {_insert(match.end()) for match in delimiters.CODE_FENCE.finditer(read)}
    if view.offsets is not None:
        found = {edit._replace(start=view.offsets[edit.start], end=view.offsets[edit.start]) for edit in found}
    return sorted(found)


def _insert(at: int, what: str = WHAT) -> Edit:
    return Edit(at, at, "\\", what)


def _our_marks(text: str) -> Iterator[Edit]:
    if "[" not in text and "{{" not in text and "⟦" not in text:
        return
    for match in _OURS.finditer(text):
        yield _insert(match.start())
        end = _OURS_END.match(text, match.start() + 1)
        if end and match[0] == "[":
            yield _insert(end.end() - 1, "")


def _fences(text: str, code: bool) -> Iterator[Edit]:
    fence = FENCE_IN_CODE if code else FENCE
    for match in filter(None, (fence.match(text, drawn.start()) for drawn in DRAWN.finditer(text))):
        yield _insert(match.end() - 1)
        end = FENCE_END.search(text, match.end(), match.end() + 120)
        if end and "\n" not in text[match.end() : end.start()]:
            yield _insert(end.start() + 1, "")


def _sections(text: str) -> Iterator[Edit]:
    if "---" in text:
        for match in SECTION.finditer(text):
            yield _insert(match.end())


def _delimiters(text: str, finders: Sequence[_Finder]) -> Iterator[Edit]:
    for hints, pattern in finders:
        if any(hint in text for hint in hints):
            for match in pattern.finditer(text):
                yield _insert(match.end())


def _stray_closings(text: str) -> Iterator[int]:
    """Closing tags of frames that nothing in the text before them opened."""
    if "</" not in text and "< /" not in text:
        return
    opened: Counter[str] = Counter()
    for match in delimiters.FRAME.finditer(text):
        name = match["name"].lower()
        opened[name] += -1 if match["closing"] else 1
        if opened[name] < 0:
            opened[name] = 0
            yield match.end()


def in_heading(text: str, level: int, *, structured: bool = False) -> list[Edit]:
    """The edits of a heading, whose hash signs the printer writes: as title of a section it may read "### Instruction:"."""
    signs = "#" * level + " "
    edits = forged(signs + text, structured=structured)
    moved = {
        edit._replace(start=max(0, edit.start - len(signs)), end=max(0, edit.start - len(signs))) for edit in edits
    }
    return sorted(moved)
