"""Lines that open a turn of a conversation."""

import re
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

_ALWAYS: Final = frozenset({"human", "assistant", "アシスタント"})
HINTS: Final = (
    "Human",
    "HUMAN",
    "Assistant",
    "ASSISTANT",
    "System",
    "SYSTEM",
    "Developer",
    "DEVELOPER",
    "アシスタント",
    "システム",
)
_ROLES: Final = "Human|HUMAN|Assistant|ASSISTANT|System|SYSTEM|User|USER|AI|Developer|DEVELOPER|Tool|TOOL|アシスタント|システム|ユーザー"
_TURN: Final = LazyPattern(
    rf"^(?P<place>[ \t]{{0,4}}(?:[>*_-][ ]?){{0,3}})(?=(?P<role>{_ROLES})(?P<note>[ ]?(?:[Mm]essage|[Pp]rompt|\([^()\n]{{1,30}}\)))?"
    r"[*_]{0,2}[ ]?:[*_]{0,2})",
    re.MULTILINE,
)
# What follows a turn of the system, and not a row of a data sheet such as "System: Linux 6.1".
_ADDRESSES: Final = LazyPattern(
    r"(?:\b(?:you|your|must|ignore|obey|disregard|override|assistant|instructions?|approved|authorized|do not|don't|never|always"
    r"|user has|comply|execute|proceed)\b|ください|してよい|せよ|しろ|承認|許可|無視)",
    re.IGNORECASE,
)
_REACH: Final = 300  # characters of a turn looked at


def turns(text: str) -> Iterator[int]:
    """Where turns begin in a reading: those of Human and Assistant always, others beside one of them or when they give orders."""
    if ":" not in text or not any(hint in text for hint in HINTS):
        return
    found = list(_TURN.finditer(text))
    roles = {match["role"].lower() for match in found}
    talk = bool(roles & _ALWAYS) and len(roles) > 1
    for match in found:
        role = match["role"].lower()
        if role in _ALWAYS or talk or (role in ("system", "システム", "developer") and _opens_turn(text, match)):
            yield match.end()


def _opens_turn(text: str, match: re.Match[str]) -> bool:
    """All capitals, named a message, after an empty line, or addressing a reader."""
    if match["role"] == "SYSTEM" or match["note"] or text[: match.start()].endswith("\n\n"):
        return True
    return _ADDRESSES.search(text, match.end(), match.end() + _REACH) is not None
