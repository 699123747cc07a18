"""Computed style as far as it decides whether a person sees the text of an element."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser import css_values as css
from guarded_webfetch.parser.colours import BLACK, TRANSPARENT, WHITE, Colour, colour, colours_in, distance, over
from guarded_webfetch.parser.css_values import VIEWPORT_WIDTH
from guarded_webfetch.parser.longhands import GLOBAL, OPEN_SHORTHANDS, expand
from guarded_webfetch.parser.stylesheet import Declarations
from guarded_webfetch.parser.tree import Element, tag_of

# A pixel oracle calls text visible from a channel difference of 24 on; nobody reads below that.
MIN_CONTRAST: Final = 24
MIN_FONT_PX: Final = 4.0
MIN_OPACITY: Final = 0.1
_LEAST_RELATIVE_PX: Final = 6.0  # Chromium draws no smaller than this what is sized by its parent
_VAR: Final = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_KEYWORD_SIZES: Final = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0, "xx-large": 32.0,
    "initial": 16.0,
}  # fmt: skip
_MAX_VAR_DEPTH: Final = 5


class State(NamedTuple):
    """What children inherit, and what lies behind the text."""

    font_px: float = 16.0
    colour: Colour = BLACK
    fill: Colour | None = None
    background: Colour | None = WHITE  # None: an image, unknown
    background_is_default: bool = True  # that of the page: what lies between it and the text may be painted elsewhere
    visible: bool = True
    clips_background: bool = False
    opacity: float = 1.0  # of the element and all above it
    custom: dict[str, str] = {}  # noqa: RUF012 - never changed in place


class Style:
    """The winning values of one element, variables resolved."""

    def __init__(self, declared: Declarations, custom: dict[str, str]) -> None:
        own = {name: value for name, (value, _) in declared.items() if name.startswith("--")}
        self.custom = {**custom, **own} if own else custom
        self._values = {name: value for name, (value, _) in declared.items() if value and not name.startswith("--")}
        for name in self._values.keys() & OPEN_SHORTHANDS:  # they hold a variable, known only now
            for longhand, value in expand(name, self.get(name)):
                self._values.setdefault(longhand, value)

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

    def has(self, *names: str) -> bool:
        """Whether one of the properties is set, if only to a variable that the page does not define."""
        return any(self._values.get(name) for name in names)

    def length(self, name: str, font_px: float, percent_of: float = VIEWPORT_WIDTH) -> float | None:
        value = self.get(name)
        return css.length(value, font_px, percent_of) if value else None

    def number(self, name: str) -> float | None:
        """A plain number or a percentage as a share."""
        value = self.get(name)
        return css.length(value, percent_of=1.0) if value else None


def inherit(parent: State, element: Element, style: Style) -> State:
    """The state of `element` from that of its parent and its own style."""
    if not style and style.custom is parent.custom:
        return parent
    colour_now = _colour(style.get("color"), parent.colour)
    background, default = _background(style, parent)
    return State(
        _font_px(style, parent.font_px),
        colour_now,
        _fill(style, tag_of(element), colour_now, parent.fill),
        background,
        default,
        _is_visible(style.get("visibility"), parent.visible),
        "text" in (style.get("background-clip") + style.get("background")) or parent.clips_background,
        parent.opacity * _opacity(style),
        style.custom,
    )


def _colour(value: str, inherited: Colour) -> Colour:
    found = BLACK if value == "initial" else colour(value) if value else None
    return inherited if found is None else found


def _fill(style: Style, tag: str, colour_now: Colour, inherited: Colour | None) -> Colour | None:
    """What paints letters instead of `color`: a fill, or an outline of a visible colour around empty letters."""
    value = style.get("-webkit-text-fill-color") or (style.get("fill") if tag in ("text", "tspan", "g", "svg") else "")
    fill = inherited
    if value == "currentcolor":
        fill = colour_now
    elif value:
        fill = TRANSPARENT if value == "none" else colour(value) or inherited
    if (share := style.number("fill-opacity")) is not None and share < MIN_OPACITY:
        fill = TRANSPARENT
    stroke = [one for one in colours_in(style.get("-webkit-text-stroke")) if one.alpha >= MIN_OPACITY]
    return stroke[0] if stroke and (fill or colour_now).alpha < MIN_OPACITY else fill


def _is_visible(value: str, inherited: bool) -> bool:
    if value in ("hidden", "collapse"):
        return False
    return True if value in ("visible", "initial") else inherited


def _font_px(style: Style, inherited: float) -> float:
    value = style.get("font-size")
    size = inherited
    if value in _KEYWORD_SIZES:
        size = _KEYWORD_SIZES[value]
    elif value and value not in GLOBAL:
        found = css.length(value, inherited, inherited)
        size = inherited if found is None or found < 0 else found
        if 1 <= size < _LEAST_RELATIVE_PX and value.endswith(("em", "%", "ex", "ch")) and "(" not in value:
            size = _LEAST_RELATIVE_PX
    zoom = style.number("zoom")
    return size * zoom if zoom else size


def _opacity(style: Style) -> float:
    """Of the element alone. What an animation begins with is not what it ends with."""
    if style.get("animation") not in ("", "none") or style.get("animation-name") not in ("", "none"):
        return 1.0
    value = style.number("opacity")
    return 1.0 if value is None else max(0.0, min(1.0, value))


def _background(style: Style, parent: State) -> tuple[Colour | None, bool]:
    value = " ".join(
        filter(None, (style.get("background-color"), style.get("background"), style.get("background-image")))
    )
    if not value or value in ("none", "transparent", "inherit", "initial"):
        unresolved = not value and style.has("background-color", "background", "background-image")
        return parent.background, parent.background_is_default or unresolved  # a variable that sheets outside may set
    colours = colours_in(value)
    if "url(" in value or "image(" in value:
        return None, False
    if "gradient(" in value:
        same = bool(colours) and all(distance(colours[0], other) < MIN_CONTRAST for other in colours)
        return (colours[0] if same and colours[0].alpha > 0.9 else None), False
    if not colours:
        return parent.background, parent.background_is_default
    painted = colours[0]
    if painted.alpha < 0.05:
        return parent.background, parent.background_is_default
    if painted.alpha < 1 and parent.background is None:
        return None, False
    thin = painted.alpha < 0.5  # what lies behind decides
    return over(painted, parent.background or WHITE), parent.background_is_default and thin


def own_text_technique(state: State) -> Technique | None:
    """Why the text directly inside an element with this state cannot be seen."""
    if not state.visible:
        return "visibility"
    if state.font_px < MIN_FONT_PX:
        return "size"
    paint = state.fill or state.colour
    if state.clips_background:
        return None
    if paint.alpha * state.opacity < MIN_OPACITY:
        return "colour"
    return "colour" if state.background is not None and is_faint(paint, state.background) else None


@lru_cache(1_024)
def is_faint(paint: Colour, background: Colour) -> bool:
    """Whether nobody can tell letters in `paint` from what lies behind them."""
    return distance(over(paint, background), background) < MIN_CONTRAST
