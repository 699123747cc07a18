"""URLs and domains with a path in prose: what a reader's client would turn into a live link or image."""

import encodings.idna  # loaded before the lock
import encodings.punycode
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.percent import quote
from guarded_webfetch.text.reading import resolved

_LETTER: Final = r"A-Za-z0-9\u00a1-\u2fff\u3040-\ud7ff\uf900-\ufaff_"
_LABEL: Final = rf"[{_LETTER}](?:[{_LETTER}-]{{0,61}})"
_DOT: Final = "[.。．｡]"
_NO_TAIL: Final = r"\s<>\"'`|{}\u3001-\u3003\u3008-\u3011\uff08\uff09\uff0c\u201c\u201d\[\]"
_TAIL: Final = rf"[^{_NO_TAIL}]"
_HOST: Final = rf"(?:[^{_NO_TAIL}/\\?#]|[。．｡](?=\w))"  # browsers read the ideographic full stops as dots (UTS #46)
# A scheme with its slashes, also with blanks inside, defanged (hxxp), or as browsers repair it: one slash or none.
_SCHEME: Final = LazyPattern(
    rf"(?:h\s?[tx*]\s?[tx*]\s?p\s?s?|ftps?|wss?|tps?)\s?:(?:\s?[/\\]{{1,4}}|(?=[\w-]{{1,63}}\.[\w.-]{{0,200}}[a-z]))"
    rf"\[?{_HOST}{{0,300}}{_TAIL}{{0,2048}}\]?{_TAIL}{{0,2048}}",
    re.IGNORECASE,
)
_OPENS_AUTHORITY: Final = LazyPattern(r":\s?[/\\]|p\s?s?:(?=[\w-]{1,63}\.)", re.IGNORECASE)
# Every other scheme that names a host: no client should open it, and none of them can be numbered.
_FOREIGN: Final = LazyPattern(
    rf"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z\u0370-\u04ff][A-Za-z0-9\u0370-\u04ff+.-]{{1,20}})\s?:\s?[/\\]{{2,4}}(?:[^\s/@\[\]]{{1,80}}@)?{_LABEL}(?:{_DOT}{_LABEL}){{1,8}}{_TAIL}{{0,2048}}"
)
_DATA_LINK: Final = LazyPattern(
    rf"(?<![\w-])(?:mailto|smsto|sms|xmpp|tel|facetime|skype|whatsapp)\s?:{_TAIL}{{1,200}}?\?{_TAIL}{{1,2048}}",
    re.IGNORECASE,
)
_RELATIVE: Final = LazyPattern(rf"(?<![:/\\\w])[/\\]{{2,4}}({_LABEL}(?:{_DOT}{_LABEL}){{1,8}})({_TAIL}{{0,2048}})")
_DOMAIN: Final = LazyPattern(
    rf"(?<![A-Za-z0-9_./\\-])((?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}})\.){{1,8}}(?:xn--[a-z0-9-]{{2,59}}|[A-Za-z]{{2,24}})\.?(?::\d{{1,5}})?)"
    rf"(?=[/?\\])([/?\\]{_TAIL}{{1,2048}})"
    rf"|(?<![\w./\\-])(\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{1,5}})?)(?=[/?][A-Za-z])([/?]{_TAIL}{{1,2048}})"
)
# GFM makes a link of www. without a scheme and without a path.
_WWW: Final = LazyPattern(
    rf"(?<![A-Za-z0-9_./\\@-])www\d?\.{_LABEL}(?:\.{_LABEL}){{1,8}}(?::\d{{1,5}})?{_TAIL}{{0,2048}}", re.IGNORECASE
)
# Endings of file names that are no top-level domain: "Node.js/Express", "index.php?id".
_FILES: Final = frozenset({
    "js", "ts", "tsx", "jsx", "mjs", "html", "htm", "xhtml", "php", "css", "scss", "json", "txt", "xml", "yml", "yaml", "jpg",
    "jpeg", "png", "gif", "svg", "pdf", "cfg", "ini", "toml", "exe", "dll", "jsp", "aspx", "asp", "cgi", "cpp", "hpp", "csv",
    "log", "lock", "conf", "sql", "tex", "bib", "doc", "docx", "xls", "xlsx", "ppt", "pptx",
})  # fmt: skip
_TRAILING: Final = ".,;:!?。、，！？…*_~"
# Kana right after an ASCII letter: the sentence goes on after the address.
_SENTENCE: Final = LazyPattern(r"(?<=[A-Za-z0-9/])[\u3041-\u309f]")
_PATH_SAFE: Final = "!$%&'()*+,-./:;=?@_~#"


CODECS: Final = (encodings.idna, encodings.punycode)  # what str.encode("idna") would import later


class BareUrl(NamedTuple):
    """source[start:end] is (or would become) a link to `url`; "" where that is no web address."""

    start: int
    end: int
    url: str


def bare_urls(text: str) -> Iterator[BareUrl]:
    """In order, without overlaps; also those that only appear once references and escapes are resolved."""
    found = _found(text)
    view = resolved(text)
    if view.offsets is not None:
        found += [BareUrl(*view.source(bare.start, bare.end), bare.url) for bare in _found(view.text)]
    place = 0
    for bare in sorted(found, key=lambda bare: (bare.start, -bare.end)):
        if bare.start >= place:
            place = bare.end
            yield bare


def _found(text: str) -> list[BareUrl]:
    if "/" not in text and "\\" not in text and "?" not in text and "." not in text:
        return []
    return [*_absolute(text), *_relative(text), *_domains(text), *_data_links(text)]


def _matches(pattern: LazyPattern, text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Each match and the end of the address in it; what follows that end is searched again."""
    place = 0
    while match := pattern.search(text, place):
        end = match.start() + len(_trimmed(match[0]))
        yield match, end
        place = max(end, match.start() + 1)


def _absolute(text: str) -> Iterator[BareUrl]:
    if ":" not in text or not _OPENS_AUTHORITY.search(text):
        return
    for match, end in _matches(_SCHEME, text):
        plain = re.sub(r"\s", "", text[match.start() : end])
        scheme, _, rest = plain.partition(":")
        rest = rest.lstrip("/\\")
        if rest:
            yield BareUrl(match.start(), end, _url("https" if scheme.lower().endswith("s") else "http", rest))
    for match, end in _matches(_FOREIGN, text):
        yield BareUrl(match.start(), end, "")


def _data_links(text: str) -> Iterator[BareUrl]:
    if ":" in text and "?" in text:
        for match, end in _matches(_DATA_LINK, text):
            yield BareUrl(match.start(), end, "")


def _relative(text: str) -> Iterator[BareUrl]:
    # Slashes that do not belong to a scheme: the pattern takes 10 ms to compile, and few pages need it.
    if text.count("//") == text.count("://") and not any(pair in text for pair in ("\\\\", "\\/", "/\\")):
        return
    for match, end in _matches(_RELATIVE, text):
        yield BareUrl(match.start(), end, _url("https", text[match.start() : end].lstrip("/\\")))


def _domains(text: str) -> Iterator[BareUrl]:
    if "." not in text:
        return
    for match, end in _matches(_DOMAIN, text) if "/" in text or "?" in text or "\\" in text else ():
        host = (match[1] or match[3]).lower()
        if host.rpartition(".")[2] in _FILES:
            continue
        if end - match.start() > len(host) + 1 or text[end - 1] == "/":
            yield BareUrl(match.start(), end, _url("https", text[match.start() : end]))
    for match, end in _matches(_WWW, text) if "ww" in text.lower() else ():
        yield BareUrl(match.start(), end, _url("https", text[match.start() : end]))


def _trimmed(url: str) -> str:
    """Without what belongs to the sentence: its further words, its punctuation, a closing bracket not opened inside."""
    if not url.isascii():
        sentence = _SENTENCE.search(url)
        url = url[: sentence.start()] if sentence else url
    opened, closed = url.count("("), url.count(")")
    end = len(url)
    while end and (url[end - 1] in _TRAILING or (url[end - 1] in ")）" and opened < closed)):
        closed -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def _url(scheme: str, rest: str) -> str:
    """An absolute ASCII URL: the host as A-labels where that is possible, everything else percent-encoded."""
    rest = rest.replace("\\", "/")
    host, separator, tail = rest.partition("/")
    if not separator:
        host, separator, tail = rest.partition("?")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            host = quote(host)
    return f"{scheme}://{quote(host + separator + tail, safe=_PATH_SAFE + '[]')}"
