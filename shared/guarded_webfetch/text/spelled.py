"""Words taken apart, shifted, turned round or spelled in other signs: what a reader puts together, and a pattern does not.

The disguises of the match view (see match_view.py) work on single letters of the folded text; these need the original one.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from guarded_webfetch.text.byte_codes import Encoding, Raw, any_text, at_least
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.lexicon import KEYWORDS, WORDS, spaced_out
from guarded_webfetch.text.shape import letters_apart

MARGIN: Final = 300  # characters around a keyword that are read like it
MAX_BROKEN: Final = 40  # different broken words looked for

Table = Mapping[int, int | str]  # of str.translate

_MORSE_CODES: Final = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE: Final = {code: chr(ord("a") + number) for number, code in enumerate(_MORSE_CODES.split(" "))}
_BRAILLE: Final = dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", "abcdefghijklmnopqrstuvwxyz", strict=True))
_SPELLING: Final = (
    r"al(?:f|ph)a|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra"
    r"|tango|uniform|victor|whiskey|x-?ray|yankee|zulu"
)
_SIGN: Final = r"[ .\-_*|/·•,~+\n]"
_SIGNED: Final = LazyPattern(r"[.\-_*|/·•~+][^\W_][.\-_*|/·•~+][^\W_][.\-_*|/·•~+]")  # a letter, a sign, a letter
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"


def _east_asian(text: str) -> bool:
    return not text.isascii() and max(text) >= _CJK[0]


def _tagged(text: str) -> bool:
    return text.count("<") >= 4 or text.count("()") + text.count("[]") >= 2


def _lone_letters(text: str) -> bool:
    if not letters_apart(text, 8):
        return False
    return list(map(len, text.split())).count(1) >= 8 or _SIGNED.search(text) is not None


def _morse(text: str) -> Iterator[Raw]:
    plain = text.strip().replace("·", ".").replace("−", "-")
    words = re.split(r"\s*[/|]\s*|\s{3,}", plain)
    yield " ".join("".join(_MORSE.get(letter, "?") for letter in word.split()) for word in words)


def _braille(text: str) -> Iterator[Raw]:
    yield "".join(_BRAILLE.get(character, " ") for character in text)


def _regional(text: str) -> Iterator[Raw]:
    letters = "".join(chr(ord(c) - 0x1F1E6 + ord("a")) if c > "\U0001f1e5" else c for c in text)
    yield letters
    yield spaced_out(re.sub(r"\s", "", letters))


def _alphabet(text: str) -> Iterator[Raw]:
    yield spaced_out("".join(word[0] for word in text.split()))


def _ordinals(text: str) -> Iterator[Raw]:
    words = [[int(number) for number in re.findall(r"\d+", word)] for word in text.split()]
    if all(0 < number < 27 for word in words for number in word):
        yield " ".join("".join(chr(ord("a") + number - 1) for number in word) for word in words)


def _apart(text: str) -> Iterator[Raw]:
    """Single letters with something between them: the commonest gap joins, every other one is the gap between two words."""
    gaps = re.findall(rf"(?<=[^\W_]){_SIGN}+(?=[^\W_])", text)
    usual = max(set(gaps), key=lambda gap: (gaps.count(gap), -len(gap)))
    joined = "".join(
        part if number % 2 == 0 else "" if part == usual else " "
        for number, part in enumerate(re.split(rf"({_SIGN}+)", text))
    )
    yield joined
    yield spaced_out(joined.replace(" ", ""))


def _words_of(text: str) -> Iterator[Raw]:
    """snake_case, kebab-case, dotted.words and CamelCase as words."""
    yield re.sub(r"[-_.+/*|~]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))


def _glued(text: str) -> Iterator[Raw]:
    if any(word in text.lower() for word in ("instruction", "previous", "prompt")):
        yield spaced_out(text)


def _untagged(text: str) -> Iterator[Raw]:
    yield re.sub(r"<[^<>]{0,200}>|\(\)|\[\]|\{\}", "", text)


_BROKEN: Final = LazyPattern(r"(?<![A-Za-z])[A-Za-z]{1,12}(?:[^A-Za-z\s]{1,4}[A-Za-z]{1,12}){1,7}(?![A-Za-z])")


def _letters(word: str) -> str:
    return re.sub("[^a-z]", "", word.lower())


def _whole_word(match: re.Match[str]) -> str:
    """The known word that a broken one becomes without the signs inside it; else what it was."""
    word = _letters(match[0])
    return word if word in WORDS else match[0]


def _rejoined(text: str) -> Iterator[Raw]:
    yield re.sub(_BROKEN.compiled, _whole_word, text)


def _cjk_joined(text: str) -> Iterator[Raw]:
    yield re.sub(rf"(?<=[{_CJK}])[-_.*|/·~+\s]{{1,3}}(?=[{_CJK}])", "", text)


def _pig_latin(text: str) -> Iterator[Raw]:
    yield re.sub(r"[A-Za-z']{3,}", lambda match: _from_pig_latin(match[0].lower()), text)


def _from_pig_latin(word: str) -> str:
    stem = word.removesuffix("ay")
    ways = [stem.removesuffix("w"), *(stem[-count:] + stem[:-count] for count in (1, 2, 3))]
    return next((way for way in ways if way in WORDS), ways[1]) if stem != word else word


def _cipher(undo: Callable[[str], str]) -> Callable[[str], Iterator[Raw]]:
    def readings(text: str) -> Iterator[Raw]:
        yield undo(text)

    return readings


def _translated(table: Table) -> Callable[[str], Iterator[Raw]]:
    return _cipher(lambda text: text.translate(table))


def _shifted(by: int) -> Table:
    small = "abcdefghijklmnopqrstuvwxyz"
    moved = small[by:] + small[:by]
    return str.maketrans(small + small.upper(), moved + moved.upper())


_ATBASH: Final[Table] = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA"
)
_ROT47: Final[Table] = {code: chr(33 + (code - 33 + 47) % 94) for code in range(33, 127)}
_SHIFTS: Final = tuple(_shifted(by) for by in range(1, 26))
_TABLES: Final[tuple[Table, ...]] = (
    *(table for number, table in enumerate(_SHIFTS, 1) if number != 13),
    _ATBASH,
    _ROT47,
)
# Of each alphabet what the keywords become under it; two of them in a text are no accident.
_INVERSES: Final[tuple[Table, ...]] = (*(_SHIFTS[25 - by] for by in range(1, 26) if by != 13), _ATBASH, _ROT47)
_CIPHERS: Final[tuple[tuple[tuple[str, ...], Table], ...]] = tuple(
    (tuple(word.translate(inverse).lower() for word in KEYWORDS), table)
    for table, inverse in zip(_TABLES, _INVERSES, strict=True)
)


def _any_of(*literals: str, flags: int = re.IGNORECASE) -> LazyPattern:
    return LazyPattern("|".join(map(re.escape, literals)), flags)


_TURNED_WORDS: Final = ("erongi", "snoitcurtsni", "suoiverp", "dragersid")
_TURNED_CJK: Final = ("示指", "視無", "令命", "いさだく", "视忽", "시무")
_PUNCTUATION: Final = ".,;:!?\"'()[]“”「」"
SPELLINGS: Final = (
    Encoding(
        at_least(1, ".-", "-.", "·−", "−·", "·-", "-·", ".−"),
        LazyPattern(r"(?:[.\-·−]{1,4}(?: ?[/|] ?| {1,3})){8,}[.\-·−]{1,4}"),
        _morse,
    ),
    Encoding(at_least(1, "⠑", "⠊"), LazyPattern("[\u2800-\u283f ]{12,}"), _braille),
    Encoding(
        at_least(1, "\U0001f1ee", "\U0001f1f3"),
        LazyPattern("(?:[\U0001f1e6-\U0001f1ff]\\s{0,2}){8,}"),
        _regional,
    ),
    Encoding(
        at_least(1, "ovember", "OVEMBER"),
        LazyPattern(rf"\b(?:(?:{_SPELLING})\s+){{5,}}(?:{_SPELLING})\b", re.IGNORECASE),
        _alphabet,
    ),
    Encoding(
        at_least(8, "-", "."),
        LazyPattern(
            r"\d\d?(?:[-.]\d{1,2}){1,20}[ ,/]{1,3}(?:\d{1,2}(?:[-.]\d{1,2}){1,20}[ ,/]{1,3}){1,}\d{1,2}(?:[-.]\d{1,2})*(?![\w.-])"
        ),
        _ordinals,
    ),
    Encoding(_lone_letters, LazyPattern(rf"(?<![^\W_])(?:[^\W_]{_SIGN}{{1,6}}){{7,}}[^\W_](?![^\W_])"), _apart),
    Encoding(_tagged, LazyPattern(r"(?:(?:<[^<>]{0,80}>|\(\)|\[\]){1,3}[^<>()\[\]]{0,12}){4,}"), _untagged),
    Encoding(at_least(1, "<!--"), LazyPattern(r"<!--[^<>]{0,80}-->"), _untagged, MARGIN),
    Encoding(_east_asian, LazyPattern(rf"(?<=[{_CJK}])[-_.*|/·~+]{{1,3}}(?=[{_CJK}])"), _cjk_joined, MARGIN),
    Encoding(any_text, LazyPattern(r"ay[ ,.]{1,2}[A-Za-z]{2,}ay[ ,.]{1,2}[A-Za-z]{2,}ay\b"), _pig_latin, MARGIN),
    Encoding(
        at_least(1, *_TURNED_WORDS),
        _any_of(*_TURNED_WORDS),
        _cipher(lambda text: re.sub(r"[A-Za-z']+", lambda m: m[0][::-1], text)),
        MARGIN,
    ),
    Encoding(at_least(1, *_TURNED_CJK), _any_of(*_TURNED_CJK), _cipher(lambda text: text[::-1]), MARGIN),
    Encoding(
        at_least(1, "nstructions previous", "nstructions prior", "revious all"),
        _any_of("nstructions pr", "revious all"),
        _cipher(lambda text: " ".join(text.split()[::-1])),
        MARGIN,
    ),
)


# Looked for in stretches without a blank.
GLUED: Final = (
    Encoding(
        at_least(1, "nore", "NORE", "regard", "revious"),
        LazyPattern(r"\b[A-Za-z]+(?:[-_.+/*|~][A-Za-z]+){2,}|\b[A-Z][a-z]+(?:[A-Z][a-z]+){3,}"),
        _words_of,
    ),
    Encoding(any_text, LazyPattern(r"(?<![A-Za-z0-9])[A-Za-z']{18,400}"), _glued),
)


def found_spellings(text: str, words: AbstractSet[str]) -> Iterator[Encoding]:
    """What only a look at the distinct `words` of `text` shows: broken ones, and alphabets in which keywords stand there."""
    odd = (word for word in words if len(word) > 5 and not word.strip(_PUNCTUATION).isalpha())
    inside = (match[0] for word in odd for match in _BROKEN.finditer(word))
    broken = [word for word in inside if len(_letters(word)) > 3 and _letters(word) in WORDS]
    if len(broken) > 1 or any(_letters(word) in KEYWORDS for word in broken):
        yield Encoding(any_text, _any_of(*sorted(broken)[:MAX_BROKEN], flags=0), _rejoined, MARGIN)
    likely = [word.lower() for word in words if 6 <= len(word) <= 20]
    bare = {word.strip(_PUNCTUATION) for word in likely}.union(likely)
    for keywords, table in _CIPHERS:
        if len(bare.intersection(keywords)) > 1:
            yield Encoding(any_text, _any_of(*bare.intersection(keywords)), _translated(table), MARGIN)
