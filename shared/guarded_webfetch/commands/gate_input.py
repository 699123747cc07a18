"""What the subcommands of `gate` take from a command line: URLs, a policy, JSON that anybody may have written."""

import json
import os
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from guarded_webfetch.commands import visible
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.core.limits import MAX_ANSWER_BYTES, MAX_URLS_PER_RUN
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.url_policy import Url, parse_url
from guarded_webfetch.evidence import gate
from guarded_webfetch.evidence.evidence import canonical


def add_policy(arguments: Arguments) -> None:
    """The options that `check` and `run` share."""
    arguments.add_argument(
        "--require", action="append", required=True, metavar="URL", help="a source the answer must rest on"
    )
    arguments.add_argument("--min", default="all", metavar="all|majority|N", help="how many of them (default: all)")
    arguments.add_argument("--level", type=int, choices=(2, 3), default=2, help="2: the provider says so, 3: own fetch")
    arguments.add_argument("--records", action="append", default=[], metavar="PATH", help="own records that count too")
    arguments.add_argument(
        "--record-sha256", action="append", default=[], metavar="HASH", help="a record the job vouches for"
    )


def policy(chosen: Namespace, required: Sequence[Url]) -> gate.Policy:
    """What `--level` and `--min` ask for. Raises Refusal usage_invalid."""
    try:
        return gate.Policy(chosen.level, gate.needed(chosen.min, len(required)))
    except ValueError:
        raise Refusal("usage_invalid") from None


def required_urls(texts: Sequence[str]) -> list[Url]:
    """The different URLs in `texts`, as they are compared. Raises the reasons of parse_url."""
    required: dict[Url, None] = {}
    for text in texts:
        url = canonical(text) or parse_url(text)  # parse_url says why it is none
        required[url] = None
    if len(required) > MAX_URLS_PER_RUN:
        raise Refusal("usage_invalid")
    return list(required)


def read_json(path: str) -> Any:
    """The value in the file; Refusal path_invalid or answer_invalid (too large, no JSON, a key twice)."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            data = file.read(MAX_ANSWER_BYTES + 1)
    except (OSError, ValueError):
        raise Refusal("path_invalid") from None
    if len(data) > MAX_ANSWER_BYTES:
        raise Refusal("answer_invalid")
    try:
        return json.loads(data, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise Refusal("answer_invalid") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):  # two readers would see two answers
        raise ValueError
    return result


def check_paths(paths: Sequence[str]) -> None:
    """Refusal path_invalid for a path that could not be printed as it is."""
    if any(visible.line(path) != path for path in paths):
        raise Refusal("path_invalid")
