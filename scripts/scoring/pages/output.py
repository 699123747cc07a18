"""What a tool delivered for one page, as text with Markdown marks, and what can be found in it."""

import re
from collections import Counter
from functools import cached_property
from typing import Any, Final

from scoring.pages.tools import Result

_TARGET: Final = re.compile(r"(?<=\])(?:\[L\d+\]|\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\))|\[L\d+\]")
_FENCE: Final = re.compile(r"^[> \t]*(`{3,})[^`\n]*\n(.*?)\n?[> \t]*\1[ \t]*$", re.M | re.S)
_HEADING: Final = re.compile(r"^[> \t]*#{1,6} (.+)$", re.M)
_ROW: Final = re.compile(r"^[> \t]*\|(.+)\|[ \t]*$", re.M)
_LINK: Final = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_WORD: Final = re.compile(r"\w+")


class Output:
    """`text` with marks; `targets` the addresses of links; `flagged` when the tool itself says that the page is not all there."""

    def __init__(self, text: str, targets: set[str] | None = None, *, flagged: bool = False) -> None:
        self.text = text
        self.flagged = flagged
        self.targets = targets if targets is not None else set(_LINK.findall(text))

    @cached_property
    def words(self) -> Counter[str]:
        return words_of(_TARGET.sub("", self.text))

    @cached_property
    def code(self) -> list[list[str]]:
        """The lines of each fenced block, without indentation and blank ones."""
        return [_lines(found[2].split("\n")) for found in _FENCE.finditer(self.text)]

    @cached_property
    def headings(self) -> list[str]:
        return [_plain(found) for found in _HEADING.findall(self.text)]

    @cached_property
    def rows(self) -> list[str]:
        return [_squeezed(found) for found in _ROW.findall(self.text)]

    def has_code(self, lines: list[str]) -> bool:
        """Whether all lines stand in one fenced block, in order and with nothing between them.

        A fact of one line may be a block whose lines are elements, glued together: its characters count, not its line ends.
        """
        wanted = _lines(lines)
        if len(wanted) == 1:
            glued = _glued(wanted)
            return any(glued in _glued(block) for block in self.code)
        return any(block[at : at + len(wanted)] == wanted for block in self.code for at in range(len(block)))

    def has_row(self, cells: list[str]) -> bool:
        return any(all(_squeezed(cell) in row for cell in cells) for row in self.rows)

    def has_heading(self, text: str) -> bool:
        return any(_plain(text) in heading for heading in self.headings)


def words_of(text: str) -> Counter[str]:
    """The words WCXB compares: runs of letters, digits and underscores, lower case."""
    return Counter(_WORD.findall(text.lower()))


def output_of(result: Result, matcher: Any) -> Output:
    """What a caller of the tool reads. For the product that is what the sanitizer prints."""
    if "parsed" not in result:
        return Output(result.get("text", ""), flagged="reason" in result)
    from guarded_webfetch.sanitizer.sanitize import sanitize

    parsed = result["parsed"]
    said = sanitize(
        {
            "kind": "html",
            "verbatim": False,
            "title": parsed["title"],
            "blocks": parsed["blocks"],
            "links": parsed["links"],
            "hidden": [],
            "source": None,
            "summary": "none",
            "link_style": "placeholders",
            "urls": [],
        },
        matcher,
    )
    markup = parsed["markup"]
    flagged = markup["likely_spa"] or markup["depth_limited"] or markup["truncated"] or said["truncated"]
    return Output(said["raw_text"], {link["url"] for link in parsed["links"]}, flagged=flagged)


def _glued(lines: list[str]) -> str:
    """Without white space, and without the sign of a quotation, which may also stand at the end of a line."""
    return re.sub(r"[\s>]", "", "".join(lines))


def _lines(lines: list[str]) -> list[str]:
    """A no-break space in code is a space: nobody can paste the other one."""
    stripped = (line.replace("\xa0", " ").strip(" \t>") for line in lines)
    return [line for line in stripped if line]


def _plain(text: str) -> str:
    """Without the sign of a heading's link to itself, which stands in some facts."""
    return " ".join(re.sub(r"[`*\[\]\\¶§🔗\u200b\uf0c1]", "", _TARGET.sub("", text)).split())


def _squeezed(text: str) -> str:
    return re.sub(r"[\s`*\[\]\\|^_]", "", _TARGET.sub("", text))
