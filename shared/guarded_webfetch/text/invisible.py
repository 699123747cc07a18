"""Which invisible character stays where it stands: one rule for each, judged from left to right with its neighbours."""

from collections.abc import Callable
from typing import Final

from guarded_webfetch.text import unicode_tables as tables
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.scripts import CONJOINING, EMOJI_LIKE, HAN, JOINING, LETTER, RTL, SPACELESS, one_of

MAX_VARIATION: Final = 0xE0131  # the IVD registers up to VS50 for one ideograph; lower-case bytes start at VS82

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
    solid = all(c and c.isprintable() and not c.isspace() for c in around)
    return context.alone and solid and not all(map(LETTER, around))


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
    return at == context.start and (VARIANT_BASE(context.before) or VARIANT_IDEOGRAPH(context.before))


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


def _object(context: Context, _: int) -> bool:
    """The place of an object that is not here: it stays, unless it splits a word."""
    return context.alone and not (LETTER(context.before) and LETTER(context.after))


def _shorthand(context: Context, _: int) -> bool:
    return "\U0001bc00" <= context.last <= "\U0001bca3"


def _ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


SCRIPT_MARK: Final = one_of(tables.SCRIPT_MARKS)
VARIANT_BASE: Final = one_of(tables.VARIANT_BASES)
VARIANT_IDEOGRAPH: Final = one_of(tables.VARIANT_IDEOGRAPHS)
RTL_IN: Final = LazyPattern(f"[{RTL}]")
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
    "\ufffc": _object,
    "\U0001d159": _musical,
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
