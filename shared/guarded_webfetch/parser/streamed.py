"""Parts of a page that arrive behind its end and are moved to their place by a script (React's streaming server rendering).

The server writes `<template id="B:1">` where a part belongs and, when the part is ready, `<div hidden id="S:1">` with it at the end of the
body and a call that swaps the two: `$RC("B:1","S:1")`; `$RS("S:2","P:2")` does the same inside a part. The calls are as good as
markup, so they are followed here. The names and what they do: react-dom, ReactDOMFizzInstructionSetShared.js. Whoever lets a
script run can show and hide what he likes: following these calls gives him nothing.
"""

import re
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.parser.tree import Element, elements_of, remove, tag_of

_CALL: Final = re.compile(r"\$R([CSX])\(\s*\"([BSP]:[0-9a-f]+)\"\s*,\s*\"([BSP]:[0-9a-f]+)\"")
_MAX_CALLS: Final = 2_000
_MAX_FALLBACK: Final = 500  # nodes of a stand-in; one that is longer stays


def put_in_place(root: Element) -> None:
    """Moves every streamed part to its place, as the page's own script would; what stood there for the time being goes."""
    calls = [call for script in root.iter("script") for call in _calls_in(script)][:_MAX_CALLS]
    if not calls:
        return
    places = {
        identifier: element for element in elements_of(root) if (identifier := element.get("id") or "")[1:2] == ":"
    }
    for place, part in calls:
        template, content = places.get(place), places.get(part)
        if template is not None and content is not None and _may_move(template, content):
            _move(template, content, boundary=place.startswith("B"))


def _calls_in(script: Element) -> Iterator[tuple[str, str]]:
    text = script.text or ""
    for kind, one, other in _CALL.findall(text) if "$R" in text else ():
        if kind in "CS":
            yield (one, other) if kind == "C" else (other, one)


def _may_move(template: Element, content: Element) -> bool:
    if tag_of(template) != "template" or template.getparent() is None or content.get("hidden") is None:
        return False
    return content not in template.iterancestors()


def _move(template: Element, content: Element, *, boundary: bool) -> None:
    if boundary:
        _drop_fallback(template)
    template.tag = content.tag
    template.attrib.clear()
    template.text, content.text = content.text, None
    for child in list(template):
        template.remove(child)
    template.extend(list(content))
    remove(content)


def _drop_fallback(template: Element) -> None:
    """What stands between the template and the comment `/$` that closes its boundary."""
    depth = 0
    following = template.getnext()
    leaving: list[Element] = []
    while following is not None and len(leaving) < _MAX_FALLBACK:
        mark = "" if tag_of(following) else (following.text or "").strip()
        if mark == "/$" and depth == 0:
            break
        depth += {"$": 1, "$?": 1, "$!": 1, "/$": -1}.get(mark, 0)
        leaving.append(following)
        following = following.getnext()
    if following is None or len(leaving) == _MAX_FALLBACK:
        return
    for element in leaving:
        remove(element)
