"""Stretches of a Markdown text that every client shows as code (CommonMark 0.31, 4.5 and 6.1); in doubt there are none.

What stands in code keeps its addresses, so an attacker would like us to see code where a client sees prose. Hence the pairing of
backticks is the one of CommonMark, and a text with anything that could shift it has no code at all.
"""

import re
from bisect import bisect_right
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

Stretch = tuple[int, int]

# Code in languages that render (and so may load things) is treated as prose.
RENDERED_LANGUAGES: Final = frozenset({
    "abc", "adoc", "asciidoc", "asciimath", "blockdiag", "bpmn", "chart", "d2", "ditaa", "dot", "echarts", "excalidraw",
    "flow", "flowchart", "geojson", "graphviz", "html", "htm", "katex", "latex", "markdown", "markmap", "math", "md", "mdx",
    "mediawiki", "mermaid", "nomnoml", "org", "pikchr", "plantuml", "puml", "rst", "sequence", "smiles", "stl", "svg",
    "svgbob", "tex", "textile", "tikz", "topojson", "uml", "vega", "vega-lite", "wavedrom", "wiki", "xhtml",
})  # fmt: skip
# Runs of backticks; an empty line and a fence end the paragraph they could pair in.
_TICKS: Final = LazyPattern(r"^[ ]{0,3}(?:`{3,}|~{3,})|\\?`+|\n[ \t]*\n", re.MULTILINE)
_TICK_IN_TAG: Final = LazyPattern(r"<[A-Za-z/!?][^<>`]{0,400}`[^<>]{0,400}>")
_FENCE: Final = LazyPattern(r"^(?P<indent>[ ]{0,3})(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)$", re.MULTILINE)
_HTML_BLOCK: Final = LazyPattern(r"^[ ]{0,3}<[A-Za-z/!?]", re.MULTILINE)
_LANGUAGE: Final = LazyPattern(r"[ \t]*\{?[.\s]*([\w+#-]*)")


def inline_code(text: str) -> list[Stretch]:
    """Code spans with their backticks: a run of backticks and the next run of the same length in the same paragraph."""
    if "`" not in text or _TICK_IN_TAG.search(text):
        return []
    found: list[Stretch] = []
    openings: list[re.Match[str]] = []
    for match in _TICKS.finditer(text):
        if "`" not in match[0] or match[0].lstrip(" ")[:3] == "```":
            found += _paired(openings)
            openings = []
        else:
            openings.append(match)
    return found + _paired(openings)


def _paired(runs: "list[re.Match[str]]") -> list[Stretch]:
    """The runs of one paragraph in pairs; a run after a backslash opens nothing (its first backtick is a character)."""
    places: dict[int, list[int]] = {}
    for number, run in enumerate(runs):
        places.setdefault(run[0].count("`"), []).append(number)
    found: list[Stretch] = []
    number = 0
    while number < len(runs):
        run = runs[number]
        length = run[0].count("`") - run[0].startswith("\\")
        same = places.get(length, [])
        at = bisect_right(same, number)
        if not length or at == len(same):
            number += 1
        else:
            found.append((run.end() - length, runs[same[at]].end()))
            number = same[at] + 1
    return found


def fenced_code(text: str) -> list[Stretch]:
    """Closed code blocks between fences, in languages that do not render; none at all where HTML could swallow a fence."""
    if ("```" not in text and "~~~" not in text) or _HTML_BLOCK.search(text):
        return []
    found: list[Stretch] = []
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening is None:
            opening = match
        elif match["fence"].startswith(opening["fence"]) and not match["info"].strip():
            language = _LANGUAGE.match(opening["info"])
            if language and language[1].lower() not in RENDERED_LANGUAGES:
                found.append((opening.start(), match.end()))
            opening = None
    return found
