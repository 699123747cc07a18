"""The folded copy of a text that rules match against, with the way back to the delivered text.

Folding: NFKC, case fold, Latin, Greek and Cyrillic accents dropped, invisible characters dropped, one blank for a run of
blanks ("\\n" when it holds a line end). Rules are written in this folded form. Extra views undo one disguise each, are made
only around places that look disguised, and are `split`: a hit in them is never an accident.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text import shape
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.scripts import one_of
from guarded_webfetch.text.unicode_tables import GENERIC_MARKS

MAX_REPLACED: Final = 30  # different characters; for more a table is quicker
MARGIN: Final = 200  # characters of context around a disguised place

_DROPPED: Final = one_of(
    "\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    f"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff{GENERIC_MARKS}"
)
_FILLERS: Final = "\u115f\u1160\u3164\uffa0"  # invisible, yet letters by category
_SMALL_CAPITALS: Final = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_SIGNS: Final = {**dict.fromkeys("‘’ʼ＇`´", "'"), **dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("“”„«»", '"')}


class View(NamedTuple):
    """`offsets[i]` is the place in the source of view character i (and of the end); None when they are the same."""

    text: str
    offsets: "array[int] | None" = None
    split: bool = False

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source behind text[start:end]."""
        if self.offsets is None:
            return start, end
        first, last = self.offsets[start], self.offsets[end]
        return (first, max(last, first + 1)) if first <= last else (last, first)

    def cut(self, start: int, end: int) -> "View":
        """The part text[start:end], split."""
        offsets = array("I", range(start, end + 1)) if self.offsets is None else self.offsets[start : end + 1]
        return View(self.text[start:end], offsets, True)


def _fold_character(character: str) -> str:
    if character in "\n\r\x85\u2028\u2029":
        return "\n"
    if character.isspace() or character == "\u2800":
        return " "
    if (unicodedata.category(character)[0] in "CM" or character in _FILLERS) and _DROPPED(character):
        return ""  # asked in this order, the pattern seldom has to compile
    known = _SIGNS.get(character) or _SMALL_CAPITALS.get(character) or _enclosed(character)
    if known:
        return known
    folded = unicodedata.normalize("NFKC", character).casefold()
    decomposed = unicodedata.normalize("NFKD", folded)
    if len(decomposed) > 1 and decomposed[0] < "\u0530":
        folded = "".join(c for c in decomposed if not unicodedata.combining(c))
    if len(folded) > 1:  # Arabic presentation forms are a letter and marks
        folded = "".join(c for c in folded if not _DROPPED(c)) or folded[0]
    return folded.replace("\u2044", "/")


def _enclosed(character: str) -> str:
    """White letters on black discs and squares, which NFKC leaves alone."""
    for first in (0x1F150, 0x1F170):
        if 0 <= ord(character) - first < 26:
            return chr(ord("a") + ord(character) - first)
    return ""


class _Folds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


_FOLDS: Final = _Folds()
_COMPOSED: Final = r"[^\s][\u3099\u309a\uff9e\uff9f]|[\u1100-\u11ff]+"
_BLANKS: Final = LazyPattern(r"[ \n][ \n]+")


def substitute(view: View, pattern: re.Pattern[str] | LazyPattern, replace: Callable[[re.Match[str]], str]) -> View:
    """`view` with every match replaced; replaced characters lie at the start of their match."""
    offsets: array[int] = array("I")
    parts: list[str] = []
    place = 0
    old = view.offsets
    for match in pattern.finditer(view.text):
        new = replace(match)
        parts += (view.text[place : match.start()], new)
        offsets.extend(range(place, match.start()) if old is None else old[place : match.start()])
        offsets.extend([match.start() if old is None else old[match.start()]] * len(new))
        place = match.end()
    if not parts:
        return view
    parts.append(view.text[place:])
    offsets.extend(range(place, len(view.text) + 1) if old is None else old[place:])
    return View("".join(parts), offsets, view.split)


def fold(source: str) -> View:
    """Every character folded, blanks not yet joined."""
    if source.isascii():
        return View(source.lower().replace("\t", " ").replace("`", "'"))
    distinct = set(source)
    odd = "".join(re.escape(c) for c in distinct if len(_FOLDS[ord(c)]) != 1)
    alternatives = (
        [_COMPOSED] if any("\u1100" <= c <= "\u11ff" or c in "\u3099\u309a\uff9e\uff9f" for c in distinct) else []
    )
    alternatives += [f"[{odd}]"] if odd else []
    view = View(source)
    if alternatives:
        view = substitute(view, re.compile("|".join(alternatives)), lambda match: _fold_cluster(match[0]))
    return view._replace(text=_translated(view.text))


def _translated(text: str) -> str:
    """text.translate(_FOLDS), where every character folds to one.

    A table costs 40 ns a character; replacing the few different ones that change, and lower() for A to Z, much less.
    """
    folds = {c: _FOLDS[ord(c)] for c in set(text) if not "A" <= c <= "Z"}
    changed = [(c, folded) for c, folded in folds.items() if folded != c]
    steady = all(_FOLDS[ord(c)] == c == c.lower() for c in folds.values())  # folded once, nothing changes again
    if len(changed) > MAX_REPLACED or not steady:
        return text.translate(_FOLDS)
    for character, folded in changed:
        text = text.replace(character, folded)
    return text.lower()


def _fold_cluster(cluster: str) -> str:
    if len(cluster) == 1:
        return _FOLDS[ord(cluster)]
    composed = unicodedata.normalize("NFKC", cluster)
    return "".join(_FOLDS[ord(character)] for character in composed)


def join_blanks(view: View) -> View:
    return substitute(view, _BLANKS, lambda match: "\n" if "\n" in match[0] else " ")


def plain(source: str) -> str:
    """The text of the plain view, without the way back: of a page's source that is seldom needed, and takes longest to make."""
    lines = filter(None, (line.strip(" ") for line in fold(source).text.split("\n")))
    text = "\n".join(lines)
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def views(source: str) -> Iterator[View]:
    """The plain view first, then a view of every disguised place; those of one disguise never overlap."""
    folded = fold(source)
    yield join_blanks(folded)
    for disguise in _DISGUISES:
        if disguise.possible(folded.text):
            for start, end in _windows(folded.text, disguise.trigger, MARGIN):
                yield join_blanks(disguise.undo(folded.cut(start, end)))


def _windows(text: str, trigger: LazyPattern, margin: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for match in trigger.finditer(text):
        start, end = max(0, match.start() - margin), min(len(text), match.end() + margin)
        if found and found[-1][1] >= start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


class _Disguise(NamedTuple):
    """`trigger` finds disguised places in a text for which `possible`, a quick look, is true."""

    possible: Callable[[str], bool]
    trigger: LazyPattern
    undo: Callable[[View], View]


_ASCII: Final = frozenset(map(chr, range(0x80)))


def _any_text(_: str) -> bool:
    return True


def _with(*literals: str) -> Callable[[str], bool]:
    return lambda text: any(literal in text for literal in literals)


def _between(first: str, last: str) -> Callable[[str], bool]:
    return lambda text: not text.isascii() and any(first <= character <= last for character in set(text) - _ASCII)


def _by_table(table: dict[int, int]) -> Callable[[View], View]:
    return lambda view: view._replace(text=view.text.translate(table))


def _by_pattern(pattern: LazyPattern, drop: str) -> Callable[[View], View]:
    dropped = str.maketrans("", "", drop)
    return lambda view: substitute(view, pattern, lambda match: match[0].translate(dropped))


def _reversed(view: View) -> View:
    assert view.offsets is not None
    return View(view.text[::-1], view.offsets[::-1], True)


def _upside_down(view: View) -> View:
    return _by_table(_TURNED)(_reversed(view))


def _misspelt(view: View) -> View:
    return substitute(view, _SHUFFLED, lambda match: _SORTED.get((match[0][0], "".join(sorted(match[0]))), match[0]))


_KEYWORDS: Final = ("ignore", "previous", "instructions", "instruction", "disregard", "system", "prompt")
_SORTED: Final = {(word[0], "".join(sorted(word))): word for word in _KEYWORDS}
_SHUFFLED: Final = LazyPattern(
    r"(?:i(?<!\w.)(?!gnore\b)[gnor]{4}e|p(?<!\w.)(?!revious\b)[reviou]{6}s|i(?<!\w.)(?!nstructions?\b)[nstructio]{9,11}"
    r"|d(?<!\w.)(?!isregard\b)[isregar]{7}d|s(?<!\w.)(?!ystem\b)[yste]{4}m|p(?<!\w.)(?!rompt\b)[romp]{4}t)\b"
)
_SPACED: Final = LazyPattern(r"\b[a-z](?: [a-z]){4,}\b|\b[a-z](?:([._*\-|/])[a-z])(?:\1[a-z]){2,}\b")
_HYPHENED: Final = LazyPattern(r"(?<![a-z])(?<![a-z]-)[a-z]+-[a-z]+(?:-[a-z]+)*(?: [a-z]+-[a-z]+(?:-[a-z]+)*)+\b")
_EMPHASIZED: Final = LazyPattern(r"[a-z](?:\*{1,2}|_{1,2}|')[a-z]+(?:\*{1,2}|_{1,2}|')[a-z]+")
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff"
_CJK_BLANK: Final = LazyPattern(rf"(?<=[{_CJK}]) +(?=[{_CJK}])")
_QUOTED_PLUS: Final = LazyPattern(r"""["'] ?(?:\+|;? ?\w{1,12} ?=) ?["']""")
LOOKALIKE: Final = str.maketrans("аеорсухіѕјһԁԛԝкмтвнαονιρυετκηχօոսհց", "aeopcyxisjhdqwkmtbhaovipuetknxonuhg")
_MIXED: Final = LazyPattern(r"[a-z][\u0370-\u058f]|[\u0370-\u058f][a-z]")
_LEET: Final = str.maketrans("0134578@$!", "oieastbasi")
_LEET_WORDS: Final = LazyPattern(r"[a-z][0134578@$!]+[a-z]\S{0,20} \S{0,20}?[a-z][0134578@$!]+[a-z]")
_TURNED: Final = str.maketrans("ɐqɔpǝɟƃɓɥᴉıɾʞʃɯuodbɹsƨʇnʌʍxʎz", "abcdefgghiijklmnopqrsstuvwxyz")
_TURNED_WORD: Final = LazyPattern("[ǝɹʇɥʌʎɯ][a-zɐ-ʯᴉ]*[ǝɹʇɥʌʎɯ]")
_ROT13: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_BACKWARDS: Final = ("snoitcurtsni", "erongi", "tpmorp", "dragersid")
_ROTATED: Final = ("vafgehpgvba", "vtaber", "cebzcg", "qvfertneq")
_DISGUISES: Final = (
    _Disguise(lambda text: shape.letters_apart(text, 4), _SPACED, _by_pattern(_SPACED, " ._*-|/")),
    _Disguise(shape.hyphened_pairs, _HYPHENED, _by_pattern(_HYPHENED, "-")),
    _Disguise(
        shape.marks_in_words, _EMPHASIZED, _by_pattern(LazyPattern(r"(?<=[a-z])(?:\*{1,2}|_{1,2}|')(?=[a-z])"), "*_'")
    ),
    _Disguise(_between(*"\u3040\u9fff"), _CJK_BLANK, _by_pattern(_CJK_BLANK, " ")),
    _Disguise(_with(*"+="), _QUOTED_PLUS, lambda view: substitute(view, _QUOTED_PLUS, lambda _: "")),
    _Disguise(_between(*"\u0370\u058f"), _MIXED, _by_table(LOOKALIKE)),
    _Disguise(shape.leet, _LEET_WORDS, _by_table(_LEET)),
    _Disguise(_any_text, _SHUFFLED, _misspelt),
    _Disguise(_with(*_BACKWARDS), LazyPattern("|".join(_BACKWARDS)), _reversed),
    _Disguise(_with(*"ǝɹʇɥʌʎɯ"), _TURNED_WORD, _by_table(_TURNED)),
    _Disguise(_with(*"ǝɹʇɥʌʎɯ"), _TURNED_WORD, _upside_down),
    _Disguise(_with(*_ROTATED), LazyPattern("|".join(_ROTATED)), _by_table(_ROT13)),
)
