"""CSS values as far as visibility needs them: lengths in pixels, lists, escapes."""

import re
from typing import Final

VIEWPORT_WIDTH: Final = 1280.0  # a common laptop window; media queries and percentages are judged against it
VIEWPORT_HEIGHT: Final = 800.0

_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH: Final = re.compile(rf"({_NUMBER})([a-z%]*)")
_TOKEN: Final = re.compile(rf"{_NUMBER}(?![\w.])|[-+*/(),]|min|max|clamp|calc|[\s]+")
_ESCAPE: Final = re.compile(r"\\([0-9a-fA-F]{1,6})[ \t\n\r\f]?|\\(.)", re.S)
_MAX_EXPRESSION_CHARS: Final = 200


def unescape(text: str) -> str:
    """CSS Syntax section 4.3.7: hexadecimal and literal escapes."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _character(match[1]) if match[1] else match[2], text)


def _character(digits: str) -> str:
    code = int(digits, 16)
    return "\ufffd" if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)


def length(value: str, font_px: float = 16.0, percent_of: float = VIEWPORT_WIDTH) -> float | None:
    """A length in pixels; None for a keyword or an expression that cannot be told."""
    match = _LENGTH.fullmatch(value)
    if match:
        return _pixels(float(match[1]), match[2], font_px, percent_of)
    if "(" not in value or len(value) > _MAX_EXPRESSION_CHARS:
        return None
    return _expression(value, font_px, percent_of)


def _pixels(number: float, unit: str, font_px: float, percent_of: float) -> float | None:
    match unit:
        case "px" | "":
            return number
        case "em" | "ch" | "ex":
            return number * font_px * (1 if unit == "em" else 0.5)
        case "rem" | "ic" | "lh" | "rlh":
            return number * 16
        case "%":
            return number * percent_of / 100
        case "vw" | "vmax" | "vi" | "dvw" | "svw" | "lvw" | "cqw" | "cqi":
            return number * VIEWPORT_WIDTH / 100
        case "vh" | "vmin" | "vb" | "dvh" | "svh" | "lvh" | "cqh" | "cqb":
            return number * VIEWPORT_HEIGHT / 100
    scale = {"pt": 4 / 3, "pc": 16, "in": 96, "cm": 37.8, "mm": 3.78, "q": 0.945}.get(unit)
    return number * scale if scale else None


def _expression(value: str, font_px: float, percent_of: float) -> float | None:
    """calc(), min(), max() and clamp() over lengths, by recursive descent."""
    plain = _LENGTH.sub(lambda match: str(_pixels(float(match[1]), match[2], font_px, percent_of) or 0.0), value)
    tokens = [token for token in _TOKEN.findall(plain) if not token.isspace()]
    if "".join(tokens) != re.sub(r"\s", "", plain):
        return None
    try:
        result = _sum(tokens)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return result if not tokens else None


def _sum(tokens: list[str]) -> float:
    total = _product(tokens)
    while tokens and tokens[0] not in (")", ","):
        token = tokens[0]
        if token in "+-":
            tokens.pop(0)
            total += _product(tokens) * (1 if token == "+" else -1)
        else:  # "10 -5" is read as one signed number
            total += _product(tokens)
    return total


def _product(tokens: list[str]) -> float:
    total = _atom(tokens)
    while tokens and tokens[0] in ("*", "/"):
        operator = tokens.pop(0)
        total = total * _atom(tokens) if operator == "*" else total / _atom(tokens)
    return total


def _atom(tokens: list[str]) -> float:
    token = tokens.pop(0)
    if token not in ("(", "calc", "min", "max", "clamp"):
        return float(token)
    if token != "(":
        tokens.pop(0)
    values = [_sum(tokens)]
    while tokens.pop(0) == ",":
        values.append(_sum(tokens))
    if token == "min":
        return min(values)
    if token == "max":
        return max(values)
    return max(values[0], min(values[1], values[2])) if token == "clamp" else values[0]


def split_list(text: str) -> list[str]:
    """A list of selectors or values cut at its outer commas."""
    if "(" not in text and "[" not in text:
        return text.split(",")
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]
