"""What to do next, for every reason code: one sentence a person can act on.

Agents may read these sentences, so none names an option that lowers a protection; a test says so.
"""

from typing import Final

ADVICE: Final[dict[str, str]] = {
    # 2: the command line
    "usage_invalid": "Run `guarded-webfetch --help` and compare; put the URL in single quotes.",
    "option_not_allowed": "Leave this option out; a person can run the console command themselves.",
    "path_invalid": "Use a path without control characters or links; an existing file is replaced only if this tool wrote it.",
    # 3: the machine
    "prerequisite_missing": "Run `guarded-webfetch doctor` and follow the command beside each failed line.",
    "sandbox_unavailable": "Run `guarded-webfetch doctor` to see which layer is missing, or use a machine that has it.",
    "network_blocked": "Run the command outside that sandbox, in one of the ways the README section on sandboxes lists.",
    "trust_store_missing": "Install the system's certificates, for example with `sudo apt-get install ca-certificates`.",
    "store_unavailable": "Make the results folder a real folder of your own that nobody else may write to, with space left.",
    "config_invalid": "Make yourself the owner of the config file, run `chmod go-w` on it, and check its entries.",
    # 4: refused by policy
    "url_invalid": "Copy the whole address from the browser: one line that starts with https:// and has no backslash in it.",
    "url_scheme": "Use the https:// address of the page; files, mail and other schemes are not fetched.",
    "url_userinfo": "Remove everything between :// and the @ sign; pages that need a password are not fetched.",
    "url_host": "Type the host name again by hand, since an invisible or odd character may be in it; write an IP address in full.",
    "url_port": "Use the address on the normal port (80 for http, 443 for https).",
    "url_too_long": "Use a shorter address of the same page, for example one without tracking parameters.",
    "url_secret": "Remove the key, token or password from the URL; if it is a real one, consider it seen and replace it.",
    "name_not_public": "Use the full public name, such as www.example.com; local and reserved names are not fetched.",
    "host_not_allowed": "Ask the owner of the config file whether this host should be on its list.",
    "address_not_public": "Use a public site, or have the name corrected in DNS; addresses inside your network are never fetched.",
    "address_mixed": "Use another source; the site's owner should hear that its name also leads to an internal address.",
    "address_fake_ip": "Ask the person who runs the VPN or proxy on this machine to turn off its fake addresses for this tool.",
    "redirect_cross_origin": "Look at the origin it points to; if it is the site you want, call again with the URL there.",
    "redirect_downgrade": "Look for the same page under an https:// address; the way back to http is not followed.",
    "redirect_loop": "Open the page in a browser; it may need cookies or a login that are not sent here.",
    "redirect_too_many": "Open the page in a browser, copy the address it ends at, and call again with that.",
    "redirect_invalid": "Try the final address of the page directly; what the site sent is not a usable redirect.",
    "record_unknown": "Fetch the page again; only records made here, by this user, and unchanged are believed.",
    "record_unusable": "Check the path of the record, or fetch the page again.",
    "link_unknown": "Look up the link number in the `.links.json` file beside the record.",
    # 5: the fetch
    "dns_no_answer": "Check the spelling of the host name; the site may also have moved or closed.",
    "dns_failed": "Check the network connection of this machine and try again in a minute.",
    "connect_failed": "Try again in a minute; the site may be down or refuse connections from here.",
    "proxy_unreachable": "Ask the person who configured the proxy whether it is running and whether its address is right.",
    "proxy_refused": "Check the host name; if it is right, ask the person who configured the proxy what it lets through.",
    "tls_failed": "Try again later; the site's encryption does not work with current standards.",
    "tls_certificate": "Check the host name in the URL and this machine's clock; otherwise only the site's owner can repair it.",
    "http_protocol": "Try again later or use another source; the server does not speak proper HTTP.",
    "headers_too_large": "Use another source; the server sends more header data than any honest page needs.",
    "content_encoding": "Use another source; the server compresses the page in a way that was not asked for.",
    "http_forbidden": "Respect the refusal: use another source, or let a person open the page in a browser.",
    "http_not_found": "Check the address, or search the site for the page; it may have moved.",
    "http_error": "Look at http_status in the record: after 429 or 5xx wait some minutes and try again, else use another source.",
    "login_required": "Let a person open the page in a browser, or use a source that needs no login.",
    "bot_challenge": "Let a person open the page in a browser, or use another source; the challenge is not answered here.",
    "fetch_deadline": "Try again once with --timeout 60; if that is not enough, the site is too slow, so use another source.",
    "body_too_large": "Look for a smaller version of the document, or let a person download it.",
    "body_incomplete": "Try again; the connection broke before everything had arrived.",
    "busy": "Wait until one of the running fetches has ended and try again.",
    # 6: the content
    "content_type": "Look for the same content as a web page, text or PDF; images, archives and programs are not read.",
    "charset_unknown": "Look for a version of the page in UTF-8, or let a person open it in a browser.",
    "extract_empty": "Let a person open the page in a browser; it may build its text with scripts, which are not run here.",
    "pdf_broken": "Download the PDF again from its first source, or look for another version.",
    "pdf_encrypted": "Ask for a version without a password.",
    "pdf_no_text": "Ask for a version with text; recognising text in images is not done here.",
    "resource_limit": "Look for a smaller or simpler version of the document.",
    "parse_deadline": "Look for a smaller or simpler version of the document.",
    "fail_on_verdict": "Let a person look at the record with `guarded-webfetch show` and decide.",
    # 7 and 70: us
    "child_crashed": "Try again once; if it happens again, treat the page as hostile and report the URL to the project.",
    "child_frame_invalid": "Treat the page as hostile, do not fetch it again, and report the URL to the project.",
    "record_schema_invalid": "Report this to the project together with the URL; nothing was written.",
    "internal_error": "Report this to the project together with the command that was run.",
}
