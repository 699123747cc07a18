"""Every reason code, its exit group and its one sentence. Codes are never renamed.

Groups: 2 usage, 3 prerequisite, 4 refused by policy, 5 fetch failed, 6 content not usable, 7 broken promise, 10 and 11 gate, 70 our bug.
"""

from typing import Final, NamedTuple


class Reason(NamedTuple):
    """A stable code, the process exit code it leads to, and a fixed English sentence."""

    code: str
    exit_code: int
    sentence: str


class Refusal(Exception):
    """The one exception of every decision: a reason code out of REASONS, nothing chosen by the remote side.

    `origin` is set by redirect decisions only: the origin a refused redirect pointed to.
    """

    def __init__(self, code: str, *, origin: str | None = None) -> None:
        super().__init__(code)
        self.reason: Final = REASONS[code]
        self.origin: Final = origin

    @property
    def code(self) -> str:
        return self.reason.code


_ROWS: Final = (
    (2, "usage_invalid", "The command line is not valid."),
    (2, "option_not_allowed", "This option is not on the closed list of options an agent may use."),
    (2, "path_invalid", "A path on the command line cannot be used."),
    (2, "store_invalid", "The store is neither a list of items with titles nor a folder of records."),
    (2, "draft_invalid", "The draft is not UTF-8 text of at most 200,000 characters."),
    (2, "answer_invalid", "The answer is not JSON of a shape that is known here."),
    (3, "prerequisite_missing", "A prerequisite is missing; run `guarded-webfetch doctor` to see which."),
    (3, "sandbox_unavailable", "A required isolation layer is not available here, so nothing was fetched."),
    (3, "network_blocked", "An outer sandbox blocks the network for this command; see the README section on sandboxes."),
    (3, "trust_store_missing", "No system certificate bundle was found; install the ca-certificates package."),
    (3, "store_unavailable", "The results folder cannot be created or written safely."),
    (3, "config_invalid", "The config file is not valid or not owned and protected as required."),
    (4, "url_invalid", "The URL is not a valid absolute http or https URL."),
    (4, "url_scheme", "Only http and https URLs are fetched."),
    (4, "url_userinfo", "The URL carries a user name or password."),
    (4, "url_host", "The host of the URL is not a valid public host name or canonical address."),
    (4, "url_port", "The port of the URL is not allowed."),
    (4, "url_too_long", "The URL is longer than 2,048 characters."),
    (4, "url_secret", "The URL seems to carry a credential, so it was not sent anywhere."),
    (4, "name_not_public", "The host name is reserved for local or special use."),
    (4, "host_not_allowed", "The host is not among those the config file allows."),
    (4, "address_not_public", "The host leads to an address that is not public."),
    (4, "address_mixed", "The host leads to both public and non-public addresses."),
    (4, "address_fake_ip", "The resolver answered from 198.18.0.0/15, as VPN and proxy tools with fake addresses do."),
    (4, "redirect_cross_origin", "The site redirects to another origin; call again with that URL if it is wanted."),
    (4, "redirect_downgrade", "The site redirects from https to http."),
    (4, "redirect_loop", "The site redirects in a circle."),
    (4, "redirect_too_many", "The site redirects more than three times."),
    (4, "redirect_invalid", "The site sent a redirect whose target is missing, repeated or not valid."),
    (4, "robots_disallowed", "The robots.txt of the site asks programs not to fetch this page."),
    (4, "robots_unavailable", "The robots.txt of the site could not be had, so nothing of the site is fetched for now."),
    (4, "record_unknown", "The record was not made by this tool for this user, or was changed since."),
    (4, "record_unusable", "The record cannot be read or holds no usable result."),
    (4, "link_unknown", "The record has no link with this number."),
    (4, "section_unknown", "The record has no section with this number."),
    (4, "held_back", "The words of this page are held back until a person agrees to see them."),
    (5, "dns_no_answer", "The host name has no address."),
    (5, "dns_failed", "The host name could not be looked up."),
    (5, "connect_failed", "No connection to the host could be made."),
    (5, "proxy_unreachable", "No connection to the configured proxy could be made."),
    (5, "proxy_refused", "The configured proxy refused the connection."),
    (5, "tls_failed", "The TLS handshake failed."),
    (5, "tls_certificate", "The certificate of the site is not valid for it."),
    (5, "http_protocol", "The answer of the site is not valid HTTP."),
    (5, "headers_too_large", "The answer of the site has more header data than allowed."),
    (5, "content_encoding", "The body is compressed in a way that is not supported."),
    (5, "http_forbidden", "The site refuses access to this page."),
    (5, "http_not_found", "The page does not exist."),
    (5, "http_error", "The site answered with an error status."),
    (5, "login_required", "The page asks for a login."),
    (5, "bot_challenge", "The site shows a challenge meant to stop automated readers."),
    (5, "fetch_deadline", "The fetch did not finish within its time limit."),
    (5, "body_too_large", "The document is larger than allowed."),
    (5, "body_incomplete", "The transfer ended before the document was complete."),
    (5, "busy", "As many runs as may be are already using this results folder."),
    (5, "too_few_sources", "Fewer sources could be read than the job needs; index.json says how each of them ended."),
    (6, "content_type", "The content is of a type that is not read."),
    (6, "charset_unknown", "The character encoding of the page could not be told."),
    (6, "extract_empty", "The page holds no readable text."),
    (6, "pdf_broken", "The PDF is damaged."),
    (6, "pdf_encrypted", "The PDF needs a password."),
    (6, "pdf_no_text", "The PDF holds no text, only images."),
    (6, "resource_limit", "Reading the content needed more memory or time than allowed."),
    (6, "parse_deadline", "Reading the content did not finish within its time limit."),
    (6, "fail_on_verdict", "The verdict is at or above the level given with --fail-on."),
    (7, "child_crashed", "A quarantined process ended unexpectedly."),
    (7, "child_frame_invalid", "A quarantined process sent something it must not send."),
    (7, "record_schema_invalid", "The record did not fit its own schema and was not written."),
    (10, "own_fetch_needed", "Not every required source is proven to have been fetched; fetch the missing ones here."),
    (11, "needs_review", "A person must look at this before the answer counts."),
    (70, "internal_error", "guarded-webfetch has a bug; please report it with last-crash.txt from its state folder."),
)  # fmt: skip

REASONS: Final[dict[str, Reason]] = {code: Reason(code, exit_code, sentence) for exit_code, code, sentence in _ROWS}
