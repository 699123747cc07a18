"""Whether a redirect is how a site asks for a login: a temporary one, away from content, to a page named like one. Pure."""

import re
from typing import Final

from guarded_webfetch.core.url_policy import Url

_TEMPORARY: Final = frozenset({302, 303, 307})  # a page that has moved says 301 or 308
_LOGIN_SEGMENT: Final = re.compile(
    r"(?:wp-)?(?:log|sign)[-_]?[io]n(?:\.(?:php|aspx?|jsp|html?|do|action|cgi))?|service_?login|login_?form|sessions?/new|authorize"
    r"|logon(?:\.[a-z]{2,5})?"
)
# A path that already speaks of logging in is about it: documentation, a package named so, the form somebody asked for.
_ABOUT_LOGIN: Final = re.compile(r"log[-_]?[io]n|sign[-_]?[io]n|logging|signing|auth|account|session|sso", re.I)
_WRITTEN: Final = frozenset({
    "api", "article", "articles", "blog", "cli", "command", "commands", "doc", "docs", "guide", "guides", "help", "issues",
    "kb", "learn", "man", "manual", "news", "package", "packages", "posts", "questions", "reference", "support", "topic",
    "topics", "tutorial", "tutorials", "wiki",
})  # fmt: skip
_MAX_SEGMENTS: Final = 4  # /en/accounts/users/login


def asks_for_login(status: int, asked: Url, target: Url) -> bool:
    """True when `status` sent a reader of `asked` to the login form at `target`."""
    segments = _segments(target)
    if status not in _TEMPORARY or not 0 < len(segments) <= _MAX_SEGMENTS or _ABOUT_LOGIN.search(asked.target):
        return False
    last = "/".join(segments[-2:]) if segments[-1] == "new" else segments[-1]
    return bool(_LOGIN_SEGMENT.fullmatch(last)) and _WRITTEN.isdisjoint(segments)


def _segments(url: Url) -> list[str]:
    return [part for part in url.target.partition("?")[0].lower().split("/") if part]
