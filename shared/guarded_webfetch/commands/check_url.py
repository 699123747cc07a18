"""`check-url URL`: whether a URL may be fetched, judged by its text alone, as one JSON object."""

import json
from typing import Any, Final

from guarded_webfetch.broker import url_check
from guarded_webfetch.broker.options import Options
from guarded_webfetch.commands import config, terminal
from guarded_webfetch.commands.advice import ADVICE
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import mixed_script

_REFUSED_EXIT: Final = 4
_NOTE: Final = (
    "Only the URL itself was judged: no name was looked up and nothing was sent."
    " Addresses and redirects are judged during a fetch."
)
_MIXED: Final = "A label of the host mixes letters of scripts that look alike; compare it with the name you expect."


def run(argv: list[str]) -> int:
    """0 for a URL that may be fetched, 4 for one that may not; the answer stands on stdout either way.

    Raises Refusal usage_invalid or config_invalid.
    """
    arguments = Arguments("check-url", "Say whether a URL may be fetched, and why not. Nothing is looked up or sent.")
    arguments.add_argument("url", metavar="URL")
    answer = judge(arguments.parse_args(argv).url, config.apply(Options()))
    terminal.write(json.dumps(answer) + "\n")
    return 0 if answer["allowed"] else _REFUSED_EXIT


def judge(text: str, options: Options) -> dict[str, Any]:
    """{"allowed": true, url, host, origin, note[, notices]} or {"allowed": false, reason, sentence, advice, note}.

    A refused URL is not repeated: it may carry a credential.
    """
    try:
        url = url_check.check_url(text, options)
    except Refusal as refusal:
        reason = refusal.reason
        advice = ADVICE[reason.code]
        return {"allowed": False, "reason": reason.code, "sentence": reason.sentence, "advice": advice, "note": _NOTE}
    answer = {"allowed": True, "url": url.text, "host": url.host, "origin": url.origin, "note": _NOTE}
    return answer | ({"notices": {"mixed_script_host": _MIXED}} if mixed_script(url.host) else {})
