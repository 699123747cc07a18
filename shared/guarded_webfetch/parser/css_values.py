"""CSS values as far as visibility needs them: lengths in pixels, colours as channels."""

import colorsys
import re
from typing import Final, NamedTuple

VIEWPORT_WIDTH: Final = 1280.0  # a common laptop window; media queries and percentages are judged against it
VIEWPORT_HEIGHT: Final = 800.0

_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH: Final = re.compile(rf"({_NUMBER})([a-z%]*)")
_TOKEN: Final = re.compile(rf"{_NUMBER}(?![\w.])|[-+*/(),]|min|max|clamp|calc|[\s]+")
_FUNCTION: Final = re.compile(r"(?:rgba?|hsla?)\(([^()]*)\)")
_ESCAPE: Final = re.compile(r"\\([0-9a-fA-F]{1,6})[ \t\n\r\f]?|\\(.)", re.S)
_MAX_EXPRESSION_CHARS: Final = 200


class Colour(NamedTuple):
    """Channels 0-255 and alpha 0-1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE: Final = Colour(255, 255, 255)
BLACK: Final = Colour(0, 0, 0)
TRANSPARENT: Final = Colour(0, 0, 0, 0)

_NAMED: Final = {
    "white": WHITE, "black": BLACK, "transparent": TRANSPARENT, "red": Colour(255, 0, 0), "lime": Colour(0, 255, 0),
    "blue": Colour(0, 0, 255), "yellow": Colour(255, 255, 0), "cyan": Colour(0, 255, 255), "aqua": Colour(0, 255, 255),
    "magenta": Colour(255, 0, 255), "fuchsia": Colour(255, 0, 255), "gray": Colour(128, 128, 128), "grey": Colour(128, 128, 128),
    "silver": Colour(192, 192, 192), "maroon": Colour(128, 0, 0), "olive": Colour(128, 128, 0), "green": Colour(0, 128, 0),
    "purple": Colour(128, 0, 128), "teal": Colour(0, 128, 128), "navy": Colour(0, 0, 128), "orange": Colour(255, 165, 0),
    "snow": Colour(255, 250, 250), "ivory": Colour(255, 255, 240), "whitesmoke": Colour(245, 245, 245),
    "ghostwhite": Colour(248, 248, 255), "floralwhite": Colour(255, 250, 240), "azure": Colour(240, 255, 255),
    "mintcream": Colour(245, 255, 250), "canvas": WHITE, "canvastext": BLACK,
}  # fmt: skip


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
        case "rem":
            return number * 16
        case "%":
            return number * percent_of / 100
        case "vw" | "vh" | "vmin" | "vmax" | "dvw" | "dvh" | "svh" | "lvh":
            return number * (VIEWPORT_WIDTH if unit in ("vw", "vmax", "dvw") else VIEWPORT_HEIGHT) / 100
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


def colour(value: str) -> Colour | None:
    """A colour; None for what is not one."""
    if value in _NAMED:
        return _NAMED[value]
    if value.startswith("#"):
        return _hex_colour(value[1:])
    match = _FUNCTION.fullmatch(value)
    return _function_colour(value, re.split(r"[\s,/]+", match[1].strip())) if match else None


def colours_in(value: str) -> list[Colour]:
    """All colours inside a longer value such as a gradient."""
    words = re.findall(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^()]*\)|[a-z]+", value)
    return [found for word in words if (found := colour(word)) is not None]


def _hex_colour(digits: str) -> Colour | None:
    if not re.fullmatch(r"[0-9a-f]{3,8}", digits) or len(digits) in (5, 7):
        return None
    if len(digits) < 5:
        digits = "".join(digit * 2 for digit in digits)
    channels = [int(digits[index : index + 2], 16) for index in range(0, len(digits), 2)]
    return Colour(channels[0], channels[1], channels[2], channels[3] / 255 if len(channels) > 3 else 1.0)


def _function_colour(value: str, parts: list[str]) -> Colour | None:
    if len(parts) < 3:
        return None
    try:
        numbers = [float(part.rstrip("%deg")) / (100 if part.endswith("%") else 1) for part in parts[:4]]
    except ValueError:
        return None
    alpha = numbers[3] if len(numbers) > 3 else 1.0
    if value.startswith("rgb"):
        red, green, blue = (
            number * 255 if part.endswith("%") else number for number, part in zip(numbers[:3], parts[:3], strict=True)
        )
        return Colour(red, green, blue, alpha)
    red, green, blue = colorsys.hls_to_rgb(numbers[0] % 360 / 360, numbers[2], numbers[1])
    return Colour(red * 255, green * 255, blue * 255, alpha)


def distance(one: Colour, other: Colour) -> float:
    """The largest difference of a channel."""
    return max(abs(one.red - other.red), abs(one.green - other.green), abs(one.blue - other.blue))


def over(top: Colour, below: Colour) -> Colour:
    """`top` painted on the opaque colour `below`."""
    share = top.alpha
    mix = [a * share + b * (1 - share) for a, b in zip(top[:3], below[:3], strict=True)]
    return Colour(mix[0], mix[1], mix[2])


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
