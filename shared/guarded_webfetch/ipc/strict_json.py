"""JSON between processes, without the freedoms of JSON.

Refused: duplicate keys, NaN and infinities, integers over 15 digits, nesting over 12 levels, lone surrogates, invalid UTF-8.
Sources: RFC 8259 section 4 (names SHOULD be unique), section 6 (interoperable numbers), section 8.2 (unpaired surrogates).
"""

import json
import re
from math import isfinite
from typing import Any, Final, NoReturn

from guarded_webfetch.core.limits import MAX_JSON_DEPTH, MAX_JSON_INT_DIGITS

# Our own writers never escape a surrogate (ensure_ascii is off), so an escaped one is a forged message.
_SURROGATE_ESCAPE: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]")


class JsonError(ValueError):
    """The bytes are not the strict JSON that processes here send each other."""


def _constant(_: str) -> NoReturn:
    raise JsonError


def _int(digits: str) -> int:
    if len(digits) > MAX_JSON_INT_DIGITS + digits.startswith("-"):
        raise JsonError
    return int(digits)


def _float(text: str) -> float:
    value = float(text)
    if not isfinite(value):  # 1e999 is no NaN to the parser
        raise JsonError
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise JsonError
    return result


_DECODER: Final = json.JSONDecoder(
    parse_constant=_constant, parse_int=_int, parse_float=_float, object_pairs_hook=_object
)


def loads(data: bytes) -> Any:
    """The value in `data`; JsonError for anything strict JSON does not allow."""
    if b"\\u" in data and _SURROGATE_ESCAPE.search(data):  # the look is cheap, the search is not
        raise JsonError
    try:
        value = _DECODER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise JsonError from error
    if _too_deep(value):
        raise JsonError
    return value


def dumps(value: object) -> bytes:
    """Compact UTF-8; UnicodeEncodeError (a ValueError) for a lone surrogate, ValueError for NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
