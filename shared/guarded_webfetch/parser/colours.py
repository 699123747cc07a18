"""CSS colours as channels (CSS Color 4 and 5), as far as it takes to tell text from what lies behind it."""

import colorsys
import math
import re
from typing import Final, NamedTuple

from guarded_webfetch.parser.css_values import split_list


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
    "mintcream": Colour(245, 255, 250), "canvas": WHITE, "canvastext": BLACK, "lightgray": Colour(211, 211, 211),
    "lightgrey": Colour(211, 211, 211), "darkgray": Colour(169, 169, 169), "darkgrey": Colour(169, 169, 169),
    "dimgray": Colour(105, 105, 105), "gainsboro": Colour(220, 220, 220), "aliceblue": Colour(240, 248, 255),
    "seashell": Colour(255, 245, 238), "honeydew": Colour(240, 255, 240), "lavenderblush": Colour(255, 240, 245),
    "lightyellow": Colour(255, 255, 224), "lightcyan": Colour(224, 255, 255), "linen": Colour(250, 240, 230),
    "oldlace": Colour(253, 245, 230), "cornsilk": Colour(255, 248, 220), "beige": Colour(245, 245, 220),
}  # fmt: skip
_FUNCTION: Final = re.compile(r"([a-z-]+)\((.*)\)", re.S)
_WORDS: Final = re.compile(r"#[0-9a-f]{3,8}|[a-z-]+\((?:[^()]|\([^()]*\))*\)|[a-z]+")
_PARTS: Final = re.compile(r"[\s,/]+")
_ANGLES: Final = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_SPACES: Final = ("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")  # read as sRGB
_MAX_CHARS: Final = 300


def colour(value: str) -> Colour | None:
    """A colour; None for what is not one."""
    if value in _NAMED:
        return _NAMED[value]
    if value.startswith("#"):
        return _hex(value[1:])
    match = _FUNCTION.fullmatch(value) if "(" in value and len(value) <= _MAX_CHARS else None
    if not match:
        return None
    try:
        return _function(match[1], match[2].strip())
    except (ValueError, IndexError, OverflowError):
        return None


def colours_in(value: str) -> list[Colour]:
    """All colours inside a longer value such as a gradient."""
    found = []
    for word in _WORDS.findall(value):
        one = colour(word)
        if one is not None:
            found.append(one)
        elif "(" in word:
            found += colours_in(word[word.index("(") + 1 : -1])
    return found


def distance(one: Colour, other: Colour) -> float:
    """The largest difference of a channel."""
    return max(abs(one.red - other.red), abs(one.green - other.green), abs(one.blue - other.blue))


def over(top: Colour, below: Colour) -> Colour:
    """`top` painted on the opaque colour `below`."""
    share = top.alpha
    mix = [a * share + b * (1 - share) for a, b in zip(top[:3], below[:3], strict=True)]
    return Colour(mix[0], mix[1], mix[2])


def _hex(digits: str) -> Colour | None:
    if not re.fullmatch(r"[0-9a-f]{3,8}", digits) or len(digits) in (5, 7):
        return None
    if len(digits) < 5:
        digits = "".join(digit * 2 for digit in digits)
    channels = [int(digits[index : index + 2], 16) for index in range(0, len(digits), 2)]
    return Colour(channels[0], channels[1], channels[2], channels[3] / 255 if len(channels) > 3 else 1.0)


def _function(name: str, arguments: str) -> Colour | None:
    if name == "light-dark":
        return colour(split_list(arguments)[0].strip())
    if name == "color-mix":
        return _mix(split_list(arguments))
    parts = _PARTS.split(arguments)
    space = parts.pop(0) if name == "color" else ""
    alpha = _number(parts[3], 1.0) if len(parts) > 3 else 1.0
    alpha = max(0.0, min(1.0, alpha))
    match name:
        case "rgb" | "rgba":
            return _channels(parts, 255.0, 1.0, alpha)
        case "color" if space in _SPACES:
            return _channels(parts, 1.0, 255.0, alpha)
        case "hsl" | "hsla":
            saturation, lightness = (
                _number(part, 1.0) if part.endswith("%") else _number(part, 1.0) / 100 for part in parts[1:3]
            )
            red, green, blue = colorsys.hls_to_rgb(
                _degrees(parts[0]) % 360 / 360, min(1.0, lightness), min(1.0, saturation)
            )
            return Colour(red * 255, green * 255, blue * 255, alpha)
        case "hwb":
            return _hwb(_degrees(parts[0]), _number(parts[1], 1.0), _number(parts[2], 1.0), alpha)
        case "lab":
            return _lab(_number(parts[0], 100.0), _number(parts[1], 125.0), _number(parts[2], 125.0), alpha)
        case "oklab":
            return _oklab(_number(parts[0], 1.0), _number(parts[1], 0.4), _number(parts[2], 0.4), alpha)
        case "lch":
            chroma, hue = _number(parts[1], 150.0), math.radians(_degrees(parts[2]))
            return _lab(_number(parts[0], 100.0), chroma * math.cos(hue), chroma * math.sin(hue), alpha)
        case "oklch":
            chroma, hue = _number(parts[1], 0.4), math.radians(_degrees(parts[2]))
            return _oklab(_number(parts[0], 1.0), chroma * math.cos(hue), chroma * math.sin(hue), alpha)
    return None


def _channels(parts: list[str], whole: float, scale: float, alpha: float) -> Colour:
    red, green, blue = (max(0.0, min(255.0, scale * _number(part, whole))) for part in parts[:3])
    return Colour(red, green, blue, alpha)


def _number(part: str, whole: float) -> float:
    """A number, or a percentage of `whole`."""
    if part == "none":
        return 0.0
    return float(part[:-1]) / 100 * whole if part.endswith("%") else float(part)


def _degrees(part: str) -> float:
    for unit, size in _ANGLES.items():
        if part.endswith(unit) and (unit != "rad" or not part.endswith("grad")):
            return float(part[: -len(unit)]) * size
    return _number(part, 360.0)


def _hwb(hue: float, white: float, black: float, alpha: float) -> Colour:
    if white + black >= 1:
        grey = 255 * white / (white + black)
        return Colour(grey, grey, grey, alpha)
    pure = colorsys.hls_to_rgb(hue % 360 / 360, 0.5, 1.0)
    red, green, blue = (255 * (channel * (1 - white - black) + white) for channel in pure)
    return Colour(red, green, blue, alpha)


def _linear(red: float, green: float, blue: float, alpha: float) -> Colour:
    def curved(channel: float) -> float:
        channel = max(0.0, min(1.0, channel))
        return 255 * (12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055)

    return Colour(curved(red), curved(green), curved(blue), alpha)


def _oklab(light: float, a: float, b: float, alpha: float) -> Colour:
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return _linear(
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        alpha,
    )


def _lab(light: float, a: float, b: float, alpha: float) -> Colour:
    """CIE Lab with the D50 white point, to sRGB without adapting the white point twice (CSS Color 4, section 9.3)."""
    y = (light + 16) / 116
    x, z = y + a / 500, y - b / 200
    white = (0.9643, 1.0, 0.8251)
    cubes = [part**3 if part**3 > 0.008856 else (116 * part - 16) / 903.3 for part in (x, y, z)]
    x, y, z = (part * scale for part, scale in zip(cubes, white, strict=True))
    return _linear(
        3.1341 * x - 1.6174 * y - 0.4907 * z,
        -0.9788 * x + 1.9163 * y + 0.0335 * z,
        0.0719 * x - 0.2290 * y + 1.4052 * z,
        alpha,
    )


def _mix(parts: list[str]) -> Colour | None:
    """color-mix() as if every space were sRGB: near enough to tell ink from paper."""
    found, shares = [], []
    for part in parts[-2:]:
        words = re.split(r"\s+(?![^()]*\))", part.strip())
        share = next((word for word in words if re.fullmatch(r"[\d.]+%", word)), None)
        one = colour(" ".join(word for word in words if word != share))
        if one is None:
            return None
        found.append(one)
        shares.append(None if share is None else float(share[:-1]) / 100)
    first = shares[0] if shares[0] is not None else 1 - shares[1] if shares[1] is not None else 0.5
    second = shares[1] if shares[1] is not None else 1 - first
    total = first + second
    if len(found) < 2 or total <= 0:
        return None
    one, other = found
    alpha = (one.alpha * first + other.alpha * second) / total
    if alpha <= 0:
        return TRANSPARENT
    channels = [
        (a * one.alpha * first + b * other.alpha * second) / total / alpha
        for a, b in zip(one[:3], other[:3], strict=True)
    ]
    return Colour(channels[0], channels[1], channels[2], alpha * min(1.0, total))
