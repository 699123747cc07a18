"""Conditions of style sheets: whether what stands below `@media` or `@supports` applies to the usual window."""

import re
from typing import Final

from guarded_webfetch.parser.css_values import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, length

_OTHER_BROWSERS: Final = ("-ms-", "-moz-", "-o-")
_RANGE: Final = re.compile(r"(?:([^<>=]+)\s*([<>]=?|=))?\s*([a-z-]+)\s*(?:([<>]=?|=)\s*([^<>=]+))?")
_SIDES: Final = {
    "width": VIEWPORT_WIDTH,
    "height": VIEWPORT_HEIGHT,
    "device-width": VIEWPORT_WIDTH,
    "device-height": VIEWPORT_HEIGHT,
    "inline-size": VIEWPORT_WIDTH,
    "block-size": VIEWPORT_HEIGHT,
}
_VALUES: Final = {  # what a screen with a mouse and without a person's preferences answers
    "prefers-color-scheme": ("light",),
    "prefers-reduced-motion": ("no-preference",),
    "prefers-reduced-transparency": ("no-preference",),
    "prefers-reduced-data": ("no-preference",),
    "prefers-contrast": ("no-preference",),
    "forced-colors": ("none",),
    "inverted-colors": ("none",),
    "hover": ("", "hover"),
    "any-hover": ("", "hover"),
    "pointer": ("", "fine"),
    "any-pointer": ("", "fine"),
    "orientation": ("landscape",),
    "scripting": ("", "enabled"),
    "display-mode": ("browser",),
    "update": ("", "fast"),
    "grid": ("0",),
    "color": ("", "8"),
    "monochrome": ("0",),
    "color-gamut": ("srgb",),
    "dynamic-range": ("standard",),
}


def supports(condition: str) -> bool | None:
    """Browsers support what sheets ask for; a condition that begins with `not`, or names another browser, is not for this one."""
    if condition.startswith("not"):
        return False
    return not any(prefix in condition for prefix in _OTHER_BROWSERS) or (" or " in condition)


def media(condition: str) -> bool | None:
    """Whether one of the queries applies; None when that cannot be told."""
    results = [_query(query.strip()) for part in condition.split(",") for query in re.split(r"\bor\b", part)]
    return True if True in results else None if None in results else False


def _query(query: str) -> bool | None:
    query = query.strip("() ") if query.startswith("(") and query.count("(") == 1 else query
    negated = query.startswith(("not ", "not("))
    parts = [_bare(part) for part in re.split(r"\band\b", query.removeprefix("not").removeprefix("only "))]
    results = [_feature(part) for part in parts if part]
    result: bool | None = False if False in results else None if None in results else True
    return result if result is None or not negated else not result


def _bare(part: str) -> str:
    """Without the brackets around it; those of a function (`calc(1024px - 1px)`) stay."""
    bare = part.strip(" ()")
    return bare + ")" * (bare.count("(") - bare.count(")"))


def _feature(part: str) -> bool | None:
    if part.startswith("not "):
        found = _feature(_bare(part[4:]))
        return None if found is None else not found
    if part in ("screen", "all"):
        return True
    if part in ("print", "speech", "tty", "tv", "handheld", "projection", "braille", "embossed"):
        return False
    name, _, value = (piece.strip() for piece in part.partition(":"))
    if name in _VALUES:
        return value in _VALUES[name]
    if name.startswith(("min-", "max-")) and name[4:] in _SIDES:
        return _compare(_SIDES[name[4:]], ">=" if name.startswith("min-") else "<=", value)
    if "resolution" in name or "device-pixel-ratio" in name:
        return _resolution(name, value)
    return _range(part)


def _resolution(name: str, value: str) -> bool | None:
    match = re.match(r"[\d.]+", value)
    asked = float(match[0]) / (96 if "dpi" in value else 1) if match else None
    return None if asked is None else asked <= 1 if "min-" in name else asked >= 1


def _range(part: str) -> bool | None:
    """`400px <= width < 900px` (Media Queries 4, section 2.4.3)."""
    match = _RANGE.fullmatch(part)
    if not match or match[3] not in _SIDES or not (match[2] or match[4]):
        return None
    side = _SIDES[match[3]]
    turned = match[2].translate(str.maketrans("<>", "><")) if match[2] else ""
    results = [_compare(side, turned, match[1].strip())] if turned else []
    results += [_compare(side, match[4], match[5].strip())] if match[4] else []
    return None if None in results else all(results)


def _compare(side: float, operator: str, value: str) -> bool | None:
    pixels = length(value)
    if pixels is None:
        return None
    return {
        "<": side < pixels, "<=": side <= pixels, ">": side > pixels, ">=": side >= pixels, "=": side == pixels,
    }[operator]  # fmt: skip
