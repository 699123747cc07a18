"""How a model or a client reads a text: look-alikes of ASCII and character references resolved, with the way back to the text.

Imitations of marks and addresses are looked for here, so that each needs one pattern, whatever its width, letters or escapes.
A backslash is only ever itself: it is what neutralises, so nothing that merely looks like one may count as one.
"""

import re
import unicodedata
from functools import cache
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.match_view import View, substitute

# Beyond NFKC: what is drawn like an ASCII sign or letter. Quotation marks of running text (〈〉 «» 【】) are themselves.
_ALIKE: Final = {
    **dict.fromkeys("‹˂ᐸ⟨❮❬❰", "<"),
    **dict.fromkeys("›˃ᐳ⟩❯❭❱", ">"),
    **dict.fromkeys("│┃∣❘❙⏐￨ǀ❚║‖", "|"),
    **dict.fromkeys("❲⁅", "["),
    **dict.fromkeys("❳⁆", "]"),
    **dict.fromkeys("❴", "{"),
    **dict.fromkeys("♯⋕", "#"),
    **dict.fromkeys("═⹀꓿᐀゠", "="),
    **dict.fromkeys("‐‑‒–—―−─━", "-"),
    **dict.fromkeys("∶꞉׃ː᛬", ":"),
    **dict.fromkeys("⁄∕⧸╱", "/"),
    **dict.fromkeys("∗✱⁎", "*"),
    **dict(zip("аеорсухіѕјһԁԛԝкмтвнԍɡАВЕКМНОРСТХІЅЈԌҮ", "aeopcyxisjhdqwkmtbhggABEKMHOPCTXISJGY", strict=True)),
    **dict(zip("ανοριυτκγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "avopiutkywABEZHIKMNOPTYX", strict=True)),
    **dict(zip("օսոհցɑıⅼ", "ounhgail", strict=True)),
}
_REFERENCE: Final = LazyPattern(
    r"&(?:#0{0,6}(?P<decimal>[1-9]\d{1,2})|#[xX]0{0,6}(?P<hex>[2-7][0-9A-Fa-f])|(?P<name>[a-z]{2,8}));?", re.IGNORECASE
)
_NAMED: Final = {
    "lt": "<", "gt": ">", "vert": "|", "verbar": "|", "lsqb": "[", "lbrack": "[", "rsqb": "]", "rbrack": "]", "colon": ":",
    "sol": "/", "period": ".", "num": "#", "lowbar": "_", "hyphen": "-", "equals": "=", "quot": '"', "apos": "'",
    "excl": "!", "lpar": "(", "rpar": ")", "commat": "@", "quest": "?", "lcub": "{", "lbrace": "{", "ast": "*", "amp": "&",
}  # fmt: skip
_UNSEEN: Final = LazyPattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff]"
)
_ESCAPED: Final = LazyPattern(
    r"\\(?:u00(?P<unit>[2-7][0-9A-Fa-f])|x(?P<byte>[2-7][0-9A-Fa-f])|(?P<sign>[!-/:-@\[-`{-~]))"
)


@cache
def _alike(character: str) -> str:
    """The ASCII character this one is read as, else itself."""
    known = _ALIKE.get(character)
    if known:
        return known
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 and " " < folded <= "~" and folded != "\\" else _ALIKE.get(folded, character)


def reading(text: str) -> View:
    """`text` with look-alikes of ASCII folded and references to ASCII characters resolved."""
    folded = text
    if not text.isascii():
        for character in set(text):
            if character > "~" and _alike(character) != character:
                folded = folded.replace(character, _alike(character))
    return _without_references(View(folded))


def resolved(text: str) -> View:
    """`text` with references to ASCII characters resolved, and escapes before punctuation as Markdown and JSON undo them."""
    view = _without_references(View(text))
    return substitute(view, _ESCAPED, _unescaped) if "\\" in view.text else view


def _without_references(view: View) -> View:
    """Also without what is legitimate and yet invisible, such as a soft hyphen: cleaning left it, a reader does not see it."""
    if not view.text.isascii() and _UNSEEN.search(view.text):
        view = substitute(view, _UNSEEN, lambda _: "")
    return substitute(view, _REFERENCE, _referred) if "&" in view.text else view


def _referred(match: "re.Match[str]") -> str:
    if match["name"]:
        return _NAMED.get(match["name"].lower(), match[0])
    code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    return chr(code) if 0x20 < code < 0x7F and code != ord("\\") else match[0]


def _unescaped(match: "re.Match[str]") -> str:
    return match["sign"] or chr(int(match["unit"] or match["byte"], 16))
