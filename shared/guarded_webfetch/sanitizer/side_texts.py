"""Texts beside the body: title, link texts, URLs, hidden texts, decoded payloads, the page's source."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_HIDDEN_CHARS, MAX_RAW_HTML_CHARS, MAX_TITLE_CHARS
from guarded_webfetch.core.messages import Decoded, Hidden, Link
from guarded_webfetch.sanitizer.findings import HIT, Findings, Fragment, Match
from guarded_webfetch.sanitizer.placeholders import Placeholders
from guarded_webfetch.sanitizer.tally import Tally
from guarded_webfetch.text import unicode
from guarded_webfetch.text.edits import Edit, Note, Passage, apply, merge
from guarded_webfetch.text.graphemes import boundary
from guarded_webfetch.text.marks import forged
from guarded_webfetch.text.percent import unquote

MAX_LINK_TEXT_CHARS: Final = 500
MAX_LINK_TEXTS_SCANNED: Final = (
    100_000  # characters of all link texts together; each also stands in the body or nowhere
)
_URL_BLANKS: Final = str.maketrans("-._/+?&=#:", " " * 10)


class Place(NamedTuple):
    """How places are named in the report: a field and the number of its first text."""

    name: str
    first: int = 0


def clean_title(title: str | None, findings: Findings, tally: Tally, placeholders: Placeholders) -> str | None:
    """One line of at most MAX_TITLE_CHARS; a title with a strong match is replaced as a whole."""
    if title is None:
        return None
    cleaned = tally.clean(Passage(title))
    text = " ".join(cleaned.text.split())
    for match in findings.scan([Fragment(text, splits=[note.offset for note in cleaned.notes])]):
        findings.report(match.judged, f"title:{match.start}")
        if match.judged.strong:
            return match.edit().text
    marks = tally.marks(text)
    edits = merge(placeholders.edits(Passage(text), code=False), marks)
    tally.count(edits)
    text = apply(Passage(text), edits).text
    return text[: boundary(text, MAX_TITLE_CHARS)] or None


def clean_link_texts(links: Sequence[Link], findings: Findings, tally: Tally) -> list[str]:
    """One text for each link, in order."""
    texts = [" ".join(tally.clean(Passage(link["text"][: 2 * MAX_LINK_TEXT_CHARS])).text.split()) for link in links]
    texts = [text[: boundary(text, MAX_LINK_TEXT_CHARS)] for text in texts]
    left = MAX_LINK_TEXTS_SCANNED
    for number, text in enumerate(texts):
        left -= len(text)
        if left < 0:
            texts[number] = ""
    return _filtered(texts, findings, tally, Place("link", 1))


def clean_hidden(hidden: Sequence[Hidden], findings: Findings, tally: Tally) -> list[Hidden]:
    """The set-aside texts; in them even a weak match is strong."""
    texts: list[str] = []
    left = MAX_HIDDEN_CHARS
    for entry in hidden:
        text = tally.clean(Passage(entry["text"][:left])).text
        left -= len(text)
        texts.append(text)
    texts = _filtered(texts, findings, tally, Place("hidden"), hidden=True)
    return [
        {"technique": entry["technique"], "text": text}
        for entry, text in zip(hidden, texts, strict=True)
        if text.strip()
    ]


def clean_payloads(payloads: Sequence[Decoded], findings: Findings, tally: Tally) -> list[Decoded]:
    """Decoded payloads, cleaned and matched like hidden text."""
    cleaned = [unicode.clean(Passage(payload["text"])).passage.text for payload in payloads]
    texts = _filtered(cleaned, findings, tally, Place("decoded"), hidden=True)
    return [{"encoding": payload["encoding"], "text": text} for payload, text in zip(payloads, texts, strict=True)]


def match_urls(urls: Sequence[str], findings: Findings) -> list[bool]:
    """For each URL the server chose, whether its words match a rule; separators count as blanks."""
    texts = [unquote(url).translate(_URL_BLANKS) for url in urls]
    matched = [False] * len(urls)
    for match in findings.scan([Fragment(text) for text in texts], borders=False):
        findings.report(match.judged, f"url:{match.fragment}")
        matched[match.fragment] = True
    return matched


def _filtered(
    texts: Sequence[str], findings: Findings, tally: Tally, place: Place, *, hidden: bool = False
) -> list[str]:
    """`texts` with strong matches replaced and forged marks neutralised."""
    edits: dict[int, list[Edit]] = {}
    for match in findings.scan([Fragment(text) for text in texts], hidden=hidden, borders=False):
        findings.report(match.judged, f"{place.name}:{match.fragment + place.first}")
        if match.judged.strong:
            edits.setdefault(match.fragment, []).append(match.edit())
    results: list[str] = []
    for number, text in enumerate(texts):
        merged = merge(edits.get(number, ()), tally.marks(text))
        tally.count(merged)
        results.append(apply(Passage(text), merged).text)
    return results


def clean_source(source: str | None, findings: Findings) -> tuple[str | None, bool, list[Note]]:
    """raw_html: the source without invisible characters, strong matches and forged marks replaced; whether it was cut.

    A rule is reported from here only when no other text had it; what the source's own comments and attributes hold is
    hidden text and was matched as such.
    """
    if source is None:
        return None, False, []
    text = unicode.clean(Passage(source[:MAX_RAW_HTML_CHARS])).passage.text
    matches = findings.scan([Fragment(text)], disguises=False)
    places = [Note(match.start, f"{HIT}{number}", 0) for number, match in enumerate(matches)]
    edited = apply(Passage(text, (), places), merge(_strong(matches), forged(text, code=True)))
    for note in edited.notes:
        if note.what.startswith(HIT) and not findings.known(matches[int(note.what.removeprefix(HIT))].judged):
            findings.report(matches[int(note.what.removeprefix(HIT))].judged, f"source:{note.offset}")
    cut = len(source) > MAX_RAW_HTML_CHARS or len(edited.text) > MAX_RAW_HTML_CHARS
    return edited.text[: boundary(edited.text, MAX_RAW_HTML_CHARS)], cut, list(edited.notes)


def _strong(matches: Sequence[Match]) -> list[Edit]:
    return [match.edit() for match in matches if match.judged.strong]
