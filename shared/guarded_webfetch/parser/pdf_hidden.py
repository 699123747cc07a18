"""Which text objects of a PDF page no reader sees.

Facts of the object come first (rendering mode, size, alpha, place, clip). Colours and covers are only suspected from
the list of drawn things and then judged by pixels, so an ordinary page is never drawn. In doubt text is visible: losing
what the page says is worse than keeping what it hides, and what could not be judged is reported.
"""

from typing import Final, NamedTuple

from guarded_webfetch.core.messages import Technique
from guarded_webfetch.parser.pdf_geometry import Box
from guarded_webfetch.parser.pdf_objects import IMAGE, PATH, TEXT, Colour, PageObjects, Shape, Text
from guarded_webfetch.parser.pdf_render import VISIBLE_DIFFERENCE, Canvas, Fonts, RenderTimeoutError, judge, judge_fonts

INVISIBLE_MODE: Final = 3
CLIP_MODE: Final = 7
MIN_SIZE_PT: Final = 2.0  # 1 pt and below is never set for reading; footnotes and map labels start above 3 pt
MIN_PAGE_PT: Final = 3.0  # the smallest page (ISO 32000 annex C.2)
MIN_ALPHA: Final = 26  # a tenth of 255
PAGE_SIZE_SHARE: Final = 0.7  # of the page under images: a scan
LAYER_SHARE: Final = 0.8  # of the text that lies in one invisible layer: made by character recognition
_NEAR: Final = 2 * VISIBLE_DIFFERENCE  # closer to its ground than this: worth drawing
_MIN_SHAPE_PT: Final = 2.0  # thinner shapes are rules and underlines
_OPAQUE: Final = 250
_MAX_PAIRS: Final = 200_000  # texts times shapes compared before drawing is cheaper
_WHITE: Final[Colour] = (255, 255, 255)


class Edge(NamedTuple):
    """Where a text that is only partly shown ends: letters outside `box` are hidden by `technique`."""

    technique: Technique
    box: Box


class Findings(NamedTuple):
    """`techniques` and `edges` go by the address of a text object."""

    techniques: dict[int, Technique]
    edges: dict[int, Edge]
    scan_layer: bool  # the text is the invisible layer of a scan and is kept
    incomplete: bool  # something could not be judged


def find_hidden(canvas: Canvas, objects: PageObjects, *, has_layers: bool) -> Findings:
    """Judges every text of the page. `has_layers`: there may be optional content."""
    techniques = {text.address: how for text in objects.texts if (how := _by_facts(text, objects)) is not None}
    fonts = judge_fonts(canvas, [text for text in objects.texts if text.address not in techniques])
    techniques |= {text.address: "pdf_render_mode" for text in objects.texts if text.font in fonts.blank}
    layer = [text for text in objects.texts if techniques.get(text.address) == "pdf_render_mode"]
    # Text that only clips draws nothing itself, so taking it away changes nothing.
    unjudged = [text for text in objects.texts if text.address not in techniques and text.mode != CLIP_MODE]
    suspects = _suspects(unjudged, objects, has_layers=has_layers)
    try:
        by_pixels = _by_pixels(canvas, objects, suspects, fonts)
    except RenderTimeoutError:
        by_pixels, late = {}, True
    else:
        late = False
    if not _is_scan_layer(layer, objects):  # some programs put the layer under the scan instead
        layer = [text for text in suspects if by_pixels.get(text.address) == "overlay"]
    techniques |= by_pixels
    scan_layer = _is_scan_layer(layer, objects)
    if scan_layer:
        for text in layer:
            del techniques[text.address]
    edges = {text.address: edge for text in unjudged if (edge := _edge(text, objects.box)) is not None}
    return Findings(techniques, edges, scan_layer, incomplete=late or not objects.complete)


def _edge(text: Text, page: Box) -> Edge | None:
    """For a text that runs out of its clip or off the page by a letter and more."""
    if text.clip is not None and _overhang(text.box, text.clip) > text.size:
        return Edge("clip", text.clip)
    if _holds_text(page) and _overhang(text.box, page) > text.size:
        return Edge("off_screen", page)
    return None


def _overhang(inner: Box, outer: Box) -> float:
    """How far `inner` sticks out of `outer` where it does so most."""
    return max(outer.left - inner.left, outer.bottom - inner.bottom, inner.right - outer.right, inner.top - outer.top)


def image_share(objects: PageObjects) -> float:
    """How much of the page lies under images, at most 1 (scans are often cut into strips)."""
    area = objects.box.area()
    covered = sum(shape.box.common(objects.box).area() for shape in objects.shapes if shape.kind == IMAGE)
    return min(1.0, covered / area) if area > 0 else 0.0


def _by_facts(text: Text, objects: PageObjects) -> Technique | None:
    if text.mode == INVISIBLE_MODE:
        return "pdf_render_mode"
    if text.mode == CLIP_MODE and not _painted_later(text, objects.shapes):
        return "pdf_render_mode"
    if text.alpha < MIN_ALPHA:
        return "opacity"
    if _is_tiny(text):
        return "size"
    if _holds_text(objects.box) and text.box.apart(objects.box):
        return "off_screen"
    if text.clip is not None and text.box.apart(text.clip):
        return "clip"
    return None


def _holds_text(page: Box) -> bool:
    """Damaged files have page boxes of no size; nothing is off such a page."""
    return min(page.right - page.left, page.top - page.bottom) >= MIN_PAGE_PT


def _painted_later(text: Text, shapes: list[Shape]) -> bool:
    """Text as a clip path shows what is painted through it: gradient headlines are made this way."""
    return any(shape.order > text.order and not shape.box.apart(text.box) for shape in shapes)


def _is_tiny(text: Text) -> bool:
    """By font size and by box: dots and minus signs are low, and bitmap fonts of TeX have a nominal size below 1."""
    shorter = min(text.box.right - text.box.left, text.box.top - text.box.bottom)
    return text.size < MIN_SIZE_PT and shorter < MIN_SIZE_PT


def _is_scan_layer(layer: list[Text], objects: PageObjects) -> bool:
    total = sum(text.box.right - text.box.left for text in objects.texts)
    share = sum(text.box.right - text.box.left for text in layer)
    return bool(layer) and share >= LAYER_SHARE * total and image_share(objects) >= PAGE_SIZE_SHARE


def _suspects(texts: list[Text], objects: PageObjects, *, has_layers: bool) -> list[Text]:
    shapes = [shape for shape in objects.shapes if _can_matter(shape, objects.box)]
    # White letters on white paper cover what they are written over.
    white = [text for text in texts if text.colour is not None and _near(text.colour, _WHITE)]
    shapes += [Shape(text.order, text.box, TEXT, text.colour, text.alpha) for text in white]
    if len(texts) * len(shapes) > _MAX_PAIRS:
        return texts
    return [text for text in texts if _is_suspect(text, shapes, has_layers=has_layers)]


def _can_matter(shape: Shape, page: Box) -> bool:
    large = min(shape.box.right - shape.box.left, shape.box.top - shape.box.bottom) > _MIN_SHAPE_PT
    return large and shape.alpha >= MIN_ALPHA and not shape.box.apart(page)


def _is_suspect(text: Text, shapes: list[Shape], *, has_layers: bool) -> bool:
    if text.colour is None or _near(text.colour, _WHITE):
        return True
    if text.blended or (has_layers and text.in_form) or any(mark.name == "OC" for mark in text.marks):
        return True
    touching = [shape for shape in shapes if not shape.box.apart(text.box)]
    above = [shape.box.common(text.box).area() for shape in touching if shape.order > text.order]
    if above and sum(above) >= 0.5 * text.box.area():
        return True
    return any(
        shape.colour is None or _near(text.colour, shape.colour) for shape in touching if shape.order < text.order
    )


def _near(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) < _NEAR for a, b in zip(one, other, strict=True))


def _by_pixels(canvas: Canvas, objects: PageObjects, suspects: list[Text], fonts: Fonts) -> dict[int, Technique]:
    found: dict[int, Technique] = {}
    if not suspects:
        return found
    for text, judgement in zip(suspects, judge(canvas, objects, suspects, fonts), strict=True):
        if not judgement.visible:
            found[text.address] = _why_unseen(text, objects.shapes, like_ground=judgement.like_ground)
        elif not judgement.drawn and _is_covered(text, objects.shapes):
            found[text.address] = "overlay"
    return found


def _why_unseen(text: Text, shapes: list[Shape], *, like_ground: bool) -> Technique:
    if any(mark.name == "OC" for mark in text.marks):
        return "pdf_layer"
    if like_ground:
        return "colour"
    if any(shape.order > text.order and not shape.box.apart(text.box) for shape in shapes):
        return "overlay"
    if text.clip is not None:
        return "clip"
    return "pdf_layer" if text.in_form else "opacity"


def _is_covered(text: Text, shapes: list[Shape]) -> bool:
    """For text without glyphs at hand, where drawing tells nothing: an opaque box over all of it, drawn later."""
    return any(
        shape.order > text.order
        and shape.kind == PATH
        and shape.alpha >= _OPAQUE
        and shape.colour is not None
        and shape.box.common(text.box) == text.box
        for shape in shapes
    )
