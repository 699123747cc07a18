"""Style sheets as flat rules: nesting, media, supports and layers resolved, declarations that cannot hide anything left out."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.parser.conditions import media, supports
from guarded_webfetch.parser.css_values import split_list, unescape
from guarded_webfetch.parser.longhands import expand

PROPERTIES: Final = frozenset((
    "display", "visibility", "opacity", "font-size", "font", "position", "left", "right", "top", "bottom", "inset",
    "inset-inline-start", "inset-inline-end", "inset-block-start", "inset-block-end", "clip", "clip-path", "-webkit-clip-path",
    "text-indent", "width", "height", "max-width", "max-height", "min-width", "min-height", "inline-size", "block-size",
    "max-inline-size", "max-block-size", "min-inline-size", "min-block-size", "overflow", "overflow-x", "overflow-y",
    "overflow-inline", "overflow-block", "contain", "color", "background", "background-color", "background-image",
    "background-clip", "-webkit-background-clip", "transform", "-webkit-transform", "translate", "scale", "rotate", "filter",
    "-webkit-filter", "content-visibility", "zoom", "margin-left", "margin-top", "margin", "margin-inline", "margin-block",
    "margin-inline-start", "margin-block-start", "-webkit-text-fill-color", "-webkit-text-stroke", "mask", "mask-image",
    "mask-size", "-webkit-mask-image", "-webkit-mask", "-webkit-mask-size", "animation", "animation-name", "animation-fill-mode",
    "-webkit-animation", "-webkit-animation-name", "z-index", "fill", "fill-opacity", "padding", "padding-top",
    "padding-bottom", "padding-block-start", "padding-block-end", "backface-visibility", "-webkit-backface-visibility", "all",
))  # fmt: skip
_MATTERS: Final = re.compile(
    # Words in the names of PROPERTIES, and what could hide one from this look: a comment, an escape, a variable.
    r"display|visib|opacity|font|position|left|right|top|bottom|inset|clip|indent|width|height|overflow|color|background"
    r"|inline|block|size|contain|stroke|all|transform|translate|scale|rotate|filter|zoom|margin|mask|animation|z-index|fill|padding|/\*|\\|--",
    re.I,
)
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
# An unclosed string ends with its line; matching it as well keeps the search linear.
_STRING: Final = re.compile(  # an escaped quote outside of strings begins none (`.before\:content-\[\'\'\]`)
    r"\\.|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*(?:\"|\\?$)|'[^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|\\?$)", re.S | re.M
)
_BRACES: Final = re.compile(r"[{};]")
_BRACE: Final = re.compile(r"([{}])")
_AT_NAME: Final = re.compile(r"@[\w-]+")
_LAYER_ORDER: Final = re.compile(r"@layer\s+([^;{}]+);", re.I)
_IMPORTANT: Final = re.compile(r"\s*!\s*important$")
_SKIPPED_AT: Final = re.compile(
    r"@(?:-\w+-)?(?:keyframes|font-face|page|property|counter-style|font-feature-values|view-transition|starting-style)"
)
_MAX_DEPTH: Final = 8
_MAX_VALUE_CHARS: Final = 2_000
_MAX_NESTED_SELECTORS: Final = 50

Declarations = dict[str, tuple[str, bool]]  # property: (value, important)


class Rule(NamedTuple):
    """One selector list with its body. `layer` is 0 for the first layer; unlayered rules stand above all layers."""

    selectors: list[str]
    body: str
    layer: int
    uncertain: bool  # below a condition that cannot be judged here


class _Block(NamedTuple):
    selectors: list[str] | None  # None: an at-rule around other rules
    skipped: bool
    uncertain: bool
    layer: int


UNLAYERED: Final = 1_000_000


def declarations(text: str) -> Declarations:
    """The declarations of a rule body or a style attribute that could matter to visibility."""
    found: Declarations = {}
    text = _COMMENT.sub("", text)
    for part in text.split(";"):
        written, _, value = part.partition(":")
        name = unescape(written.strip())
        name = name if name.startswith("--") else name.lower()
        if not value or (name not in PROPERTIES and not name.startswith("--")):
            continue
        value = unescape(value[:_MAX_VALUE_CHARS].strip()).lower()
        plain = _IMPORTANT.sub("", value) if value.endswith("important") else value
        important = len(plain) < len(value)
        for longhand, single in [(name, plain)] if name.startswith("--") else expand(name, plain):
            if important or not found.get(longhand, ("", False))[1]:
                found[longhand] = (single, important)
    return found


def rules(text: str, layers: dict[str, int] | None = None) -> Iterator[Rule]:
    """All rules that apply to a screen of the usual size, in order of appearance. `layers` holds those of earlier sheets."""
    layers = {} if layers is None else layers
    if "/*" in text:
        text = _COMMENT.sub("", text)
    text = _STRING.sub(lambda match: _BRACES.sub(" ", match[0]), text)  # no structure in strings and escapes
    stack: list[_Block] = [_Block(None, False, False, UNLAYERED)]
    pieces = _BRACE.split(text)
    for piece, brace in zip(pieces[::2], pieces[1::2], strict=False):
        cut = piece.rfind(";") + 1 if brace == "{" else len(piece)
        if "@layer" in piece[:cut]:
            _name_layers(stack[-1], piece[:cut], layers)
        yield from _rule(stack[-1], piece[:cut])
        if brace == "{":
            stack.append(_open(stack[-1], piece[cut:].strip(), layers, len(stack)))
        elif len(stack) > 1:
            stack.pop()


def _rule(block: _Block, body: str) -> Iterator[Rule]:
    if block.selectors and not block.skipped and ":" in body:
        yield Rule(block.selectors, body, block.layer, block.uncertain)


def _open(outer: _Block, prelude: str, layers: dict[str, int], depth: int) -> _Block:
    if outer.skipped or depth > _MAX_DEPTH:
        return outer._replace(skipped=True)
    if not prelude.startswith("@"):
        return outer._replace(selectors=_nest(outer.selectors, prelude))
    match = _AT_NAME.match(prelude)
    name, condition = (match[0].lower(), prelude[match.end() :].strip()) if match else ("", "")
    if _SKIPPED_AT.match(name):
        return outer._replace(skipped=True)
    if name == "@layer":
        full = _layer_name(outer, condition or f" {len(layers)}", layers)
        return outer._replace(layer=layers.setdefault(full, len(layers)))
    if name == "@scope":
        return outer._replace(selectors=_nest(outer.selectors, condition.partition(" to ")[0].strip("() ")))
    applies = {"@media": media, "@supports": supports}.get(name, lambda _: None)(condition.lower())
    return outer._replace(skipped=applies is False, uncertain=outer.uncertain or applies is None)


def _name_layers(outer: _Block, statements: str, layers: dict[str, int]) -> None:
    """`@layer a, b;` fixes the order before the layers are filled."""
    for match in _LAYER_ORDER.finditer(statements):
        for name in match[1].split(","):
            layers.setdefault(_layer_name(outer, name.strip(), layers), len(layers))


def _layer_name(outer: _Block, name: str, layers: dict[str, int]) -> str:
    around = next((full for full, number in layers.items() if number == outer.layer), "")
    return f"{around}.{name}" if around else name


def _nest(outer: list[str] | None, prelude: str) -> list[str]:
    selectors = [part.strip() for part in split_list(prelude)]
    if outer is None:
        return selectors
    nested = [
        inner.replace("&", parent).replace(":scope", parent)
        if "&" in inner or ":scope" in inner
        else f"{parent} {inner}"
        for parent in outer
        for inner in selectors
    ]
    return nested[:_MAX_NESTED_SELECTORS]


def may_matter(text: str) -> bool:
    """Cheap look at a style attribute: whether it could set one of PROPERTIES."""
    return _MATTERS.search(text) is not None
