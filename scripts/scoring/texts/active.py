"""What a client that renders the delivered text would still load or open: an independent look, by rules of its own."""

import re
from typing import Final

_LIVE: Final = re.compile(
    r"!?\[[^\]]*\]\(\s*<?(?!\s*(?:#|\[L\d+\]|[\w./-]*\)))[a-z][a-z0-9+.-]*:[^)]*\)"  # a Markdown link or image with a scheme
    r"|^\s{0,3}\[[^\]]+\]:\s*<?[a-z][a-z0-9+.-]*:\S+"  # a reference definition
    r"|<(?:https?|ftp|mailto|javascript|data):[^>\s]+>"  # an autolink
    r"|url\(\s*['\"]?(?:https?:)?//"  # CSS
    r"|\b(?:src|srcset|href|poster|data|action|ping|background)\s*=\s*['\"]?(?:https?:|//|javascript:|data:|sms:|mailto:)"
    r"|\b(?:https?|ftp|wss?)://[\w.-]+",
    re.IGNORECASE | re.MULTILINE,
)
_CODE: Final = re.compile(r"(`+)(?!`)[^`\n]+?(?<!`)\1(?!`)")


def live(text: str) -> str:
    """The first live target outside inline code, "" when there is none."""
    match = _LIVE.search(_CODE.sub("", text))
    return match[0] if match else ""
