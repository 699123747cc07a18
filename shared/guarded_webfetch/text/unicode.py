"""Invisible characters: what smuggles text goes, what a script, an emoji or a bidirectional line needs stays.

Rules: UTS #51 (emoji, tag sequences), UTS #37 (ideographic variation), UAX #9 (bidi controls), Unicode core
specification 23.2 (joiners, CGJ) and 13.5 (Mongolian). Every rule has attacks and legitimate sequences in the tests.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text import unicode_tables as tables
from guarded_webfetch.text.edits import Edit, Passage, apply
from guarded_webfetch.text.scripts import CONJOINING, EMOJI_LIKE, HAN, JOINING, LETTER, RTL, SPACELESS, one_of

MAX_GENERIC_MARKS: Final = 4  # per base; Vietnamese and IPA need up to three
MAX_SCRIPT_MARKS: Final = 8  # per base; Hebrew with vowels and cantillation needs about five
BLANK_RUN: Final = 200  # blanks in a row that only serve to push text out of view
MAX_VARIATION: Final = 0xE0131  # the IVD registers up to VS50 for one ideograph; lower-case bytes start at VS82
MAX_PASSES: Final = 8

_INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
_ANSI: Final = r"(?:\x1b\[|\x9b)[0-?]{0,40}[ -/]{0,4}[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,200}(?:\x07|\x1b\\|\x9c)"
_RUN: Final = re.compile(rf"{_ANSI}|[{_INVISIBLE}]+")
_PRIVATE: Final = re.compile("[\U000f0000-\U0010ffff]{2,}")  # one alone is an icon font's glyph
_FLOOD: Final = re.compile(
    f"(?<=[{tables.GENERIC_MARKS}]{{{MAX_GENERIC_MARKS}}})[{tables.GENERIC_MARKS}]+"
    f"|(?<=[{tables.SCRIPT_MARKS}]{{{MAX_SCRIPT_MARKS}}})[{tables.SCRIPT_MARKS}]+"
)
_BLANKS: Final = re.compile(rf"\s{{{BLANK_RUN},}}")
_SUSPECT: Final = re.compile(f"[{_INVISIBLE}\U000f0000-\U0010ffff]")
_MARK: Final = re.compile(f"[{tables.GENERIC_MARKS}{tables.SCRIPT_MARKS}]")
_FLAG: Final = re.compile("\U0001f3f4([\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6})\U000e007f")
_REGIONS: Final = frozenset(tables.REGIONS.split())
_QUIET: Final = frozenset({"soft_hyphen", "byte_order_mark", "carriage_return", "form_feed"})


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
    distinct = "".join(set(text))
    block = BLANK_RUN // 2
    return bool(
        _SUSPECT.search(distinct)
        or (not text.isascii() and _MARK.search(distinct))
        or any(text[at : at + block].isspace() for at in range(0, len(text), block))
    )


def _edits(text: str, keep_soft_hyphens: bool) -> Iterator[Edit]:
    found = [*_invisible(text, keep_soft_hyphens), *_floods(text)]
    found += [Edit(m.start(), m.end(), "", "private_use") for m in _PRIVATE.finditer(text)]
    found.sort()
    place = 0
    for edit in found:
        if edit.start >= place:
            place = edit.end
            yield edit
    if not found:
        for match in _BLANKS.finditer(text):
            yield Edit(match.start(), match.end(), "\n\n" if "\n" in match[0] else " ", "blank_run")


def _floods(text: str) -> Iterator[Edit]:
    if text.isascii():
        return
    for match in _FLOOD.finditer(text):
        yield Edit(match.start(), match.end(), "", "combining_flood")


def _invisible(text: str, keep_soft_hyphens: bool) -> Iterator[Edit]:
    flags = {match.start(1): match.end() for match in _FLAG.finditer(text) if _is_region(match[1])}
    for match in _RUN.finditer(text):
        start, end = match.span()
        if match[0][0] in "\x1b\x9b\x9d" and len(match[0]) > 1 and match[0][1] not in "\x1b\x9b\x9d":
            yield Edit(start, end, "", "ansi_escape")
            continue
        start = flags.get(start, start)
        context = Context(text, match.start(), end, keep_soft_hyphens)
        for at in range(start, end):
            if not context.keeps(at):
                yield Edit(at, at + 1, *_replacement(text, at))


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
    return "", class_of(character)


_CLASSES: Final = (
    ("tags", "\U000e0000-\U000e007f"),
    ("variation_selectors", "\ufe00-\ufe0f\U000e0100-\U000e01ef"),
    ("zero_width", "\u200b-\u200d\u2060\ufeff\u180e"),
    ("invisible_operators", "\u2061-\u2064"),
    ("bidi", "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"),
    ("soft_hyphen", "\u00ad"),
    ("fillers", "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f"),
    ("mongolian_selectors", "\u180b-\u180d\u180f"),
    ("controls", "\x00-\x1f\x7f-\x9f"),
)
_CLASS_TESTS: Final = tuple((name, one_of(members)) for name, members in _CLASSES)


def class_of(character: str) -> str:
    """The name under which a removed character is counted."""
    return next((name for name, test in _CLASS_TESTS if test(character)), "other_format")


class Context:
    """A run of invisible characters and what stands around it. `keeps` answers for one of them, from left to right."""

    def __init__(self, text: str, start: int, end: int, keep_soft_hyphens: bool) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.before = text[start - 1 : start]
        self.after = text[end : end + 1]
        self.keep_soft_hyphens = keep_soft_hyphens
        self.last = self.before  # the last character kept
        self._line: str | None = None

    def keeps(self, at: int) -> bool:
        character = self.text[at]
        rule = _RULES.get(character) or _rule_by_range(character)
        if rule is None or not rule(self, at):
            return False
        self.last = character
        return True

    @property
    def alone(self) -> bool:
        return self.end - self.start == 1

    @property
    def line(self) -> str:
        """The line around the run, at most 2,000 characters each way."""
        if self._line is None:
            begin = max(self.text.rfind("\n", 0, self.start) + 1, self.start - 2_000)
            stop = self.text.find("\n", self.end, self.end + 2_000)
            self._line = self.text[begin : stop if stop >= 0 else self.end + 2_000]
        return self._line

    def joins_emoji(self, at: int) -> bool:
        base = self.last if self.last != "\ufe0f" else self.before
        return EMOJI_LIKE(base) and EMOJI_LIKE(self.after) and at == self.end - 1


Rule = Callable[[Context, int], bool]


def _zero_width_joiner(context: Context, at: int) -> bool:
    return context.joins_emoji(at) or (context.alone and JOINING(context.before))


def _zero_width_non_joiner(context: Context, _: int) -> bool:
    return context.alone and JOINING(context.before) and not (LETTER(context.after) and not JOINING(context.after))


def _zero_width_space(context: Context, _: int) -> bool:
    return context.alone and SPACELESS(context.before) and SPACELESS(context.after)


def _word_joiner(context: Context, _: int) -> bool:
    """Keeps a number or sign and its unit together; between two letters or beside a blank it only splits a word."""
    around = (context.before, context.after)
    return context.alone and not any(c.isspace() or not c for c in around) and not all(map(LETTER, around))


def _invisible_operator(context: Context, _: int) -> bool:
    return context.alone and (context.after == "(" or context.before.isdigit() or context.before == ")")


def _grapheme_joiner(context: Context, _: int) -> bool:
    """CGJ orders marks: both neighbours are marks."""
    return context.alone and SCRIPT_MARK(context.before) and SCRIPT_MARK(context.after)


def _direction_mark(context: Context, _: int) -> bool:
    """An RTL letter is near; not inside a Latin word; never more than two in a row."""
    near = context.text[max(0, context.start - 12) : context.end + 12]
    inside = _ascii_letter(context.before) and _ascii_letter(context.after)
    return context.end - context.start <= 2 and not inside and bool(RTL_IN.search(near))


def _isolate(context: Context, _: int) -> bool:
    """Embeddings and isolates: balanced within the line, and an RTL letter is in it."""
    line = context.line
    opened = sum(map(line.count, "\u2066\u2067\u2068"))
    embedded = sum(map(line.count, "\u202a\u202b"))
    if opened != line.count("\u2069") or embedded != line.count("\u202c") or "\u202d" in line or "\u202e" in line:
        return False
    short = context.end - context.start <= 3
    return short and not (_ascii_letter(context.before) and _ascii_letter(context.after)) and bool(RTL_IN.search(line))


def _soft_hyphen(context: Context, _: int) -> bool:
    return context.keep_soft_hyphens and context.alone


def _choseong_filler(context: Context, at: int) -> bool:
    return CONJOINING(context.text[at + 1 : at + 2])


def _jungseong_filler(context: Context, _: int) -> bool:
    return CONJOINING(context.last)


def _khmer_vowel(context: Context, _: int) -> bool:
    return context.alone and "\u1780" <= context.before <= "\u17ff"


def _mongolian(context: Context, at: int) -> bool:
    return at == context.start and "\u1820" <= context.before <= "\u18aa"


def _presentation_selector(context: Context, at: int) -> bool:
    return at == context.start and EMOJI_LIKE(context.before)


def _standardized_selector(context: Context, at: int) -> bool:
    return at == context.start and (VARIANT_BASE(context.before) or HAN(context.before))


def _ideographic_selector(context: Context, at: int) -> bool:
    """One after an ideograph, within the numbers that are registered."""
    return at == context.start and HAN(context.before) and ord(context.text[at]) <= MAX_VARIATION


def _braille_blank(context: Context, _: int) -> bool:
    braille = "\u2801" <= context.before <= "\u28ff" or "\u2801" <= context.after <= "\u28ff"
    return braille and context.end - context.start <= 3


def _egyptian(context: Context, _: int) -> bool:
    return "\U00013000" <= context.last <= "\U0001345f"


def _musical(context: Context, _: int) -> bool:
    return "\U0001d100" <= context.last <= "\U0001d1ff"


def _shorthand(context: Context, _: int) -> bool:
    return "\U0001bc00" <= context.last <= "\U0001bca3"


def _ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


SCRIPT_MARK: Final = one_of(tables.SCRIPT_MARKS)
VARIANT_BASE: Final = one_of(tables.VARIANT_BASES)
RTL_IN: Final = re.compile(f"[{RTL}]")
_RULES: Final[dict[str, Rule]] = {
    "\u200d": _zero_width_joiner,
    "\u200c": _zero_width_non_joiner,
    "\u200b": _zero_width_space,
    "\u2060": _word_joiner,
    "\u034f": _grapheme_joiner,
    "\u00ad": _soft_hyphen,
    "\u115f": _choseong_filler,
    "\u1160": _jungseong_filler,
    "\u17b4": _khmer_vowel,
    "\u17b5": _khmer_vowel,
    "\u2800": _braille_blank,
    **dict.fromkeys("\u2061\u2062\u2063\u2064", _invisible_operator),
    **dict.fromkeys("\u061c\u200e\u200f", _direction_mark),
    **dict.fromkeys("\u202a\u202b\u202c\u2066\u2067\u2068\u2069", _isolate),
    **dict.fromkeys("\u180b\u180c\u180d\u180e\u180f", _mongolian),
    **dict.fromkeys("\ufe0e\ufe0f", _presentation_selector),
    **dict.fromkeys("\ufe00\ufe01\ufe02", _standardized_selector),
}


def _rule_by_range(character: str) -> Rule | None:
    if "\U000e0100" <= character <= "\U000e01ef":
        return _ideographic_selector
    if "\U00013430" <= character <= "\U0001345f":
        return _egyptian
    if "\U0001d173" <= character <= "\U0001d17a":
        return _musical
    return _shorthand if "\U0001bca0" <= character <= "\U0001bca3" else None


def _payload(removed: str) -> Payload:
    tags = "".join(c for c in removed if "\U000e0020" <= c <= "\U000e007e")
    selectors = "".join(c for c in removed if "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef")
    return Payload(
        tags, selectors, "".join(c for c in removed if c in "\u200b\u200c\u200d\u2060\u2062\u2064\ufeff\u200e\u200f")
    )
