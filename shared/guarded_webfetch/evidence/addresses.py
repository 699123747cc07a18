"""Finds every address in a text, in whatever form a person or a client would take it for one."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from guarded_webfetch.evidence import disguises
from guarded_webfetch.evidence.html_draft import ATTRIBUTE
from guarded_webfetch.text import match_view
from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.match_view import View

# Letters and digits of names; ideographs and kana apart, since running text joins them to a name without a blank.
_WIDE: Final = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_MARKS: Final = "".join(c for c in map(chr, range(0x300, 0x1A00)) if unicodedata.category(c) in ("Mn", "Mc"))
_LABEL: Final = rf"(?:(?!_)[^\W{_WIDE}](?:(?:[^\W{_WIDE}]|[{_MARKS}-]){{0,62}}))"
_WIDE_LABEL: Final = rf"[{_WIDE}]{{1,30}}"
_HOST: Final = rf"{_LABEL}(?:\.{_LABEL}){{1,40}}"
_REST: Final = r"[^\s<>\"'`\u3001\u3002\uff3b\uff3d\u300c-\u300f\ufffc]"
_TAIL: Final = rf"(?::\d{{1,5}})?(?:[/?#\\]{_REST}{{0,2048}})?"

_URL: Final = LazyPattern(
    rf"[a-z][a-z0-9+.-]{{1,31}}(?:\[:\]|:)[/\\]{{2,}}{_REST}{{0,2048}}"
    rf"|(?:h[tx]{{2}}ps?|ftps?|sftp|wss?|file) ?: ?[/\\]{_REST}{{0,2048}}"
    rf"|(?:h[tx]{{2}}ps?|ftp|wss?):{_HOST}{_TAIL}|(?<!\w)[a-z]{{2,6}}//{_HOST}{_TAIL}"
)
_OPAQUE: Final = LazyPattern(
    rf"(?:javascript|vbscript|mailto) ?:(?! (?!\S*[@(])) ?{_REST}{{1,2048}}"
    r"|(?<![\w-])(?:"
    rf"(?:livescript|mocha|view-source|ms-[a-z-]{{2,30}}|intent|magnet|urn|jar|cid|mid|skype|whatsapp|tg|bitcoin"
    rf"|sms|smsto|facetime|geo|market|itms[a-z-]{{0,20}}|chrome|blob|filesystem) ?:(?! ){_REST}{{1,2048}}|about:(?:blank|srcdoc|config)"
    rf"|(?:xmpp|sips?|callto) ?: ?{_REST}{{1,2048}}"
    r"|tel:\+?[\d(][\d().-]{2,30}|file:[/\\a-z]\S{0,2048})"
)
_DATA: Final = LazyPattern(r"\bdata:(?:[a-z]{2,20}/|[;,])[^\n\ufffc]{0,2048}")
_RELATIVE: Final = LazyPattern(rf"(?<![:/\\\w])(?://|\\\\)[^\s/\\]{_REST}{{1,2048}}")
_MAIL: Final = LazyPattern(
    rf"[^\s@<>()\"',;:\u3000-\u9fff\ufffc]{{1,64}}@(?:{_HOST}|{_WIDE_LABEL}\.{_LABEL}|\[{_REST}{{2,60}}\]){_TAIL}"
    rf"|[a-z0-9._-]{{1,64}}@[a-z0-9-]{{1,63}}:(?=[^\s/]{{0,100}}/)[a-z0-9~/.]{_REST}{{0,500}}"
)
_NAME: Final = LazyPattern(
    rf"(?<![^\W_{_WIDE}])(?:{_HOST}|{_WIDE_LABEL}(?:\.{_WIDE_LABEL}){{0,4}}\.{_LABEL})(?![^\W{_WIDE}]){_TAIL}"
)
_EMOJI: Final = "\u2600-\u27bf\U0001f000-\U0001faff"
_EMOJI_NAME: Final = LazyPattern(rf"(?:[a-z0-9-]{{1,30}})?[{_EMOJI}]{{1,20}}\.({_LABEL})(?![^\W{_WIDE}]){_TAIL}")
_WIDE_TLD: Final = LazyPattern(rf"(?:{_LABEL}|{_WIDE_LABEL})\.({_WIDE_LABEL}){_TAIL}")
_OCTET: Final = r"(?:\d{1,4}|0x[0-9a-f]{1,4})"
_IPV4: Final = LazyPattern(rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?![\w.]*\w){_TAIL}")
_IPV6: Final = LazyPattern(
    rf"\[[0-9a-f:.]{{2,45}}(?:%[\w.-]{{1,16}})?\]{_TAIL}|(?<![\w:])(?:[0-9a-f]{{0,4}}:){{2,7}}[0-9a-f]{{0,4}}(?![\w:])"
)
_LOCAL: Final = LazyPattern(
    r"(?<![\w.-])(?:localhost|[a-z][a-z0-9-]{1,62}(?=:\d{2,5}/[a-z]))(?::\d{2,5}(?:/\S{0,2048})?|/\S{0,2048})"
)
# Markup that would come alive if one more stage decoded the text; "<br>" or "x < y" would not.
_MARKUP: Final = LazyPattern(
    r"<[/!?]?(?:script|img|image|iframe|frame|svg|math|object|embed|link|meta|base|form|button|input|video|audio|source|style|area|map|"
    r"template|noscript|portal|applet|a(?=[\s/>]))(?![\w-])[^<>]{0,2048}>?"
    rf"|<[/!?]?[a-z][a-z0-9-]{{0,30}}[\s/][^<>]{{0,500}}?{ATTRIBUTE}[^<>]{{0,2048}}>?"
)
_CSS: Final = LazyPattern(r"\burl\( ?[^)\n]{1,2048}\)?|@import ?(?:url\b|[\"'])[^;\n]{0,2048};?")

# File names far more often than hosts, when nothing but one label stands before them.
_FILE_ENDINGS: Final = frozenset(("md", "py", "sh", "zip", "mov", "rs"))
# In code these follow a dot as members of an object far more often than they end a host name.
_MEMBER_NAMES: Final = (
    "name id info is in at map fit run open call to as data date link style cat tab box sc events search select now new one page parts"
    " place plus pro read report show site sort space store stream support tools top total video view watch work zone int io me my by"
    " no be or and if es it so do app pub bin st"
)
_MEMBERS: Final = _FILE_ENDINGS | frozenset(_MEMBER_NAMES.split())
_PRODUCTS: Final = frozenset(
    ("asp.net", "ado.net", "vb.net", "ml.net", "socket.io", "b.sc", "m.sc")
)  # names of things and degrees that are hosts too
_VERSION: Final = LazyPattern(r"(?:\bv|\bver\.?|\bversion|\brelease|\brev\.?|バージョン|版|build) ?$")


class _Form(NamedTuple):
    """A kind of address: what must stand in a folded text for it, its pattern, and what excuses a match."""

    needs: tuple[str, ...]
    pattern: LazyPattern


_FORMS: Final = (
    _Form((":", "//"), _URL),
    _Form(("data:",), _DATA),
    _Form((":",), _OPAQUE),
    _Form(("//", "\\\\"), _RELATIVE),
    _Form(("@",), _MAIL),
    _Form((":", "["), _IPV6),
    _Form((":", "/"), _LOCAL),
    _Form(("<",), _MARKUP),
    _Form(("url(", "url (", "@import"), _CSS),
)


@cache
def top_level_domains() -> frozenset[str]:
    """Names that end a host name, folded; internationalized ones as Unicode."""
    text = files(__package__).joinpath("top_level_domains.txt").read_text("utf-8")
    return frozenset(name.casefold() for line in text.splitlines()[1:] for name in line.split())


def addresses(text: str, *, code: bool = False) -> list[tuple[int, int]]:
    """Stretches of `text` that are addresses, sorted, not overlapping. `code`: members of objects are no host names there."""
    found = joined(span for view in disguises.views(text) for span in _spans(view, code))
    return joined(disguises.whole_escapes(text, found)) if found else []


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches, sorted, those that overlap made one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _spans(view: View, code: bool) -> Iterator[tuple[int, int]]:
    text = view.text
    for form in _FORMS:
        if any(need in text for need in form.needs):
            for match in form.pattern.finditer(text):
                if _means(form, match):
                    yield view.source(match.start(), match.start() + len(_trimmed(match[0])))
    if "." in text:
        for match in _IPV4.finditer(text):
            if _is_ipv4(match):
                yield view.source(*match.span())
        for match in (*_NAME.finditer(text), *_WIDE_TLD.finditer(text), *_EMOJI_NAME.finditer(text)):
            if _is_name(match[0], code):
                yield view.source(match.start(), match.start() + len(_trimmed(match[0])))


def _means(form: _Form, match: re.Match[str]) -> bool:
    if form.pattern is _IPV6:
        digits = any(character in "0123456789" for character in match[0])  # "a::b" is a name in programs
        return digits and ("::" in match[0] or match[0].count(":") == 7)
    return True


def _is_ipv4(match: re.Match[str]) -> bool:
    """Four octets, unless a word before them says that it is a version."""
    octets = re.match(r"[\w.]+", match[0])
    assert octets is not None
    fits = all(_octet(part) < 256 for part in octets[0].split("."))
    bare = match.end() == match.start() + octets.end()
    return fits and not (bare and _VERSION.search(match.string[max(0, match.start() - 12) : match.start()]))


def _octet(text: str) -> int:
    """The number of one part as inet_aton(3) reads it: hexadecimal after 0x, octal after 0."""
    if text.startswith("0x"):
        return int(text, 16)
    return int(text, 8) if text.startswith("0") and len(text) == 4 and not set(text) & {"8", "9"} else int(text)


def _is_name(found: str, code: bool) -> bool:
    host = re.split(r"[/?#\\:]", found, maxsplit=1)[0].rstrip(".-_")
    labels = host.split(".")
    zone = labels[-1]
    if not {zone, zone.translate(match_view.LOOKALIKE)} & top_level_domains() and not zone.startswith("xn--"):
        return labels[0] == "www" or (len(host) < len(found.rstrip(".-_")) and _looks_like_host(labels, found))
    if len(host) < len(found.rstrip(".-_")):
        return True
    if all(len(label) == 1 for label in labels):  # e.g., U.S., a.m.
        return False
    if host in _PRODUCTS or (len(labels) == 2 and labels[-1] in _FILE_ENDINGS):
        return False
    return not (code and labels[-1] in _MEMBERS)


def _looks_like_host(labels: list[str], found: str) -> bool:
    """A name of no known zone counts with a port, or with a path behind letters: "3.5/10" and "section 1.2/b" are none."""
    return re.search(r":\d{1,5}(?:/|$)", found) is not None and not labels[-1].isdigit()


def _trimmed(found: str) -> str:
    """Without the punctuation of the sentence around it."""
    while found and (
        found[-1] in ".,;:!?…*_~" or (found[-1] in ")]}" and _opens(found[-1], found) < found.count(found[-1]))
    ):
        found = found[:-1]
    return found


def _opens(closing: str, text: str) -> int:
    return text.count({")": "(", "]": "[", "}": "{"}[closing])
