"""Bare URLs of prose as numbered placeholders, numbered on from the links of the page."""

import re
from collections.abc import Sequence
from typing import Final

from guarded_webfetch.core.limits import MAX_LINKS, MAX_URL_CHARS
from guarded_webfetch.core.messages import Link
from guarded_webfetch.text.bare_urls import bare_urls
from guarded_webfetch.text.edits import Edit, Passage, inside
from guarded_webfetch.text.lazy_pattern import LazyPattern

UNNUMBERED: Final = "[link]"  # beyond MAX_LINKS, or longer than any URL that could be fetched
_INLINE_CODE: Final = LazyPattern(r"(?<!`)(`{1,3})(?!`)[^`\n]+(?<!`)\1(?!`)")
# A Markdown link or image whose target is another scheme: nothing to number, but nothing to leave alive either.
_OTHER_TARGET: Final = LazyPattern(
    r"\]\(?=?(?=\(\s{0,4}<?(?:javascript|vbscript|data|file|mailto|sms|tel)\s{0,2}:)", re.IGNORECASE
)


class Placeholders:
    """Gives each different URL of the page's prose one number."""

    def __init__(self, links: Sequence[Link]) -> None:
        self._given: Final = len(links)
        self._numbers: dict[str, int] = {}
        self.found: list[Link] = []

    def edits(self, passage: Passage) -> list[Edit]:
        """`[L7]` for every bare URL of a prose passage outside inline code."""
        text = passage.text
        if "/" not in text and "?" not in text and "\\" not in text and "](" not in text:
            return []
        kept = [match.span() for match in _INLINE_CODE.finditer(text)] if "`" in text else []
        kept += [(start, end) for kind, start, end, _ in passage.spans if kind == "code"]
        kept.sort()
        links = {(start, end): number for kind, start, end, number in passage.spans if kind == "link"}
        targets = _OTHER_TARGET.finditer(text) if "](" in text or "]=(" in text else ()
        edits = [Edit(match.end(), match.end(), "\\") for match in targets]
        for start, end, url in bare_urls(text):
            if not inside(kept, start, end):
                number = links.get((start, end))
                edits.append(Edit(start, end, f"[L{number}]" if number else self._placeholder(url, text[start:end])))
        return edits

    def _placeholder(self, url: str, text: str) -> str:
        number = self._numbers.get(url)
        if number is None:
            number = self._given + len(self.found) + 1
            if number > MAX_LINKS or len(url) > MAX_URL_CHARS:
                return UNNUMBERED
            self._numbers[url] = number
            self.found.append({"url": url, "text": text})
        return f"[L{number}]"
