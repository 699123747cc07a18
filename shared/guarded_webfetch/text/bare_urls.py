"""URLs and domains with a path in prose: what a reader's client would turn into a live link or image."""

import encodings.idna  # loaded before the lock
import encodings.punycode
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.text.lazy_pattern import LazyPattern
from guarded_webfetch.text.percent import quote

_LABEL: Final = (
    r"[A-Za-z0-9\u00a1-\u2fff\u3040-\ud7ff\uf900-\ufaff_](?:[A-Za-z0-9\u00a1-\u2fff\u3040-\ud7ff\uf900-\ufaff_-]{0,61})"
)
_DOT: Final = "[.。．]"
_TAIL: Final = r"[^\s<>\"'`|{}\u3001-\u3003\u3008-\u3011\uff08\uff09\uff0c\u201c\u201d\[\]]"
_SCHEME: Final = LazyPattern(
    rf"(?:h\s?t\s?t\s?p\s?s?|ftp|wss?|tps?)\s?:\s?[/\\]{{1,3}}\[?{_TAIL}{{1,2048}}\]?{_TAIL}{{0,2048}}", re.IGNORECASE
)
_RELATIVE: Final = LazyPattern(rf"(?<![:/\\\w])(?://|\\\\)({_LABEL}(?:{_DOT}{_LABEL}){{1,8}})({_TAIL}{{0,2048}})")
_DOMAIN: Final = LazyPattern(
    rf"(?<![\w./\\-])((?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}})\.){{1,8}}(?:xn--[a-z0-9-]{{2,59}}|[A-Za-z]{{2,24}})(?::\d{{1,5}})?)"
    rf"(?=[/?\\])([/?\\]{_TAIL}{{1,2048}})"
)
_TRAILING: Final = ".,;:!?。、，！？…*_~"
_PATH_SAFE: Final = "!$%&'()*+,-./:;=?@_~#"


CODECS: Final = (encodings.idna, encodings.punycode)  # what str.encode("idna") would import later


class BareUrl(NamedTuple):
    """source[start:end] is (or would become) a link to `url`."""

    start: int
    end: int
    url: str


def bare_urls(text: str) -> Iterator[BareUrl]:
    """In order, without overlaps."""
    found = [*_absolute(text), *_relative(text), *_domains(text)] if "/" in text or "\\" in text or "?" in text else []
    place = 0
    for bare in sorted(found, key=lambda bare: (bare.start, -bare.end)):
        if bare.start >= place:
            place = bare.end
            yield bare


def _absolute(text: str) -> Iterator[BareUrl]:
    if not _opens_authority(text):
        return
    for match in _SCHEME.finditer(text):
        end = match.start() + len(_trimmed(match[0]))
        plain = re.sub(r"\s", "", text[match.start() : end])
        scheme, _, rest = plain.partition(":")
        rest = rest.lstrip("/\\")
        if rest:
            yield BareUrl(match.start(), end, _url("http" if scheme.lower() == "http" else "https", rest))


def _opens_authority(text: str) -> bool:
    """A colon and a slash or backslash, at most one blank between them."""
    at = text.find(":")
    while at >= 0:
        if text[at + 1 : at + 3].lstrip().startswith(("/", "\\")):
            return True
        at = text.find(":", at + 1)
    return False


def _relative(text: str) -> Iterator[BareUrl]:
    # Slashes that do not belong to a scheme: the pattern takes 10 ms to compile, and few pages need it.
    if text.count("//") == text.count("://") and "\\\\" not in text:
        return
    for match in _RELATIVE.finditer(text):
        end = match.start() + len(_trimmed(match[0]))
        yield BareUrl(match.start(), end, _url("https", text[match.start() + 2 : end]))


def _domains(text: str) -> Iterator[BareUrl]:
    if "." not in text:
        return
    for match in _DOMAIN.finditer(text):
        end = match.start() + len(_trimmed(match[0]))
        host = match[1].lower()
        if end - match.start() > len(host) + 1 or host.startswith("www.") or text[end - 1] == "/":
            yield BareUrl(match.start(), end, _url("https", text[match.start() : end]))


def _trimmed(url: str) -> str:
    """Without the punctuation of the sentence and a closing bracket that was not opened inside."""
    while url and (url[-1] in _TRAILING or (url[-1] in ")）" and url.count("(") < url.count(")"))):
        url = url[:-1]
    return url


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
