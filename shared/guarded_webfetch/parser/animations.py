"""What an animation leaves behind: a page is read as it looks when the animations that end have ended."""

import re
from typing import Final

from guarded_webfetch.parser.computed import Style
from guarded_webfetch.parser.stylesheet import Declarations, declarations

Frames = dict[str, Declarations]  # name: the last frame

_KEYFRAMES: Final = re.compile(r"@(?:-webkit-)?keyframes\s+[\"']?([\w-]+)[\"']?\s*\{((?:[^{}]*\{[^{}]*\})*)", re.I)
_LAST: Final = re.compile(r"(?:^|[},\s])(?:to|100%)\s*(?:,[^{}]*)?\{([^{}]*)\}")
_WORDS: Final = re.compile(r"[\s,]+")
_NAMES: Final = ("animation", "animation-name", "animation-fill-mode")


def last_frames(sheet: str) -> Frames:
    """The last frame of each animation; empty for one that ends where the element's own style is."""
    frames: Frames = {}
    for name, body in _KEYFRAMES.findall(sheet) if "keyframes" in sheet else ():
        last = _LAST.search(body)
        frames[name.lower()] = declarations(last[1]) if last else {}
    return frames


def settle(found: Declarations, frames: Frames, custom: dict[str, str]) -> Declarations:
    """The declarations when the animation has ended. One that never ends, or that this page does not define, stays."""
    if "animation" not in found and "animation-name" not in found:
        return found
    style = Style(found, custom)
    words = _WORDS.split(" ".join(map(style.get, _NAMES)))
    name = next((word for word in words if word in frames), None)
    if name is None or "infinite" in words:
        return found
    own = {key: one for key, one in found.items() if key not in _NAMES}
    return {**own, **frames[name]} if {"forwards", "both"} & set(words) else own
