"""Is a phrase said, or talked about? Pages that teach about injections quote them; such phrases do not add up.

An attacker can imitate a quotation too. So this is asked of weak matches only, which stay noted then instead of making each
other strong; on top of that quoting counts only on a page that speaks of attacks, a reporting verb only right before the phrase.
"""

import re
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

BEFORE: Final = 100  # characters looked at before a phrase
AFTER: Final = 160  # to the closing quotation mark

# Words of pages about attacks on machine readers, lower case.
_TEACHES: Final = (
    "inject",
    "jailbreak",
    "jail break",
    "attack",
    "malicious",
    "adversar",
    "red team",
    "red-team",
    "guardrail",
    "exfiltrat",
    "phrases such as",
    "phrases like",
    "social engineering",
    "hostile",
    "prompt leak",
    "prompt security",
    "prompt hack",
    "インジェクション",
    "攻撃",
    "悪意",
    "脱獄",
    "注入",
    "攻击",
    "恶意",
    "인젝션",
    "주입",
    "공격",
    "탈옥",
    "inyecci",
    "ataque",
    "injekt",
    "angriff",
    "attaque",
    "malveill",
    "iniezion",
    "attacc",
    "injeç",
    "атак",
    "инъекц",
    "внедрени",
    "هجوم",
    "हमला",
)
_REPORTED: Final = LazyPattern(
    r"(?:\b(?:tell|tells|telling|told|ask|asks|asking|asked|instruct|instructs|instructing|instructed|trick|tricks|tricking|convince"
    r"|convinces|cause|causes|causing|get|gets|force|forces|forcing|persuade|persuades|order|orders|ordering)\b[^.!?\n]{1,40}\bto"
    r"|\b(?:attempts?|tries|try|trying|tried|designed|meant|aims?|intended|want|wants|supposed|used|able|how) to"
    r"|\b(?:such as|like|e\.g\.,?|i\.e\.,?|for example,?|for instance,?|examples?(?: of| is| are|:)?|phrases?|strings?|keywords?"
    r"|says?|saying|said|states?|stating|contain(?:s|ing)?|include[sd]?|including|reads?|payloads?|prompts?|text|message|called)"
    r"|(?:例|例えば|たとえば|攻撃|攻击|例如|比如|예|예시|공격))[ \t]*[:：,、]?[ \t]*[\"'“”‘’「『《`*_(]*$",
    re.IGNORECASE,
)
_REPORTED_AFTER: Final = LazyPattern(
    r"^[」』”’\"'`)]*(?:のような|といった|などの|などと|という|と(?:書|言|い|入力)|等的|之类|같은|라는|といつた)"
)
_PAIRS: Final = (
    ("“", "”"),
    ("‘", "’"),
    ("「", "」"),
    ("『", "』"),
    ("«", "»"),
    ("《", "》"),
    ("„", "“"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
)
_IN_HTML: Final = LazyPattern(
    r"<(code|pre|q|kbd|samp|blockquote|tt|cite)\b[^>]*>(?:(?!</\1)[\s\S]){0,400}$", re.IGNORECASE
)


def teaches(text: str) -> bool:
    """The page speaks of attacks on machine readers somewhere outside a single phrase."""
    lowered = text.lower()
    return any(word in lowered for word in _TEACHES)


def talked_about(text: str, start: int, end: int, *, teaches: bool) -> bool:
    """text[start:end] is reported, or quoted on a page that teaches about attacks."""
    return reported(text, start, end) or (teaches and quoted(text, start, end))


def reported(text: str, start: int, end: int) -> bool:
    """text[start:end] is told of: after "tells you to", "such as", before のような."""
    before = text[max(0, start - BEFORE) : start]
    return bool(_REPORTED.search(before) or _REPORTED_AFTER.search(text[end : end + 20]))


def quoted(text: str, start: int, end: int) -> bool:
    """text[start:end] stands within quotation marks, backticks or quoting HTML elements on its line."""
    begin = max(text.rfind("\n", 0, start) + 1, start - BEFORE)
    before, after = text[begin:start], text[end : end + AFTER].partition("\n")[0]
    return any(_open(before, after, *pair) for pair in _PAIRS) or bool(
        _IN_HTML.search(text[max(0, start - 500) : start])
    )


def _open(before: str, after: str, opening: str, closing: str) -> bool:
    if closing not in after:
        return False
    if opening == closing:
        count = (
            len(re.findall(rf"(?<!\w){opening}|{opening}(?!\w)", before)) if opening == "'" else before.count(opening)
        )
        return count % 2 == 1
    return before.rfind(opening) > before.rfind(closing)
