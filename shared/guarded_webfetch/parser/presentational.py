"""Looks that no style sheet gives: attributes that act as style, places in a drawing, boxes that cover what lies before them."""

from guarded_webfetch.parser import css_values as css
from guarded_webfetch.parser.computed import Style
from guarded_webfetch.parser.stylesheet import Declarations
from guarded_webfetch.parser.tree import Element, tag_of


def covers(style: Style) -> bool:
    """An opaque box laid over all of its parent."""
    if style.get("position") != "absolute" or style.get("z-index").startswith("-"):
        return False
    full = style.get("inset") in ("0", "0px") or all(
        style.length(name, 16.0) == 0 for name in ("top", "left", "right", "bottom")
    )
    sized = style.get("width") == "100%" and style.get("height") == "100%" and style.length("top", 16.0) == 0
    painted = css.colours_in(style.get("background-color") + " " + style.get("background"))
    opaque = bool(painted) and painted[0].alpha > 0.9 and "url(" not in style.get("background")
    return (full or sized) and opaque and (style.number("opacity") or 1.0) > 0.9


def presentational(element: Element) -> Declarations:
    """Attributes that act as the weakest style (HTML standard, section 15)."""
    found: Declarations = {}
    tag = tag_of(element)
    names = {"bgcolor": "background-color"}
    if tag in ("font", "body"):
        names |= {"color": "color", "text": "color"}
    if tag in ("text", "tspan", "g"):
        names |= {
            "fill": "fill",
            "fill-opacity": "fill-opacity",
            "opacity": "opacity",
            "visibility": "visibility",
            "display": "display",
        }
    for attribute, name in names.items():
        if value := element.get(attribute):
            found[name] = (value.strip().lower(), False)
    if tag in ("text", "tspan") and _outside_svg(element):
        found["display"] = ("none", False)
    return found


def _outside_svg(element: Element) -> bool:
    """Text placed beyond the size its drawing declares."""
    svg = next(element.iterancestors("svg"), None)
    if svg is None:
        return False
    for place, side in (("x", "width"), ("y", "height")):
        at, size = css.length(element.get(place) or ""), css.length(svg.get(side) or "")
        if at is not None and size and not (-5 <= at <= size + 5):
            return True
    return False
