"""Bare URLs of prose as numbered placeholders, numbered on from the links of the page; other live targets disarmed."""

from collections.abc import Sequence
from typing import Final

from guarded_webfetch.core.limits import MAX_LINKS, MAX_URL_CHARS
from guarded_webfetch.core.messages import Link
from guarded_webfetch.text.active import kind_of, live_targets
from guarded_webfetch.text.bare_urls import bare_urls
from guarded_webfetch.text.code_stretches import fenced_code, inline_code
from guarded_webfetch.text.edits import Edit, Passage, inside

UNNUMBERED: Final = "[link]"  # beyond MAX_LINKS, longer than any URL that could be fetched, or no web address


class Placeholders:
    """Gives each different URL of the page's prose one number.

    `markdown`: the page is one text, so that a fence in it is a fence; in pages of several blocks a stray one could turn the next
    inside out. `keep`: the addresses stay as they are (--links inline), only other targets are disarmed.
    """

    def __init__(self, links: Sequence[Link], *, markdown: bool = False, keep: bool = False) -> None:
        self._given: Final = len(links)
        self._markdown: Final = markdown
        self._keep: Final = keep
        self._numbers: dict[str, int] = {}
        self.found: list[Link] = []

    def edits(self, passage: Passage, *, code: bool = True) -> list[Edit]:
        """`[L7]` for every bare URL of a prose passage outside code, a backslash into other live targets.

        `code`: backticks mean code; in a title, which is one line made of several, they do not.
        """
        text = passage.text
        if not any(sign in text for sign in "/?\\<:&.") or len(text) < 4:
            return []
        kept = self._code(passage) if code else []
        targets = [edit for edit in live_targets(text) if not inside(kept, edit.start, edit.end)]
        return [*targets, *([] if self._keep else self._addresses(passage, kept))]

    def _addresses(self, passage: Passage, kept: Sequence[tuple[int, int]]) -> list[Edit]:
        text = passage.text
        links = {(start, end): number for kind, start, end, number in passage.spans if kind == "link"}
        edits: list[Edit] = []
        for start, end, url in bare_urls(text):
            if inside(kept, start, end):
                continue
            number = links.get((start, end))
            placeholder = f"[L{number}]" if number else self._placeholder(url, text[start:end])
            edits.append(Edit(start, end, placeholder, "" if number else kind_of(text, start, end)))
        return edits

    def _code(self, passage: Passage) -> list[tuple[int, int]]:
        """The stretches that are code to every client, sorted."""
        text = passage.text
        spans = [(start, end) for kind, start, end, _ in passage.spans if kind == "code"]
        if spans and "`" in text:  # its own backticks would pair with those the printer writes
            return []
        fences = fenced_code(text) if self._markdown else []
        return sorted([*spans, *fences, *inline_code(text)])

    def _placeholder(self, url: str, text: str) -> str:
        if not url:
            return UNNUMBERED
        number = self._numbers.get(url)
        if number is None:
            number = self._given + len(self.found) + 1
            if number > MAX_LINKS or len(url) > MAX_URL_CHARS:
                return UNNUMBERED
            self._numbers[url] = number
            self.found.append({"url": url, "text": text})
        return f"[L{number}]"
