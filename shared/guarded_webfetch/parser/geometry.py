"""Boxes nobody sees into: cut away, shrunk to nothing, turned on their edge, or moved out of the page."""

import math
import re
from typing import Final

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser import css_values as css
from guarded_webfetch.parser.colours import colours_in
from guarded_webfetch.parser.computed import MIN_OPACITY, State, Style
from guarded_webfetch.parser.css_values import VIEWPORT_HEIGHT, VIEWPORT_WIDTH

FAR_PX: Final = 400.0  # this far outside nothing of a text box is left inside
_FAR_RIGHT_PX: Final = 3_000.0
_BLURRED_PX: Final = 20.0  # no letter of usual size survives
_CALL: Final = re.compile(r"([a-z0-9-]+)\(([^()]*)\)")
_SEPARATOR: Final = re.compile(r"[\s,]+")
_ANGLE: Final = re.compile(r"(-?[\d.]+)(deg|turn|rad|grad)")
_DEGREES: Final = {"deg": 1.0, "turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
_PATH_NUMBER: Final = re.compile(r"-?[\d.]+")


def subtree_technique(style: Style, state: State) -> Technique | None:
    """Why nothing inside the element can be seen, whatever its children say."""
    if style.get("display") == "none":
        return "display_none"
    if style.get("content-visibility") == "hidden":
        return "visibility"
    if state.opacity < MIN_OPACITY:
        return "opacity"
    return (
        _filter(style, state)
        or _mask(style)
        or _clip(style, state)
        or _box(style, state)
        or _off_screen(style, state)
        or _transform(style, state)
    )


def _filter(style: Style, state: State) -> Technique | None:
    for name, argument in _CALL.findall(style.get("filter")):
        amount = css.length(argument.strip(), state.font_px, 1.0) if argument.strip() else None
        if amount is None:
            continue
        if name == "opacity" and amount * state.opacity < MIN_OPACITY:
            return "opacity"
        if name == "blur" and amount >= _BLURRED_PX:
            return "opacity"
        if (name == "contrast" and amount < MIN_OPACITY) or (name == "brightness" and amount >= 10):
            return "colour"
    return None


def _mask(style: Style) -> Technique | None:
    image = style.get("mask-image") + style.get("mask")
    colours = colours_in(image) if "gradient(" in image else []
    if colours and all(one.alpha < MIN_OPACITY for one in colours):
        return "mask"
    return "mask" if image and re.match(r"0(?:px|%)?(?:\s|$)", style.get("mask-size")) else None


def _clip(style: Style, state: State) -> Technique | None:
    rect = re.fullmatch(r"rect\(([^()]*)\)", style.get("clip"))
    if rect and style.get("position") in ("absolute", "fixed") and _is_empty_rect(rect[1], state):
        return "clip"
    match = _CALL.search(style.get("clip-path")) if style.get("clip-path") else None
    return "clip" if match and _is_empty_shape(match[1], match[2].strip(), state) else None


def _is_empty_rect(edges_text: str, state: State) -> bool:
    edges = [css.length(part, state.font_px, 100.0) for part in _SEPARATOR.split(edges_text.strip())]
    if len(edges) != 4 or None in edges:
        return False
    top, right, bottom, left = (edge or 0.0 for edge in edges)
    return bottom - top <= 1 or right - left <= 1


def _is_empty_shape(name: str, arguments: str, state: State) -> bool:
    """A basic shape of CSS Shapes without an inside. Percentages count as of a box of 100 pixels."""
    parts = [css.length(part, state.font_px, 100.0) for part in _SEPARATOR.split(arguments.partition(" at ")[0])]
    sizes = [part for part in parts if part is not None]
    match name:
        case "inset":
            percent = "%" in arguments and bool(sizes)
            sides = (
                [sizes[0], sizes[1 % len(sizes)], sizes[2 % len(sizes)] if len(sizes) != 3 else sizes[2]]
                if percent
                else []
            )
            left = sizes[3] if len(sizes) == 4 else sides[1] if sides else 0
            return percent and (sides[0] + sides[2] >= 99 or sides[1] + left >= 99)
        case "circle" | "ellipse":
            return bool(sizes) and min(sizes) <= 0.5
        case "rect":
            return _is_empty_rect(arguments, state)
        case "xywh":
            return len(sizes) >= 4 and min(sizes[2:4]) <= 0.5
        case "polygon":
            return _area(arguments, state) <= 1
        case "path":
            return len(_PATH_NUMBER.findall(arguments)) < 6 and not re.search(r"[hvacqst]", arguments[2:], re.I)
    return False


def _area(points_text: str, state: State) -> float:
    points = []
    for point in points_text.removeprefix("evenodd,").removeprefix("nonzero,").split(","):
        places = [css.length(part, state.font_px, 100.0) for part in point.split()]
        if len(places) != 2 or places[0] is None or places[1] is None:
            return math.inf
        points.append((places[0], places[1]))
    following = [*points[1:], *points[:1]]
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(points, following, strict=True))) / 2


def _box(style: Style, state: State) -> Technique | None:
    """A box too small for a letter that cuts what overflows. Padding makes room (aspect-ratio boxes)."""
    overflow = style.get("overflow-x") + style.get("overflow-y")
    cuts = any(word in overflow for word in ("hidden", "clip", "auto", "scroll"))
    contained = any(word in style.get("contain") for word in ("paint", "strict", "content"))
    if not (cuts or contained) or style.length("padding-bottom", 16.0) or style.length("padding-top", 16.0):
        return None
    width = _least(style, state, "width", VIEWPORT_WIDTH)
    height = _least(style, state, "height", VIEWPORT_HEIGHT)
    if width <= 2 and height <= 2 and style.get("position") in ("absolute", "fixed"):
        return "sr_only"
    return "size" if width <= 2 or height <= 2 or (width <= 12 and height <= 12) else None


def _least(style: Style, state: State, side: str, whole: float) -> float:
    """The largest a side may be: the smaller of its size and its maximum, but never less than its minimum."""
    sizes = [style.length(name, state.font_px, VIEWPORT_WIDTH) for name in (side, "max-" + side)]
    least = style.length("min-" + side, state.font_px, VIEWPORT_WIDTH) or 0.0
    return max(least, min((size for size in sizes if size is not None and size >= 0), default=whole))


def _off_screen(style: Style, state: State) -> Technique | None:
    font_px = state.font_px
    indent = style.length("text-indent", font_px)
    if indent is not None and abs(indent) >= FAR_PX:
        return "off_screen"
    margins = [style.length(name, font_px) for name in ("margin-left", "margin-top")]
    if any(margin is not None and margin <= -1000 for margin in margins):
        return "off_screen"
    position = style.get("position")
    if position not in ("absolute", "fixed", "relative"):
        return None
    left, right = style.length("left", font_px), style.length("right", font_px)
    top, bottom = (style.length(name, font_px, VIEWPORT_HEIGHT) for name in ("top", "bottom"))
    if any(edge is not None and edge <= -FAR_PX for edge in (left, right, top, bottom)):
        return "off_screen"
    fixed = position == "fixed"
    beyond = [(left, VIEWPORT_WIDTH if fixed else _FAR_RIGHT_PX)]
    beyond += [(right, VIEWPORT_WIDTH)] if position != "relative" else []  # no page scrolls to the left of its edge
    beyond += [(top, VIEWPORT_HEIGHT), (bottom, VIEWPORT_HEIGHT)] if fixed else []
    return "off_screen" if any(edge is not None and edge >= limit for edge, limit in beyond) else None


def _transform(style: Style, state: State) -> Technique | None:
    placed = style.get("position") in ("absolute", "fixed")
    for name, arguments in _CALL.findall(style.get("transform")):
        parts = [part.strip() for part in arguments.split(",")]
        if name.startswith("translate") and _moves_away(parts[:2], state, placed):
            return "transform"
        if name.startswith("scale") and any(_is_zero(part) for part in parts[:2]):
            return "transform"
        if name.startswith(("rotate", "skew")) and _on_edge(name[-1], parts[0], style):
            return "transform"
        if name == "matrix" and _matrix_hides(parts):
            return "transform"
    if _moves_away(style.get("translate").split()[:2], state, placed):
        return "transform"
    turned = style.get("rotate").split()
    if len(turned) == 2 and turned[0] in ("x", "y") and _on_edge(turned[0], turned[1], style):
        return "transform"
    return "transform" if any(_is_zero(part) for part in style.get("scale").split()) else None


def _on_edge(axis: str, angle: str, style: Style) -> bool:
    """Turned so that only an edge, or a back that is not drawn, faces the person. A turn in the plane hides nothing."""
    match = _ANGLE.fullmatch(angle)
    if not match or axis not in "xyw":
        return False
    degrees = round(float(match[1]) * _DEGREES[match[2]], 2) % 360
    return degrees in (90.0, 270.0) or (degrees == 180.0 and style.get("backface-visibility") == "hidden")


def _matrix_hides(parts: list[str]) -> bool:
    numbers = [css.length(part) for part in parts]
    if len(numbers) != 6 or None in numbers:
        return False
    a, b, c, d, x, y = (number or 0.0 for number in numbers)
    return abs(a * d - b * c) < 0.001 or min(x, y) <= -FAR_PX or x >= _FAR_RIGHT_PX


def _is_zero(value: str) -> bool:
    number = css.length(value, percent_of=1.0)
    return number is not None and abs(number) < 0.02


def _moves_away(parts: list[str], state: State, placed: bool) -> bool:
    for part in parts:
        if part.endswith("%"):
            # A percentage is of the element itself: only a placed element at the edge leaves the window with it.
            share = css.length(part, state.font_px, 100.0)
            if share is not None and placed and share <= -100:
                return True
            continue
        distance = css.length(part, state.font_px)
        if distance is not None and abs(distance) >= FAR_PX:
            return True
    return False
