"""Looks that no style sheet gives: attributes that act as style, a browser's own sheet, boxes that cover what lies before them."""

from typing import Final

from guarded_webfetch.parser import css_values as css
from guarded_webfetch.parser.colours import colours_in
from guarded_webfetch.parser.computed import Style
from guarded_webfetch.parser.longhands import GLOBAL
from guarded_webfetch.parser.stylesheet import Declarations
from guarded_webfetch.parser.tree import Element, tag_of

_DRAWN: Final = frozenset(("text", "tspan", "g", "svg"))
_DRAWING_ATTRIBUTES: Final = ("fill", "fill-opacity", "opacity", "visibility", "display", "font-size")
_BROWSER: Final[dict[str, Declarations]] = {  # of colours only: a link in white text is still blue
    "a": {"color": ("#0000ee", False)},
    "mark": {"color": ("black", False), "background-color": ("yellow", False)},
    "button": {"color": ("black", False), "background-color": ("#efefef", False), "font-size": ("13.333px", False)},
    "html": {},
    "body": {},
    "font": {},
}
_SHAPES: Final = ("rect", "path", "circle", "ellipse", "polygon", "image", "use", "line")
TAGS: Final = _DRAWN | frozenset(_BROWSER)  # where the tag counts, or attributes of that tag
ATTRIBUTES: Final = frozenset(("bgcolor", "color", "text", "hidden", "href", *_DRAWING_ATTRIBUTES))


def covers(style: Style) -> bool:
    """An opaque box laid over all of its parent."""
    if style.get("position") != "absolute" or (level_of(style) or 0) < 0:
        return False
    full = all(style.length(name, 16.0) == 0 for name in ("top", "left", "right", "bottom"))
    sized = style.get("width") == "100%" and style.get("height") == "100%" and style.length("top", 16.0) == 0
    painted = colours_in(style.get("background-color") + " " + style.get("background"))
    opaque = bool(painted) and painted[0].alpha > 0.9 and "url(" not in style.get("background")
    return (full or sized) and opaque and (style.number("opacity") or 1.0) > 0.9


def level_of(style: Style, *, in_boxes: bool = False) -> int | None:
    """The z-index of a placed element, 0 when it has none; None for an element in the flow, which is painted below them.

    `in_boxes`: the parent is a flex or grid container, whose items take a z-index as if they were placed (CSS Flexbox, section 4.3).
    """
    if style.get("position") in ("", "static") or style.get("position") in GLOBAL:
        number = css.length(style.get("z-index")) if in_boxes and style.get("z-index") else None
        return None if number is None else int(number)
    number = css.length(style.get("z-index")) if style.get("z-index") else 0
    return int(number or 0)


def presentational(element: Element) -> Declarations:
    """What is weaker than any rule of the page (HTML standard, section 15)."""
    tag = tag_of(element)
    found: Declarations = dict(_BROWSER.get(tag, {})) if tag != "a" or element.get("href") is not None else {}
    names = {"bgcolor": "background-color"}
    if tag in ("font", "body"):
        names |= {"color": "color", "text": "color"}
    if tag in _DRAWN:
        names |= {name: name for name in _DRAWING_ATTRIBUTES}
    for attribute, name in names.items():
        if value := element.get(attribute):
            found[name] = (value.strip().lower(), False)
    if tag in ("text", "tspan") and outside_drawing(element):
        found["display"] = ("none", False)
    if tag == "svg" and (drawn := drawing(element)):
        found.update({"empty": {"display": ("none", False)}, "painted": {"background-image": ("url()", False)}}[drawn])
    return found


def outside_drawing(element: Element) -> bool:
    """Text placed beyond the size its drawing declares."""
    svg = next(element.iterancestors("svg"), None)
    if svg is None:
        return False
    for place, side in (("x", "width"), ("y", "height")):
        at, size = css.length(element.get(place) or ""), css.length(svg.get(side) or "")
        if at is not None and size and not (-5 <= at <= size + 5):
            return True
    return False


def drawing(svg: Element) -> str:
    """What an `svg` with text in it does to it: "empty" when it has no size, "painted" when shapes may lie behind the text."""
    if next(svg.iter("text", "foreignobject"), None) is None:
        return ""
    if any(css.length(svg.get(side) or "") == 0 for side in ("width", "height")):
        return "empty"
    return "painted" if next(svg.iter(*_SHAPES), None) is not None else ""
