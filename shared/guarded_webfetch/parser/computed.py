"""Computed style as far as it decides whether a person sees the text of an element."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser import css_values as css
from guarded_webfetch.parser.css_values import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Colour
from guarded_webfetch.parser.stylesheet import Declarations
from guarded_webfetch.parser.tree import Element, tag_of

# A pixel oracle calls text visible from a channel difference of 24 on; nobody reads below that.
MIN_CONTRAST: Final = 24
MIN_FONT_PX: Final = 4.0
MIN_OPACITY: Final = 0.1
FAR_PX: Final = 400.0  # this far outside nothing of a text box is left inside
_FAR_RIGHT_PX: Final = 3_000.0
_VAR: Final = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_FONT_SIZE: Final = re.compile(r"(?:^|\s)([\d.]+(?:px|em|rem|pt|%))(?:/|\s)")
_TRANSFORM: Final = re.compile(r"([a-z0-9]+)\(([^()]*)\)")
_FILTER_OPACITY: Final = re.compile(r"opacity\(\s*([\d.]+)(%?)\s*\)")
_KEYWORD_SIZES: Final = {
    "xx-small": 9,
    "x-small": 10,
    "small": 13,
    "medium": 16,
    "large": 18,
    "x-large": 24,
    "xx-large": 32,
}
_MAX_VAR_DEPTH: Final = 5


class State(NamedTuple):
    """What children inherit, and what lies behind the text."""

    font_px: float = 16.0
    colour: Colour = css.BLACK
    fill: Colour | None = None
    background: Colour | None = css.WHITE  # None: an image, unknown
    background_is_default: bool = True
    visible: bool = True
    clips_background: bool = False
    custom: dict[str, str] = {}  # noqa: RUF012 - never changed in place


class Style:
    """The winning values of one element, variables resolved."""

    def __init__(self, declared: Declarations, custom: dict[str, str]) -> None:
        own = {name: value for name, (value, _) in declared.items() if name.startswith("--")}
        self.custom = {**custom, **own} if own else custom
        self._values = {name: value for name, (value, _) in declared.items() if not name.startswith("--")}

    def __bool__(self) -> bool:
        return bool(self._values)

    def get(self, name: str) -> str:
        """The value of a property, "" when it is not set."""
        value = self._values.get(name, "")
        for _ in range(_MAX_VAR_DEPTH):
            if "var(" not in value:
                break
            value = _VAR.sub(lambda match: self.custom.get(match[1], (match[2] or "").strip()), value)[:500]
        return value

    def length(self, name: str, font_px: float, percent_of: float = VIEWPORT_WIDTH) -> float | None:
        value = self.get(name)
        return css.length(value, font_px, percent_of) if value else None

    def number(self, name: str) -> float | None:
        """A plain number or a percentage as a share."""
        value = self.get(name)
        try:
            return float(value[:-1]) / 100 if value.endswith("%") else float(value) if value else None
        except ValueError:
            return css.length(value)


def inherit(parent: State, element: Element, style: Style) -> State:
    """The state of `element` from that of its parent and its own style."""
    if not style and style.custom is parent.custom:
        return parent
    font_px = _font_px(style, parent.font_px)
    colour = css.colour(style.get("color")) if style.get("color") else None
    fill_value = style.get("-webkit-text-fill-color") or (
        style.get("fill") if tag_of(element) in ("text", "tspan") else ""
    )
    fill = css.TRANSPARENT if fill_value == "none" else css.colour(fill_value) if fill_value else parent.fill
    if (fill_opacity := style.number("fill-opacity")) is not None and fill_opacity < MIN_OPACITY:
        fill = css.TRANSPARENT
    background, default = _background(style, parent)
    visibility = style.get("visibility")
    return State(
        font_px,
        colour or parent.colour,
        fill,
        background,
        default,
        visibility not in ("hidden", "collapse") if visibility and visibility != "inherit" else parent.visible,
        "text" in (style.get("background-clip") + style.get("-webkit-background-clip")) or parent.clips_background,
        style.custom,
    )


def _font_px(style: Style, inherited: float) -> float:
    value = style.get("font-size")
    if not value and (match := _FONT_SIZE.search(style.get("font"))):
        value = match[1]
    size = inherited
    if value in _KEYWORD_SIZES:
        size = float(_KEYWORD_SIZES[value])
    elif value:
        found = css.length(value, inherited, inherited)
        size = inherited if found is None else found
    zoom = style.number("zoom")
    return size * zoom if zoom else size


def _background(style: Style, parent: State) -> tuple[Colour | None, bool]:
    value = " ".join(
        filter(None, (style.get("background-color"), style.get("background"), style.get("background-image")))
    )
    if not value or value in ("none", "transparent", "inherit", "initial"):
        return parent.background, parent.background_is_default
    colours = css.colours_in(value)
    if "url(" in value or "image(" in value:
        return None, False
    if "gradient(" in value:
        same = bool(colours) and all(css.distance(colours[0], other) < MIN_CONTRAST for other in colours)
        return (colours[0] if same and colours[0].alpha > 0.9 else None), False
    if not colours:
        return parent.background, parent.background_is_default
    painted = colours[0]
    if painted.alpha < 0.05:
        return parent.background, parent.background_is_default
    if painted.alpha < 1 and parent.background is None:
        return None, False
    return css.over(painted, parent.background or css.WHITE), False


def own_text_technique(state: State) -> Technique | None:
    """Why the text directly inside an element with this state cannot be seen."""
    if not state.visible:
        return "visibility"
    if state.font_px < MIN_FONT_PX:
        return "size"
    paint = state.fill or state.colour
    if state.clips_background:
        return None
    if paint.alpha < MIN_OPACITY:
        return "colour"
    return "colour" if state.background is not None and _is_faint(paint, state.background) else None


@lru_cache(1_024)
def _is_faint(paint: Colour, background: Colour) -> bool:
    return css.distance(css.over(paint, background), background) < MIN_CONTRAST


def subtree_technique(style: Style, state: State) -> Technique | None:
    """Why nothing inside the element can be seen, whatever its children say."""
    if style.get("display") == "none":
        return "display_none"
    if style.get("content-visibility") == "hidden":
        return "visibility"
    if _opacity(style) < MIN_OPACITY and style.get("animation") in ("", "none") and not style.get("animation-name"):
        return "opacity"
    if "transparent" in style.get("mask-image") + style.get("-webkit-mask-image") + style.get("mask"):
        return "mask"
    return _clip(style, state) or _box(style, state) or _off_screen(style, state) or _transform(style, state)


def _opacity(style: Style) -> float:
    value = style.number("opacity")
    opacity = 1.0 if value is None else value
    match = _FILTER_OPACITY.search(style.get("filter"))
    return opacity * (float(match[1]) / (100 if match[2] else 1)) if match else opacity


def _clip(style: Style, state: State) -> Technique | None:
    rect = re.fullmatch(r"rect\(([^()]*)\)", style.get("clip"))
    if rect and style.get("position") in ("absolute", "fixed"):
        edges = [css.length(part, state.font_px) for part in re.split(r"[\s,]+", rect[1].strip())]
        if len(edges) == 4 and None not in edges:
            top, right, bottom, left = (edge or 0.0 for edge in edges)
            if bottom - top <= 1 or right - left <= 1:
                return "clip"
    path = style.get("clip-path")
    if re.match(r"inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s*0|ellipse\(\s*0|inset\(.*\b100%", path):
        return "clip"
    if match := re.match(r"polygon\(([^()]*)\)", path):
        points = [" ".join(point.split()) for point in match[1].split(",")]
        return "clip" if len({re.sub(r"\b0(?:px|%)", "0", point) for point in points}) < 3 else None
    return None


def _box(style: Style, state: State) -> Technique | None:
    """A box too small for a letter that cuts what overflows. Padding makes room (aspect-ratio boxes)."""
    overflow = style.get("overflow") + style.get("overflow-x") + style.get("overflow-y")
    if not ("hidden" in overflow or "clip" in overflow) or style.get("padding-bottom") or style.get("padding-top"):
        return None
    sizes = [
        style.length(name, state.font_px, VIEWPORT_WIDTH) for name in ("width", "max-width", "height", "max-height")
    ]
    width = min((size for size in sizes[:2] if size is not None), default=VIEWPORT_WIDTH)
    height = min((size for size in sizes[2:] if size is not None), default=VIEWPORT_HEIGHT)
    if width <= 2 and height <= 2 and style.get("position") in ("absolute", "fixed"):
        return "sr_only"
    return "size" if width <= 2 or height <= 2 or (width <= 12 and height <= 12) else None


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
    inset = style.get("inset").split()
    left, right = style.length("left", font_px), style.length("right", font_px)
    top, bottom = (style.length(name, font_px, VIEWPORT_HEIGHT) for name in ("top", "bottom"))
    if inset and top is None:
        top = css.length(inset[0], font_px, VIEWPORT_HEIGHT)
        left = css.length(inset[-1], font_px) if len(inset) in (2, 4) else top
    if any(edge is not None and edge <= -FAR_PX for edge in (left, right, top, bottom)):
        return "off_screen"
    limit = VIEWPORT_WIDTH if position == "fixed" else _FAR_RIGHT_PX
    return "off_screen" if left is not None and left >= limit else None


def _transform(style: Style, state: State) -> Technique | None:
    placed = style.get("position") in ("absolute", "fixed")
    for name, arguments in _TRANSFORM.findall(style.get("transform")):
        parts = [part.strip() for part in arguments.split(",")]
        if name.startswith("translate") and _moves_away(parts[:2], state, placed):
            return "transform"
        if name.startswith("scale") and any(_is_zero(part) for part in parts[:2]):
            return "transform"
        if name in ("rotatex", "rotatey"):
            degrees = float(parts[0][:-3]) % 360 if re.fullmatch(r"-?[\d.]+deg", parts[0]) else 0.0
            if degrees in (90.0, 270.0) or (degrees == 180.0 and style.get("backface-visibility") == "hidden"):
                return "transform"
    if _moves_away(style.get("translate").split()[:2], state, placed):
        return "transform"
    scale = style.get("scale").split()
    return "transform" if scale and any(_is_zero(part) for part in scale) else None


def _is_zero(value: str) -> bool:
    number = css.length(value)
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
