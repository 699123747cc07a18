"""How the fetch of one source ended, as one word of a fixed list: all that an agent is told about a failure."""

from typing import Final

OK: Final = "ok"
TRUNCATED: Final = "truncated"  # there is a file, and it does not hold the whole page
FLAGGED: Final = "flagged"  # verdict confirm: the file holds no word of the page
BUDGET_EXHAUSTED: Final = "budget_exhausted"
DUPLICATE: Final = "duplicate"  # the same URL stands earlier in the list
NOT_FINISHED: Final = "not_finished"  # the run ended before this source did

_BY_REASON: Final = {
    "refused_by_policy": (
        "url_invalid url_scheme url_userinfo url_host url_port url_too_long url_secret name_not_public host_not_allowed"
        " address_not_public address_mixed address_fake_ip"
    ),
    "redirect_refused": "redirect_cross_origin redirect_downgrade redirect_loop redirect_too_many redirect_invalid",
    "robots_disallowed": "robots_disallowed",
    "robots_unavailable": "robots_unavailable",
    "dns_error": "dns_no_answer dns_failed",
    "connect_error": "connect_failed proxy_unreachable proxy_refused network_blocked",
    "tls_error": "tls_failed tls_certificate trust_store_missing",
    "refused_by_site": "http_forbidden login_required bot_challenge",
    "not_found": "http_not_found",
    "http_error": "http_error",
    "transfer_error": "http_protocol headers_too_large content_encoding body_incomplete",
    "timeout": "fetch_deadline parse_deadline",
    "too_large": "body_too_large",
    "unsupported_type": "content_type",
    "no_text": "extract_empty pdf_no_text",
    "unreadable": "charset_unknown pdf_broken pdf_encrypted",
    "resource_limit": "resource_limit busy",
}
_CLASSES: Final = {reason: name for name, reasons in _BY_REASON.items() for reason in reasons.split()}
INTERNAL: Final = "internal"
OUTCOMES: Final = frozenset({OK, TRUNCATED, FLAGGED, BUDGET_EXHAUSTED, DUPLICATE, NOT_FINISHED, INTERNAL, *_BY_REASON})


def outcome_of(reason: str) -> str:
    """The class of a reason code; what a site or URL cannot cause is `internal`."""
    return _CLASSES.get(reason, INTERNAL)
