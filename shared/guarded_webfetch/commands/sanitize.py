"""`sanitize`: a local file through the same parser and sanitizer, without a network. For CI and for looking at a page by hand."""

import os
import stat
import sys
from typing import Final

from guarded_webfetch.broker import run as broker
from guarded_webfetch.broker.options import Options
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.outcome import refuse, report
from guarded_webfetch.core import verdict
from guarded_webfetch.core.limits import MAX_LOCAL_FILE_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import parse_url

_DEFAULT_BASE: Final = "https://localfile.invalid/"  # relative links need some base; a reserved name leads nowhere


def run(argv: list[str]) -> int:
    """0 with the record's path on stdout; with --fail-on and a verdict that bad, the reason fail_on_verdict."""
    parser = Arguments("sanitize", "Sanitizes a local file and prints the path of its record.")
    parser.add_argument("file", metavar="FILE", help="a path, or - for standard input")
    parser.add_argument("--type", required=True, choices=("html", "text", "pdf"))
    parser.add_argument("--base-url", metavar="URL", help="where relative links lead")
    parser.add_argument("--charset", metavar="NAME", help="as if a Content-Type header had named it")
    parser.add_argument("--fail-on", choices=("notice", "confirm"))
    arguments = parser.parse_args(argv)
    base_url = parse_url(arguments.base_url).text if arguments.base_url else _DEFAULT_BASE
    file = broker.LocalFile(_read(arguments.file), arguments.type, base_url, arguments.charset)
    written = broker.sanitize(file, Options())
    if written.verdict and arguments.fail_on and verdict.at_least(written.verdict, arguments.fail_on):
        return refuse("fail_on_verdict", written.path)
    return report(written)


def _read(path: str) -> bytes:
    """The whole file; Refusal path_invalid for what is no readable file, body_too_large above the limit."""
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MAX_LOCAL_FILE_BYTES + 1)
        else:
            with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise Refusal("path_invalid")
                content = file.read(MAX_LOCAL_FILE_BYTES + 1)
    except OSError:
        raise Refusal("path_invalid") from None
    if len(content) > MAX_LOCAL_FILE_BYTES:
        raise Refusal("body_too_large")
    return content
