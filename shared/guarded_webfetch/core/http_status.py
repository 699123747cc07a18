"""What a final answer means for the caller, by its status and headers. Source: RFC 9110 section 15."""

from collections.abc import Mapping, Sequence
from typing import Final

_CODES: Final[Mapping[int, str]] = {
    204: "extract_empty",
    205: "extract_empty",
    206: "body_incomplete",  # never asked for, so it is only a part
    401: "login_required",
    403: "http_forbidden",
    404: "http_not_found",
    410: "http_not_found",
    451: "http_forbidden",
}

# Headers by which a service says that an answer is its own challenge. Sources: Cloudflare "Detect a Challenge Page
# response", AWS WAF "How AWS WAF CAPTCHA and Challenge work", Vercel "Attack Challenge Mode", Akamai "Challenge action".
_CHALLENGE_HEADERS: Final[Mapping[str, frozenset[str]]] = {
    "cf-mitigated": frozenset({"challenge"}),
    "x-amzn-waf-action": frozenset({"challenge", "captcha"}),
    "x-vercel-mitigated": frozenset({"challenge"}),
    "sec-cp-challenge": frozenset({"true"}),
}
# What the page of an error may add to its status: that it is a challenge, or a form to log in.
TOLD_BY_PAGE: Final = frozenset({"bot_challenge", "login_required"})


def refusal_code(status: int, header_names: Mapping[str, str]) -> str | None:
    """The reason code for a final status, None when its body is the page. Header names are lower case."""
    if status != 200 and any(
        header_names.get(name, "").strip().lower() in values for name, values in _CHALLENGE_HEADERS.items()
    ):
        return "bot_challenge"
    if status in _CODES:
        return _CODES[status]
    return None if 200 <= status <= 203 else "http_error"


def sends_elsewhere(refresh_values: Sequence[str]) -> bool:
    """Whether a Refresh header names another address (a plain reload is no concern). It is never followed."""
    return any("url" in value.lower() for value in refresh_values)
