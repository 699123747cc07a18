"""Guesses the encoding of a page that declares none that fits: decode with each candidate, look at the letters that come out.

A full detector library costs 60-180 ms to import and more to run. Among the few encodings the web still uses, the right
one is told by two facts: it decodes without errors, and it yields letters its languages use all the time. Wrong ones yield rare
letters, symbols inside words, or capitals inside words. A `lang` attribute counts as a hint.
"""

import re
from typing import Final, NamedTuple

from guarded_webfetch.core.charset import Encoding, lookup
from guarded_webfetch.parser import charmaps
from guarded_webfetch.parser.japanese import decode_euc_jp

SAMPLE_BYTES: Final = 16_384
MIN_SCORE: Final = 0.35  # below it the letters fit no candidate, and the web's default is the better guess
_LANG_BONUS: Final = 1.25
_NO_SPACES: Final = ("ja", "zh", "ko")  # any symbol may stand between two of their letters
_TAG: Final = re.compile(rb"<[^>]{0,2000}>")
_LANG: Final = re.compile(rb"<html\b[^>]{0,500}?\slang\s*=\s*[\"']?([a-zA-Z]{2})", re.I)
_ODD: Final = re.compile("[\ufffd\x80-\x9f\ue000-\uf8ff]")
_INSIDE_WORD: Final = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f·’‘'–—-](?=[^\W\d_])")
_CASE_FLIP: Final = re.compile(r"[a-zа-яёα-ωά-ώ][A-ZА-ЯЁΑ-ΩΆ-Ώ]")
_MIXED_SCRIPTS: Final = re.compile(r"[a-zA-Z][^\W\x00-\x7f]|[^\W\x00-\x7f][a-zA-Z]")
_ALONE: Final = re.compile(r"(?<![^\x00-\x7f])[^\x00-\x7f](?![^\x00-\x7f])")
# A Thai vowel sign stands on a consonant; a leading vowel stands before one.
_MISPLACED_THAI: Final = re.compile(
    "(?<![\u0e01-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]|[\u0e40-\u0e44](?![\u0e01-\u0e2e])"
)

_KANA: Final = "".join(map(chr, range(0x3041, 0x30FF))) + "、。「」・年月日一人大会本中国事者市"
_SIMPLIFIED: Final = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起"
    "还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声"
    "全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产"
    "入先山五太水万市体别处总才场师书比住员九通目报立件安表原路期规定公告项投标截止联系料，。、：；"
)
_TRADITIONAL: Final = (
    "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她里後小麼心多天而能好都然沒日於起"
    "還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲"
    "全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產"
    "入先山五太水萬市體別處總才場師書比住員九通目報立件安表原路期規定告項投標截止聯絡料，。、：；"
)
_HANGUL: Final = (
    "이다의는에을가은고를하지로사한기도인과자대어리서나있그일수해정시보만으부장제원전면시안구주스라상비여동조모공성경적관신아우내"
    "세트유소니들중치건연화국명했습니까요계분월개무오실위방교생간단금발오행되때문말거너무용체입찰당법률따음같합후"
)
_CYRILLIC: Final = "оеаинтсрвлкмдпуяыьзбгйчО "
_GREEK: Final = "αοιετσνηυρπκμλςάόίέήύώδγωθφβχξζ"
_WEST: Final = "éèàêçôîûùâëïäöüßñáíóúãõåøæœ’‘“”–—…«»°€ \xa0£©®¿¡·ÉÀÇÖÄÜ"
_CENTRAL: Final = "ąćęłńóśźżčěšřžýáíéúůďťňőűľĺôäöüÁÉÍÓÚŁŚŻŹČŠŽŘ„”–\xa0đ"
_TURKISH: Final = "ığşöüçİĞŞÖÜÇâîû’“”\xa0"
_HEBREW: Final = "".join(map(chr, range(0x5D0, 0x5EB)))
_ARABIC: Final = "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآءئؤ،؟"
_THAI: Final = "านรอกเงมยลวดทสตะปบคหแพชขใไโ่้็ัิีืุู์ำ"
_BALTIC: Final = "āčēģīķļņšūžąęėįųõäöü–“”\xa0"
_LATIN: Final = (_WEST, _CENTRAL, _TURKISH, _BALTIC)


class Candidate(NamedTuple):
    """A label and its codec, the characters its text is full of, and the languages that use it."""

    label: str
    codec: str
    frequent: frozenset[str]
    languages: frozenset[str]
    latin: bool


def _candidate(label: str, frequent: str, languages: str) -> Candidate:
    encoding = lookup(label)
    assert encoding is not None
    return Candidate(label, encoding.codec, frozenset(frequent), frozenset(languages.split()), frequent in _LATIN)


# The order settles ties: the more common encoding stands first.
_CANDIDATES: Final = (
    _candidate("shift_jis", _KANA, "ja"),
    _candidate("euc-jp", _KANA, "ja"),
    _candidate("gbk", _SIMPLIFIED, "zh"),
    _candidate("big5", _TRADITIONAL, "zh"),
    _candidate("euc-kr", _HANGUL, "ko"),
    _candidate("windows-1251", _CYRILLIC, "ru uk be bg sr mk kk"),
    _candidate("koi8-r", _CYRILLIC, "ru"),
    _candidate("iso-8859-5", _CYRILLIC, "ru bg sr"),
    _candidate("ibm866", _CYRILLIC, "ru"),
    _candidate("windows-1253", _GREEK, "el"),
    _candidate("iso-8859-7", _GREEK, "el"),
    _candidate("windows-1252", _WEST, "en fr de es it pt nl sv da no fi is ca gl"),
    _candidate("windows-1250", _CENTRAL, "pl cs sk hu sl hr ro"),
    _candidate("iso-8859-2", _CENTRAL, "pl cs sk hu sl hr ro"),
    _candidate("windows-1254", _TURKISH, "tr az"),
    _candidate("windows-1255", _HEBREW, "he iw yi"),
    _candidate("windows-1256", _ARABIC, "ar fa ur"),
    _candidate("windows-874", _THAI, "th"),
    _candidate("windows-1257", _BALTIC, "lt lv et"),
)
LABELS: Final = tuple(candidate.label for candidate in _CANDIDATES)


def detect(body: bytes) -> Encoding | None:
    """The most likely encoding of `body`, judged on its first 16 KB of text; None when nothing fits well."""
    if (wide := utf_16(body)) is not None:
        return wide
    if b"\x1b$" in body and body.isascii():
        return lookup("iso-2022-jp")
    language = _LANG.search(body[:SAMPLE_BYTES])
    lang = language[1].decode("ascii").lower() if language else ""
    sample = _TAG.sub(b" ", body[: 16 * SAMPLE_BYTES])[:SAMPLE_BYTES]
    best, best_score = None, MIN_SCORE
    for candidate in _CANDIDATES:
        score = _score(sample, candidate) * (_LANG_BONUS if lang in candidate.languages else 1.0)
        if score > best_score:
            best, best_score = candidate, score
    return lookup(best.label) if best else None


def utf_16(body: bytes) -> Encoding | None:
    """UTF-16 without a byte order mark: every second byte of the markup at the start is zero."""
    head = body[:64]
    if len(head) < 8 or head.count(0) * 5 < len(head) * 2:
        return None
    if not any(head[0::2]):
        return lookup("utf-16be")
    return lookup("utf-16le") if not any(head[1::2]) else None


def _score(sample: bytes, candidate: Candidate) -> float:
    """Share of frequent letters among the characters beyond ASCII, less what no real text contains."""
    text = decode_euc_jp(sample) if candidate.label == "euc-jp" else charmaps.decode(sample, candidate.codec)
    beyond = [char for char in text if char > "\x7f"]
    if not beyond:
        return 0.0
    odd: float = len(_ODD.findall(text))
    if candidate.languages.isdisjoint(_NO_SPACES):
        odd += len(_INSIDE_WORD.findall(text)) + len(_CASE_FLIP.findall(text))
        odd += len(_MISPLACED_THAI.findall(text))
        if not candidate.latin:
            # A lone letter between ASCII ones is an accent of a Latin text, not a word of another script.
            odd += len(_MIXED_SCRIPTS.findall(text)) + len(_ALONE.findall(text)) / 6
    good = sum(char in candidate.frequent for char in beyond)
    return (good - 3 * odd) / len(beyond)
