"""Invisible characters: what smuggles text goes, what a script, an emoji or a bidirectional line needs stays.

Rules: UTS #51 (emoji, tag sequences), UTS #37 (ideographic variation), UAX #9 (bidi controls), Unicode core
specification 23.2 (joiners, CGJ) and 13.5 (Mongolian). Every rule has attacks and legitimate sequences in the tests.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text import unicode_tables as tables
from guarded_webfetch.text.edits import Edit, Passage, apply
from guarded_webfetch.text.invisible import Context, class_of
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.literals import places_of
from guarded_webfetch.text.scripts import JOINING_LETTERS, LETTER, RTL

MAX_GENERIC_MARKS: Final = 4  # per base; Vietnamese and IPA need up to three
MAX_SCRIPT_MARKS: Final = 8  # per base; Hebrew with vowels and cantillation needs about five
FEWEST_MARKS: Final = 3  # what a word in circles needs; the other limits are higher
MIN_BITS: Final = 8  # letters in a row with a joiner or mark behind each
BLANK_RUN: Final = 200  # blanks in a row that only serve to push text out of view
MAX_PASSES: Final = 8

_INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    "\U00013430-\U00013442\U00013447-\U0001345f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
    + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 15))
)
_PLAIN_RANGES: Final = (
    " ~",
    "\u00a0\u00ac",
    "\u00ae\u02ff",
    "\u0370\u0482",
    "\u2010\u2027",
    "\u202f\u205f",
    "\u3000\u3029",
    "\u3041\u3096",
    "\u30a0\u30ff",
    "\uff01\uff9f",
)
# ECMA-48: control sequences; strings (title, device control, application command) to their end; choices of a character set.
_ANSI: Final = (
    r"(?:\x1b\[|\x9b)[0-?]{0,40}[ -/]{0,4}[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,200}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[()*+#%][0-~]"
)
_ESCAPE: Final = LazyPattern(_ANSI)
_RUN: Final = LazyPattern(f"[{_INVISIBLE}]+")
_RUN_OR_ESCAPE: Final = LazyPattern(rf"{_ANSI}|[{_INVISIBLE}]+")
_ESCAPE_SIGNS: Final = "\x1b\x90\x98\x9b\x9d\x9e\x9f"
_PRIVATE: Final = LazyPattern("[\U000f0000-\U0010ffff][\U000f0000-\U0010ffff]+")  # one alone is an icon font's glyph
_FLOODS: Final = (
    (LazyPattern(f"[{tables.GENERIC_MARKS}]{{{MAX_GENERIC_MARKS + 1},}}"), MAX_GENERIC_MARKS),
    (LazyPattern(f"[{tables.SCRIPT_MARKS}]{{{MAX_SCRIPT_MARKS + 1},}}"), MAX_SCRIPT_MARKS),
)
# Joiners and direction marks after letter upon letter: no script needs that, two of them make a binary code.
_BITS: Final = LazyPattern(
    f"(?:[{tables.GENERIC_MARKS}{tables.SCRIPT_MARKS}]?[{JOINING_LETTERS}{RTL}][\u061c\u200c-\u200f]){{{MIN_BITS},}}"
)
# Letters of a word each in a circle or square: as good as spelled with something between them.
_ENCLOSED: Final = LazyPattern("(?:[A-Za-z][\u20dd-\u20e0\u20e2-\u20e4]){3,}")
_BLANKS: Final = LazyPattern(rf"\s{{{BLANK_RUN},}}")
_SUSPECT: Final = LazyPattern(f"[{_INVISIBLE}\U000f0000-\U0010ffff]")
_MARK: Final = LazyPattern(f"[{tables.GENERIC_MARKS}{tables.SCRIPT_MARKS}]")
# Most pages hold nothing else (and ideographs and Hangul), so that none of the patterns above has to compile.
_PLAIN: Final = frozenset(
    [*"\t\n", *(chr(code) for first, last in _PLAIN_RANGES for code in range(ord(first), ord(last) + 1))]
)
_FLAG: Final = LazyPattern("\U0001f3f4([\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6})\U000e007f")
_REGIONS: Final = frozenset(tables.REGIONS.split())
_BIT_SIGNS: Final = "\u061c\u200c\u200d\u200e\u200f"
_STRAY: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_QUIET: Final = frozenset({"soft_hyphen", "byte_order_mark", "carriage_return", "form_feed", "stray"})


class Payload(NamedTuple):
    """Removed characters in their order, by the encoding they may spell."""

    tags: str
    selectors: str
    zero_width: str


class Cleaned(NamedTuple):
    """`counts` by class, silent ones left out; `payload` is what the removed characters were."""

    passage: Passage
    counts: dict[str, int]
    payload: Payload


def clean(passage: Passage, *, keep_soft_hyphens: bool = True) -> Cleaned:
    """`passage` without smuggled characters, cleaned until nothing changes. Legitimate sequences stay byte for byte."""
    counts: dict[str, int] = {}
    removed: list[str] = []
    for _ in range(MAX_PASSES):
        if not _needs_work(passage.text):
            break
        edits = list(_edits(passage.text, keep_soft_hyphens))
        if not edits:
            break
        for edit in edits:
            counts[edit.what] = counts.get(edit.what, 0) + edit.end - edit.start
            removed.append(passage.text[edit.start : edit.end])
        loud = [edit._replace(what="" if edit.what in _QUIET else edit.what) for edit in edits]
        passage = apply(passage, loud)
    return Cleaned(passage, {k: n for k, n in counts.items() if k not in _QUIET}, _payload("".join(removed)))


def _needs_work(text: str) -> bool:
    """A quick look: the different characters of a text are few, and a long run of blanks covers an aligned block."""
    if text.isascii() and text.isprintable() and len(text) < BLANK_RUN:
        return False
    odd = "".join(c for c in set(text) - _PLAIN if not ("\u4e00" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3"))
    if odd and (_SUSPECT.search(odd) or _MARK.search(odd)):
        return True
    return _holds_blanks(text)


def _holds_blanks(text: str) -> bool:
    block = BLANK_RUN // 2
    return len(text) >= BLANK_RUN and any(text[at : at + block].isspace() for at in range(0, len(text), block))


def _edits(text: str, keep_soft_hyphens: bool) -> Iterator[Edit]:
    found = [*_invisible(text, keep_soft_hyphens), *_floods(text)]
    found += [Edit(m.start(), m.end(), "", "private_use") for m in _PRIVATE.finditer(text)]
    found += _bits(text)
    found.sort()
    place = 0
    for edit in found:
        if edit.start >= place:
            place = edit.end
            yield edit
    if not found and _holds_blanks(text):
        for match in _BLANKS.finditer(text):
            yield Edit(match.start(), match.end(), "\n\n" if "\n" in match[0] else " ", "blank_run")


def _floods(text: str) -> Iterator[Edit]:
    """What exceeds the number of marks a base may carry."""
    marks = [] if text.isascii() else [c for c in set(text) - _PLAIN if _MARK.match(c)]
    if sum(map(text.count, marks)) < FEWEST_MARKS:
        return
    for pattern, limit in _FLOODS:
        for match in pattern.finditer(text):
            yield Edit(match.start() + limit, match.end(), "", "combining_flood")
    for match in _ENCLOSED.finditer(text):
        for at in range(match.start() + 1, match.end(), 2):
            yield Edit(at, at + 1, "", "enclosing_marks")


def _bits(text: str) -> Iterator[Edit]:
    if sum(map(text.count, _BIT_SIGNS)) >= MIN_BITS:
        for match in _BITS.finditer(text):
            for at in range(*match.span()):
                if text[at] in _BIT_SIGNS:
                    yield Edit(at, at + 1, "", class_of(text[at]))


def _invisible(text: str, keep_soft_hyphens: bool) -> Iterator[Edit]:
    flags = {match.start(1): match.end() for match in _FLAG.finditer(text) if _is_region(match[1])}
    for match in _runs(text):
        start, end = match.span()
        if match[0][0] in _ESCAPE_SIGNS and _ESCAPE.match(match[0]):
            yield Edit(start, end, "", "ansi_escape")
            continue
        start = flags.get(start, start)
        context = Context(text, match.start(), end, keep_soft_hyphens)
        for at in range(start, end):
            if not context.keeps(at):
                yield Edit(at, at + 1, *_replacement(text, at))


def _runs(text: str) -> Iterator[re.Match[str]]:
    if any(sign in text for sign in _ESCAPE_SIGNS):
        yield from _RUN_OR_ESCAPE.finditer(text)
        return
    suspects = [character for character in set(text) - _PLAIN if _SUSPECT.match(character)]
    end = 0
    for start in sorted(place for character in suspects for place in places_of(character, text)):
        run = _RUN.match(text, start) if start >= end else None
        if run:
            end = run.end()
            yield run


def _is_region(tags: str) -> bool:
    letters = "".join(chr(ord(tag) - 0xE0000) for tag in tags)
    return letters[:2] in _REGIONS


def _replacement(text: str, at: int) -> tuple[str, str]:
    """What stands in the place of an invisible character, and its class."""
    character = text[at]
    if character == "\r":
        return ("" if text[at + 1 : at + 2] == "\n" else "\n"), "carriage_return"
    if character == "\x0c":
        return "\n", "form_feed"
    if character in "\x85\u2028\u2029":
        return "\n", "line_separator"
    if character == "\u2800":
        split = LETTER(text[at - 1 : at]) and LETTER(text[at + 1 : at + 2])
        return ("" if split else " "), "braille_blank"
    if "\ud800" <= character <= "\udfff":
        return "\ufffd", "lone_surrogate"
    if character == "\ufeff" and at == 0:
        return "", "byte_order_mark"
    if character in _STRAY and _is_stray(text[at - 1 : at], text[at + 1 : at + 2]):
        return "", "stray"
    return "", class_of(character)


def _is_stray(before: str, after: str) -> bool:
    """One alone at the edge of a word: editors leave those behind by the thousand; it splits nothing and says nothing."""
    invisible = _SUSPECT.match(before) or _SUSPECT.match(after)
    return not invisible and not (before.isalnum() and after.isalnum())


def _payload(removed: str) -> Payload:
    tags = "".join(c for c in removed if "\U000e0020" <= c <= "\U000e007e")
    selectors = "".join(c for c in removed if "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef")
    return Payload(
        tags, selectors, "".join(c for c in removed if c in "\u200b\u200c\u200d\u2060\u2062\u2064\ufeff\u200e\u200f")
    )
