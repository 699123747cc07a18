"""An extractive summary: the first sentences of the first paragraph that says something, in the page's own words."""

from collections.abc import Iterable, Iterator
from typing import Final

from guarded_webfetch.core.limits import MAX_SUMMARY_CHARS
from guarded_webfetch.text.lazy_pattern import LazyPattern

MIN_WEIGHT: Final = 60  # of a paragraph: shorter ones are captions, dates, bylines
_END: Final = LazyPattern(r"[.!?…]+[\"'”’)\]]*(?=\s+[^\sa-z])|[。！？｡]+[」』）”]*|\n")
_ABBREVIATED: Final = LazyPattern(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|cf|vs|No|Nr|St|Dr|Mr|Mrs|Ms|Prof|Inc|Ltd|Co|Fig|al|approx|bzw|z\.B|p\.ex))\.$"
)


def summarize(paragraphs: Iterable[str]) -> str | None:
    """At most MAX_SUMMARY_CHARS characters of whole sentences, cut at a word only when the first one is longer; or None."""
    for paragraph in paragraphs:
        if _weight(paragraph) >= MIN_WEIGHT:
            return _lead(paragraph)
    return None


def _weight(text: str) -> int:
    """Letters, an ideograph or kana counting as three."""
    return sum(map(str.isalpha, text)) + 2 * sum(map(_is_wide, text))


def _is_wide(character: str) -> bool:
    """An ideograph, kana or Hangul. As a character class of `re` these ranges take 3 ms to compile."""
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"


def sentences(text: str) -> Iterator[str]:
    """`text` in sentences, blanks trimmed; a full stop after an abbreviation or an initial ends none."""
    start = 0
    for match in _END.finditer(text):
        if not _ABBREVIATED.search(text, max(0, match.end() - 8), match.end()):
            if text[start : match.end()].strip():
                yield text[start : match.end()].strip()
            start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def _lead(paragraph: str) -> str:
    glue = "" if any(map(_is_wide, paragraph)) else " "
    lead = ""
    for sentence in sentences(paragraph):
        longer = lead + glue + sentence if lead else sentence
        if len(longer) > MAX_SUMMARY_CHARS:
            break
        lead = longer
    return lead or _cut(paragraph)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    head = text[: MAX_SUMMARY_CHARS - 1]
    at = head.rfind(" ", MAX_SUMMARY_CHARS // 2)
    return (head[:at] if at > 0 else head).rstrip() + "…"
