"""Encodings that write bytes or code points in another alphabet: a candidate stretch, and what it decodes to."""

import base64
import binascii
import encodings.utf_16_be  # loaded before the lock, like the next
import encodings.utf_16_le
import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.percent import unquote

CODECS: Final = (encodings.utf_16_be, encodings.utf_16_le)  # what bytes.decode would import later
Raw = bytes | str
Possible = Callable[[str], bool]


class Encoding(NamedTuple):
    """`possible` is a quick look: false where no candidate can be. `decode` gives every reading of a candidate.

    `margin`: so many characters of the line on each side of a match belong to the candidate.
    """

    possible: Possible
    candidate: LazyPattern
    decode: Callable[[str], Iterator[Raw]]
    margin: int = 0


def any_text(_: str) -> bool:
    return True


def at_least(count: int, *literals: str) -> Possible:
    """So often together, these occur."""
    if count == 1:
        return lambda text: any(literal in text for literal in literals)
    return lambda text: sum(map(text.count, literals)) >= count


def has_digits(text: str) -> bool:
    return sum(map(text.count, "0123456789")) >= MIN_DIGITS


def _whole(decode: Callable[[str], Raw]) -> Callable[[str], Iterator[Raw]]:
    def readings(text: str) -> Iterator[Raw]:
        yield decode(text)

    return readings


def _base64(text: str) -> Iterator[bytes]:
    """As it stands, and from its end."""
    plain = re.sub(r"\s", "", text).replace("-", "+").replace("_", "/")
    for one in (plain, plain[::-1]):
        letters = one.strip("=").removeprefix("+")
        yield base64.b64decode(letters[: len(letters) - (len(letters) % 4 == 1)] + "=" * (-len(letters) % 4))


def _base32(text: str) -> Iterator[bytes]:
    plain = text.rstrip("=").upper()
    padded = plain + "=" * (-len(plain) % 8)
    if not re.search("[0189]", plain):
        yield base64.b32decode(padded)
    if not re.search("[W-Z]", plain):
        yield base64.b32hexdecode(padded)


def _base85(text: str) -> Iterator[bytes]:
    plain = re.sub(r"\s", "", text).removeprefix("<~").removesuffix("~>")
    for decode in (base64.a85decode, base64.b85decode):
        try:
            yield decode(plain)
        except ValueError:
            continue


def _uuencoded(text: str) -> bytes:
    return b"".join(binascii.a2b_uu(line) for line in text.split("\n")[1:] if line)


def _hex(text: str) -> bytes:
    return bytes.fromhex(re.sub(r"\\x|0x|[^0-9a-fA-F]", "", text))


def _dump(text: str) -> bytes:
    rows = [re.sub(r"^[0-9a-fA-F]{4,8}:?", "", row).split("  |")[0] for row in text.split("\n")]
    return bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", "".join(re.sub(r"  +\S.*$", "", row.strip()) for row in rows)))


def _code_points(text: str) -> str:
    """Hexadecimal numbers, surrogate pairs put together."""
    numbers = [int(digits, 16) for digits in re.findall(r"(?:\\u?\{?|U\+|%u)([0-9a-fA-F]{2,6})", text)]
    return _characters(numbers)


def _characters(numbers: list[int]) -> str:
    text = "".join(chr(number) if number < 0x110000 else "\ufffd" for number in numbers)
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")


def _entities(text: str) -> str:
    return html.unescape(re.sub(r"(&#[xX]?[0-9a-fA-F]+);?\s?", r"\1;", text.replace("&amp;", "&")))


def _binary(text: str) -> Iterator[Raw]:
    digits = re.findall(r"(?<![01])(?:0b)?([01]{7,16})(?![01])", text)
    if digits and {len(number) for number in digits} <= {7, 8, 16}:
        numbers = [int(number, 2) for number in digits]
        yield bytes(numbers) if max(numbers) < 0x100 else _characters(numbers)
    else:
        run = re.sub("[^01]", "", text)
        yield bytes(int(run[at : at + 8], 2) for at in range(0, len(run) - 7, 8))


def _octal(text: str) -> bytes:
    return bytes(int(octet, 8) & 0xFF for octet in re.findall(r"[0-7]{2,3}", text.replace("0o", "")))


def _numbers(text: str) -> Iterator[Raw]:
    """Decimal bytes or code points; or, where every digit allows it, octal bytes."""
    words = re.findall(r"\d+", text)
    numbers = list(map(int, words))
    yield bytes(numbers) if max(numbers) < 0x100 else _characters(numbers)
    if all(len(word) == 3 and re.fullmatch("[0-7]+", word) for word in words):
        yield _octal(text)


def _percent(text: str) -> str:
    return unquote(text.replace("+", " "))


_GAP: Final = r"[\s,;:|/-]{1,3}"
_BASE64: Final = "[A-Za-z0-9+/_-]"
ENCODINGS: Final = (
    Encoding(
        at_least(4, "%"),
        LazyPattern(r"(?<![\w.~%+-])(?:[\w.~+!*'()-]{0,20}%[0-9a-fA-F]{2}){4,}[\w.~+-]{0,20}"),
        _whole(_percent),
    ),
    Encoding(
        at_least(8, "="),
        LazyPattern(r"(?:=[0-9A-F]{2}(?:=\n)?[\w .,]{0,8}){8,}"),
        _whole(lambda text: unquote(text.replace("=\n", "").replace("=", "%"))),
    ),
    Encoding(at_least(8, "\\x"), LazyPattern(rf"(?:\\x[0-9a-fA-F]{{2}}(?:{_GAP})?){{8,}}"), _whole(_hex)),
    Encoding(
        at_least(8, "0x"), LazyPattern(rf"(?:0x[0-9a-fA-F]{{2}}{_GAP}){{8,}}(?:0x[0-9a-fA-F]{{2}})?"), _whole(_hex)
    ),
    Encoding(
        at_least(6, "\\u", "U+", "%u"),
        LazyPattern(r"(?:(?:\\u\{[0-9a-fA-F]{2,6}\}|(?:\\u|U\+|%u)[0-9a-fA-F]{4,6})[\s,]{0,2}){6,}"),
        _whole(_code_points),
    ),
    Encoding(at_least(8, "\\"), LazyPattern(r"(?:\\[0-7]{3}){8,}"), _whole(_octal)),
    Encoding(
        at_least(8, "\\"),
        LazyPattern(r"(?:\\(?:0{0,4}[0-9a-fA-F]{2}|0{0,2}[0-9a-fA-F]{4})(?![0-9a-fA-F]) ?){8,}"),
        _whole(_code_points),
    ),
    Encoding(at_least(8, "0o"), LazyPattern(rf"(?:0o[0-7]{{2,3}}{_GAP}){{8,}}0o[0-7]{{2,3}}"), _whole(_octal)),
    Encoding(at_least(6, "#"), LazyPattern(r"(?:&(?:amp;)?#[xX]?[0-9a-fA-F]{2,9};?\s?){6,}"), _whole(_entities)),
    Encoding(at_least(6, "&#"), LazyPattern(r"(?:&#[xX]?[0-9a-fA-F]{2,9};[^&\n]{1,3}){6,}"), _whole(_entities), 2),
    Encoding(
        at_least(1, "begin "),
        LazyPattern(r"begin [0-7]{3} [^\n]{1,60}\n(?:[ -`]{2,61}\n){2,}", re.MULTILINE),
        _whole(_uuencoded),
    ),
    Encoding(at_least(1, "<~"), LazyPattern(r"<~[!-u\s]{20,4000}~>"), _base85),
)
# In lines, and in groups of one length: prose has no eight words of four letters in a row.
BASE64_IN_PARTS: Final = (
    Encoding(any_text, LazyPattern(rf"(?<!\S)(?:{_BASE64}{{16,}}\n)+{_BASE64}{{2,}}={{0,2}}(?!\S)"), _base64),
    Encoding(
        any_text,
        LazyPattern(
            rf"(?<!\S)(?:(?:{_BASE64}{{4}}[ ]){{7,}}{_BASE64}{{2,4}}|(?:{_BASE64}{{5,8}}[ ]){{9,}}{_BASE64}{{2,8}}"
            rf"|(?:{_BASE64}{{10,76}}[ ]){{2,}}{_BASE64}{{2,76}})={{0,2}}(?!\S)"
        ),
        _base64,
    ),
)
_MIXED: Final = LazyPattern("[a-z][A-Z0-9]|[0-9][A-Za-z]")
MIN_MIXED: Final = 6  # places where a word does not look like one
FULL: Final = 10  # characters of a group that base64 seldom fills without such a place
MIN_SHORT: Final = 4  # different groups with one, of the seven shorter ones that are needed


def has_base64_in_parts(words: Iterable[str]) -> bool:
    """A quick look at the distinct words of a text: whether they hold what base64 in groups consists of."""
    odd = [word for word in words if len(word) > 3 and not (word.isalpha() and word[1:].islower())]
    if sum(1 for _ in _MIXED.finditer(" ".join(odd))) < MIN_MIXED:
        return False
    mixed = [(len(word) >= FULL, sum(1 for _ in _MIXED.finditer(word))) for word in odd]
    return any(full and count > 1 for full, count in mixed) or sum(count > 0 for _, count in mixed) >= MIN_SHORT


# Groups of digits in a row; all of them hold what one of these finds. Each begins with a digit, which prose seldom has.
NUMBERS_BEGIN: Final = (
    LazyPattern(r"[0-9][0-9a-fA-F]{1,15}[\s,;:|/-]{1,3}(?:[0-9a-fA-F]{2,16}[\s,;:|/-]{1,3}){5}"),
    LazyPattern(r"[0-9][0-9a-fA-F]{7,}[ ]{0,2}\s[0-9a-fA-F]{2}"),
    LazyPattern(r"[01]{64}"),
)
MIN_DIGITS: Final = 12
NUMBERS: Final = (
    Encoding(
        at_least(56, "0", "1"), LazyPattern(r"(?<![\w])(?:(?:0b)?[01]{7,16}[\s,]{1,2}){7,}(?:0b)?[01]{7,16}"), _binary
    ),
    Encoding(at_least(64, "0", "1"), LazyPattern(r"(?<![01])[01]{64,}(?![01])"), _binary),
    Encoding(any_text, LazyPattern(r"(?<!\d)(?:\d{2,6}[\s,;]{1,2}){10,}\d{2,6}(?!\d)"), _numbers),
    Encoding(
        any_text,
        LazyPattern(rf"\b(?:[0-9a-fA-F]{{2}}{_GAP}){{11,}}[0-9a-fA-F]{{2}}(?![0-9a-fA-F])"),
        _whole(_hex),
    ),
    Encoding(any_text, LazyPattern(r"(?<!\w)(?:[0-9a-fA-F]{4}[ ]){5,}[0-9a-fA-F]{2,4}(?!\w)"), _whole(_hex)),
    Encoding(any_text, LazyPattern(r"(?<!\w)(?:[0-9a-fA-F]{8,}[ ]{0,2}\n){1,}[0-9a-fA-F]{2,}(?!\w)"), _whole(_hex)),
    Encoding(
        any_text,
        LazyPattern(
            r"^(?:[0-9a-fA-F]{4,8}:?[ ]{1,2}(?:[0-9a-fA-F]{2,4}[ ]{1,2}){4,16}[^\n]{0,40}\n)+"
            r"[0-9a-fA-F]{4,8}:?[ ]{1,2}(?:[0-9a-fA-F]{2,4}[ ]{0,2}){1,16}[^\n]{0,40}$",
            re.MULTILINE,
        ),
        _whole(_dump),
    ),
)
# Looked for in stretches without a blank.
LONG: Final = LazyPattern(r"(?<!\S)\S{18,}")
TOKENS: Final = (
    Encoding(any_text, LazyPattern(r"(?<![0-9a-zA-Z])(?:0x)?((?:[0-9a-fA-F]{2}){12,})(?![0-9a-zA-Z])"), _whole(_hex)),
    Encoding(
        any_text,
        LazyPattern(r"(?<![A-Za-z0-9])(?:[A-Z2-7]{24,}|[A-V0-9]{24,}|[a-z2-7]{24,})={0,6}(?![A-Za-z0-9])"),
        _base32,
    ),
    Encoding(any_text, LazyPattern(rf"(?<![A-Za-z0-9+/_-])={{0,2}}{_BASE64}{{24,}}={{0,2}}"), _base64),
    Encoding(lambda run: not run.isalnum() and "://" not in run, LazyPattern(r"(?<!\S)[!-~]{30,4000}(?!\S)"), _base85),
)
