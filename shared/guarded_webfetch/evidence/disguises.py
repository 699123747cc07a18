"""Undoes what hides an address from programs and not from people: entities, escapes, spelled-out and defanged signs.

The views are folded copies with the way back to the source (text.match_view): NFKC, case, invisible characters; entities and percent
signs decoded up to six times, defanged dots mended, IDNA's other dots (RFC 3490 section 3.1) read as dots between labels.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final
from urllib.parse import unquote

from guarded_webfetch.text import match_view
from guarded_webfetch.text.edits import Edit, widened
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.match_view import View, substitute

MAX_DECODINGS: Final = 6

_ESCAPES: Final = LazyPattern(
    r"&(?:#x?[0-9a-f]{1,30}|[a-z][a-z0-9]{1,31});?|(?:%[0-9a-f]{2})+|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}"
    r"|\\[0-3][0-7]{2}|=(?:2[ef]|3a|40)"
)
# "[.]", "(dot)", "{ドット}", " -dot- ": how people write a dot or an @ that no program should find; any reader puts it back.
_DOT: Final = "dot|ドット|どっと|点|點|점|punkt|punto|ponto|point|точка"
SPOKEN_DOT: Final = LazyPattern(_DOT, re.IGNORECASE)
_AT: Final = "at|アット(?:マーク)?|あっと(?:まーく)?|圈a|골뱅이|arobase|arroba|chiocciola|klammeraffe|собака"
_DEFANGED: Final = LazyPattern(rf" ?[\[({{<] ?(?:\.|{_DOT}) ?[\])}}>] ?| -(?:{_DOT})- ")
_DEFANGED_AT: Final = LazyPattern(rf" ?[\[({{<] ?(?:@|{_AT}) ?[\])}}>] ?| -(?:{_AT})- ")
_DEFANGED_SLASH: Final = LazyPattern(r"\[(:/{0,2}|//?)\]")
_SPOKEN_DOT: Final = LazyPattern(
    r"(?<=[a-z0-9])(?<!\bthe)(?<!\ba) (?:dot|punkt) (?=[a-z0-9-]{2,63})|(?<=[0-9]) dot (?=[0-9])"
    r"|(?<=[a-z0-9]) ?(?:ドット|どっと) ?(?=[a-z0-9])|(?<=[a-z]{3})[点點점](?=[a-z]{2})"
)
# Words that are common elsewhere count only together.
_SPOKEN_MAIL: Final = LazyPattern(
    rf"[a-z0-9._-]{{1,64}}(?: (?:{_AT.removeprefix('at|')}) [a-z0-9-]{{1,63}}(?: (?:{_DOT}) [a-z0-9-]{{2,63}}){{1,4}}"
    r"|([_-])at\1[a-z0-9]{1,63}(?:\1dot\1[a-z0-9]{2,63}){1,4})"
)
_SPOKEN_MARK: Final = LazyPattern(rf"[ _-](?:({_DOT})|{_AT})[ _-]")
_SPACED_SCHEME: Final = LazyPattern(r"h ?t ?t ?p ?s? ?: ?/ ?/ ?")
_SPLIT_SCRIPT: Final = LazyPattern(r"j[ \n]?a[ \n]?v[ \n]?a[ \n]?s[ \n]?c[ \n]?r[ \n]?i[ \n]?p[ \n]?t[ \n]?:")
# IDNA's dots, and signs that look like one. A unit such as "N·m" has a shorter name before it.
_OTHER_DOT: Final = LazyPattern(
    r"(?<=[a-z0-9])。(?=[a-z0-9])|(?<=[^\W\d_])。(?=[a-z]{2,24}\b)|(?<=[a-z0-9]{3})[·•‧∙⋅۔](?=[a-z]{2})"
)
_SPELLED: Final = LazyPattern(r"(?<!\S)[a-z0-9](?: [a-z0-9:/-]){2,60}(?: \.(?: [a-z0-9:/-]){2,60}){1,4}(?!\S)")
# Tags and comments that stand in the text as words: whoever decodes it once more sees nothing of them.
_LITERAL_TAG: Final = LazyPattern(
    r"<[ \n]?/?[ \n]?(?:wbr|br|b|i|u|s|em|strong|span|font|a|small|big|sub|sup|mark|code|tt|p|div|x)(?:[ /][^<>]{0,200})?>"
    r"|<!--[^<>]{0,200}-->"
)
_RAISED_SIGNS: Final = ("<super", "<square")  # trade marks, ordinals, units; letters in a circle spell names
_LINE_END: Final = LazyPattern(r" ?\n ?")
_CAPITALIZED: Final = {"&tab;": "\t", "&newline;": "\n"}  # entities whose names were lower-cased with the text


def views(text: str) -> Iterator[View]:
    """Folded copies of `text` with the way back: as it stands, with disguises undone, and decoded step by step."""
    yield from _decoded_views(text, _decoded)
    apart = _raised_apart(text)
    if apart != text or _may_hold_escapes(text):
        yield from _decoded_views(apart, lambda match: _raised_apart(_decoded(match)))


def _raised_apart(text: str) -> str:
    """A blank for every raised sign: folded, "evil.com" with a raised 1 behind it is a name of no known zone."""
    return text if text.isascii() else "".join(" " if _is_raised(character) else character for character in text)


def _may_hold_escapes(text: str) -> bool:
    return any(sign in text for sign in "&%\\=％＆＼＝")


@cache
def _is_raised(character: str) -> bool:
    """A number or sign that stands for ASCII in another shape."""
    category = unicodedata.category(character)
    return category == "No" or (
        category in ("So", "Lo") and unicodedata.decomposition(character).startswith(_RAISED_SIGNS)
    )


def whole_escapes(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """`spans` of `text`, grown over every escape that they begin or end in."""
    if not _may_hold_escapes(text):
        yield from spans
        return
    view = match_view.fold(text)
    escapes = [Edit(*view.source(*match.span()), "") for match in _ESCAPES.finditer(view.text)]
    yield from ((edit.start, edit.end) for edit in widened([Edit(*span, "") for span in spans], escapes))


def _decoded_views(text: str, decode: Callable[[re.Match[str]], str]) -> Iterator[View]:
    view = match_view.fold(text)
    yield from _mended(view)
    for _ in range(MAX_DECODINGS):
        decoded = substitute(view, _ESCAPES, decode)
        if decoded.text == view.text:
            return
        view = _folded_again(decoded)
        yield from _mended(view)


def _decoded(match: re.Match[str]) -> str:
    escape = match[0]
    if escape[0] in "%=":
        return unquote(escape.replace("=", "%"))
    if escape[0] == "&":
        return _CAPITALIZED.get(escape) or html.unescape(escape)
    code = int(escape[1:], 8) if escape[1].isdigit() else int(escape[2:].strip("{}"), 16)
    return chr(code) if code < 0x11_0000 else escape


def _folded_again(view: View) -> View:
    """What an escape stood for is folded too."""
    if view.text.isascii():
        return view._replace(text=view.text.lower().replace("\t", " "))
    folded = match_view.fold(view.text)
    if folded.offsets is None:
        return view._replace(text=folded.text)
    assert view.offsets is not None  # something was decoded
    offsets = view.offsets
    return View(folded.text, type(offsets)("I", (offsets[at] for at in folded.offsets)), view.split)


def _mended(view: View) -> Iterator[View]:
    """The view itself, and with dots, schemes and line ends put where a reader would put them."""
    mended = view
    for pattern, replacement in _MENDS:
        mended = substitute(mended, pattern, _constant(replacement))
    mended = substitute(mended, _SPOKEN_MAIL, _written)
    mended = substitute(mended, _DEFANGED_SLASH, lambda match: match[1])
    mended = substitute(mended, _SPELLED, lambda match: match[0].replace(" ", ""))
    mended = substitute(mended, _LINE_END, _joined)
    yield mended
    if mended.text != view.text:
        yield view


def _constant(text: str) -> Callable[[re.Match[str]], str]:
    return lambda _: text


_MENDS: Final = (
    (_LITERAL_TAG, ""), (_DEFANGED, "."), (_DEFANGED_AT, "@"), (_SPOKEN_DOT, "."), (_OTHER_DOT, "."), (_SPACED_SCHEME, "http://"),
    (_SPLIT_SCRIPT, "javascript:"),
)  # fmt: skip


def _written(match: re.Match[str]) -> str:
    return _SPOKEN_MARK.compiled.sub(lambda mark: "." if mark[1] else "@", match[0])


def _joined(match: re.Match[str]) -> str:
    """A line end inside an address is nothing, elsewhere a blank."""
    before, after = (
        match.string[max(0, match.start() - 300) : match.start()],
        match.string[match.end() : match.end() + 1],
    )
    token = before[max(before.rfind(" "), before.rfind("\n")) + 1 :]
    inside = token and (
        after in tuple("./:@?#") or (token[-1] in "./:@-" and ("//" in token or "www." in token or "@" in token))
    )
    return "" if inside else "\n"
