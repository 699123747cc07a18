"""Where a text may be cut: never inside what a reader sees as one character (UAX #29)."""

from typing import Final

import regex

_LONGEST: Final = 64  # characters of a cluster looked at; cleaning caps marks well below


def boundary(text: str, limit: int) -> int:
    """The last grapheme boundary at or before `limit` (or the length of a shorter text)."""
    if limit >= len(text):
        return len(text)
    start = max(0, limit - _LONGEST)
    for match in regex.finditer(r"\X", text, pos=start, endpos=min(len(text), limit + _LONGEST)):
        if match.end() > limit:
            return match.start() if match.start() > start or start == 0 else limit
        if match.end() == limit:
            break
    return limit
