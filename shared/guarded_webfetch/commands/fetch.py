"""`fetch`: one URL, or one link of an earlier record, and the path of the result on stdout.

An agent reaches it through the skill's launcher with a closed list of options; a person has more on the console script.
"""

import argparse
import math
import os
from typing import TYPE_CHECKING, Any, Final

from guarded_webfetch.broker import run as broker
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.store import shown_path
from guarded_webfetch.commands import config
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.outcome import report
from guarded_webfetch.core.limits import DEADLINE_S, MAX_TIMEOUT_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import WIDE_PORTS, parse_origin

if TYPE_CHECKING:
    from guarded_webfetch.broker.proxy import Proxy
    from guarded_webfetch.broker.run import Written
    from guarded_webfetch.summary.settings import Settings, Summarizer

# The closed list of what an agent may use. None of them lowers a protection.
AGENT_OPTIONS: Final = frozenset(
    {
        "--timeout", "--summary", "--links", "--allow-origin", "--redirects", "--no-raw-html", "--quiet", "--ca-bundle", "--out",
        "--require-isolation", "--from", "--summary-language",
    }
)  # fmt: skip


def run(argv: list[str]) -> int:
    """For a person: every option."""
    parser = _parser(person=True)
    return _fetch(parser.parse_args(argv), person=True)


def run_agent(argv: list[str]) -> int:
    """For the launcher: a URL or --from first, then options of the closed list and nothing else."""
    if not argv or not argv[0].lower().startswith(("http://", "https://", "--from")):
        raise Refusal("usage_invalid")
    if any(word.startswith("-") and word.partition("=")[0] not in AGENT_OPTIONS for word in _option_words(argv)):
        raise Refusal("option_not_allowed")
    return _fetch(_parser(person=False).parse_args(argv), person=False)


def _option_words(argv: list[str]) -> list[str]:
    """The words an option parser would take for options: all before a lone "--"."""
    end = argv.index("--") if "--" in argv else len(argv)
    return [word for word in argv[:end] if len(word) > 1]


def _parser(*, person: bool) -> Arguments:
    parser = Arguments("fetch", "Fetches one URL through locked processes; prints the path of the result record.")
    parser.add_argument("url", nargs="?", metavar="URL")
    parser.add_argument("--from", dest="source", nargs=2, metavar=("RECORD", "LINK"), help="follow link L3 of a record")
    parser.add_argument("--timeout", type=float, default=DEADLINE_S, metavar="S", help="seconds, at most 60")
    choices = None if person else ("extractive", "none")
    parser.add_argument(
        "--summary",
        choices=choices,
        metavar="KIND",
        help="extractive, none; a person also: claude, codex, command:NAME",
    )
    parser.add_argument("--summary-language", metavar="TAG", help="of a model's summary, such as ja")
    parser.add_argument("--links", choices=("placeholders", "inline"), default="placeholders")
    parser.add_argument(
        "--allow-origin", action="append", default=[], metavar="ORIGIN", help="redirects may lead there"
    )
    parser.add_argument("--redirects", choices=("same-origin", "checked"), default="same-origin")
    parser.add_argument("--no-raw-html", action="store_true", help="leave raw_html out of the record")
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    parser.add_argument("--ca-bundle", metavar="FILE", help="certificates to trust beside the system's")
    parser.add_argument("--out", metavar="DIR", help="results folder")
    levels = ("process", "strict", "max") if person else ("strict", "max")
    parser.add_argument("--require-isolation", choices=levels)
    if person:
        parser.add_argument("--proxy", metavar="URL", help="http://host:port; a password belongs in the config file")
        parser.add_argument("--resolver-profile", choices=("fake-ip",), help="accept answers in 198.18.0.0/15")
        parser.add_argument(
            "--robots",
            choices=("ignore", "note", "obey"),
            default="ignore",
            help="ask the robots.txt of the site first",
        )
        parser.add_argument("--ports", choices=("wide",), help="also ports 8000, 8080 and 8443")
        parser.add_argument("--allow-secret", action="store_true", help="send a URL that seems to carry a credential")
    return parser


def _fetch(arguments: argparse.Namespace, *, person: bool) -> int:
    if (arguments.url is None) == (arguments.source is None):
        raise Refusal("usage_invalid")
    options = _options(arguments, config.apply(Options()), person=person)
    if options.summarizer is None:
        return report(_written(arguments, options))
    from guarded_webfetch.summary.process import summarized

    return report(summarized(lambda: _written(arguments, options), options))


def _written(arguments: argparse.Namespace, options: Options) -> "Written":
    if arguments.source:
        record, link = arguments.source
        return broker.follow(record, link, options)
    return broker.fetch(arguments.url, options)


def _options(arguments: argparse.Namespace, options: Options, *, person: bool) -> Options:
    changes: dict[str, Any] = {
        "timeout_s": _timeout(arguments.timeout),
        "summary": "none" if arguments.summary == "none" else "extractive",
        "summarizer": _summarizer(arguments, options.summaries),
        "summaries": None,
        "links": arguments.links,
        "allowed_origins": frozenset(map(_origin, arguments.allow_origin)),
        "redirects": arguments.redirects,
        "raw_html": not arguments.no_raw_html,
        "quiet": arguments.quiet,
        "ca_bundle": _ca_bundle(arguments.ca_bundle),
        "out": _out(arguments.out, options.out, person=person),
        "require_isolation": arguments.require_isolation or options.require_isolation,
    }
    if person:
        changes["proxy"] = _proxy(arguments.proxy) if arguments.proxy else options.proxy
        changes["fake_ip"] = options.fake_ip or arguments.resolver_profile == "fake-ip"
        changes["robots"] = arguments.robots
        changes["wide_ports"] = options.wide_ports or arguments.ports == "wide"
        changes["allow_secret"] = options.allow_secret or arguments.allow_secret
    return options._replace(**changes)


def _summarizer(arguments: argparse.Namespace, given: "Settings | None") -> "Summarizer | None":
    """The model that writes the summary, where a person asked for one here or in the config file."""
    language: str | None = arguments.summary_language
    choice: str | None = arguments.summary or (given.default if given else None)
    if language is None and choice in (None, "extractive", "none"):
        return None
    from guarded_webfetch.summary import settings

    known = given or settings.Settings()
    if language is not None:
        known = known._replace(language=settings.language(language))
    if choice is None or choice in ("extractive", "none"):
        return None
    return settings.choose(known, choice, os.environ.get("PATH", ""))


def _proxy(text: str) -> "Proxy":
    """A proxy without a credential: every user of the machine can read a command line."""
    from guarded_webfetch.broker import proxy

    try:
        found, userinfo = proxy.parse(text)
    except ValueError:
        raise Refusal("usage_invalid") from None
    if userinfo:
        raise Refusal("usage_invalid")
    return found


def _timeout(seconds: float) -> float:
    if not math.isfinite(seconds) or not 0 < seconds <= MAX_TIMEOUT_S:
        raise Refusal("usage_invalid")
    return seconds


def _origin(text: str) -> str:
    """A bare origin such as https://docs.example.com, nothing after it."""
    try:
        return parse_origin(text, ports=WIDE_PORTS)
    except Refusal:
        raise Refusal("usage_invalid") from None


def _ca_bundle(path: str | None) -> str | None:
    """An absolute path to a readable file outside the working folder, where a repository cannot have put it."""
    if path is None:
        return None
    from guarded_webfetch.broker.user_folders import below_working_folder

    full = os.path.realpath(path)
    if below_working_folder(full) or not os.path.isfile(full) or not os.access(full, os.R_OK):
        raise Refusal("path_invalid")
    return full


def _out(path: str | None, configured: str | None, *, person: bool) -> str | None:
    """The results folder as it is printed. For an agent: below the working folder, no hidden component but .temp.

    Where the config file keeps results outside the working folder, an agent has no choice.
    """
    if path is None:
        return configured
    if configured is not None and not person:
        raise Refusal("option_not_allowed")
    shown = shown_path(path)
    hidden = any(part.startswith(".") and part != ".temp" for part in shown.split(os.sep))
    if not person and (os.path.isabs(shown) or shown == "." or hidden):
        raise Refusal("path_invalid")
    return shown
