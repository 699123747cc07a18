"""What a status means for the caller. Source: RFC 9110 section 15."""

from collections.abc import Mapping
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


def refusal_code(status: int, header_names: Mapping[str, str]) -> str | None:
    """The reason code for a final status, None when its body is the page. Header names are lower case."""
    if status != 200 and header_names.get("cf-mitigated", "").strip().lower() == "challenge":
        return "bot_challenge"
    if status in _CODES:
        return _CODES[status]
    return None if 200 <= status <= 203 else "http_error"
