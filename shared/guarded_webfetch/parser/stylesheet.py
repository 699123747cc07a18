"""Style sheets as flat rules: nesting, media, supports and layers resolved, declarations that cannot hide anything left out."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.parser.css_values import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, length, split_list, unescape

PROPERTIES: Final = frozenset((
    "display", "visibility", "opacity", "font-size", "font", "position", "left", "right", "top", "bottom", "inset",
    "clip", "clip-path", "text-indent", "width", "height", "max-width", "max-height", "overflow", "overflow-x",
    "overflow-y", "color", "background", "background-color", "background-image", "background-clip",
    "-webkit-background-clip", "transform", "translate", "scale", "rotate", "filter", "content-visibility", "zoom",
    "margin-left", "margin-top", "margin", "-webkit-text-fill-color", "mask", "mask-image", "-webkit-mask-image",
    "-webkit-mask", "animation", "animation-name", "z-index", "fill", "fill-opacity", "padding", "padding-top",
    "padding-bottom", "backface-visibility", "background-position",
))  # fmt: skip
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
# An unclosed string ends with its line; matching it as well keeps the search linear.
_STRING: Final = re.compile(
    r"\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*(?:\"|\\?$)|'[^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|\\?$)", re.S | re.M
)
_BRACES: Final = re.compile(r"[{};]")
_BRACE: Final = re.compile(r"([{}])")
_IMPORTANT: Final = re.compile(r"\s*!\s*important$")
_SKIPPED_AT: Final = re.compile(
    r"@(?:-\w+-)?(?:keyframes|font-face|page|property|counter-style|font-feature-values|view-transition)"
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
        if important or not found.get(name, ("", False))[1]:
            found[name] = (plain, important)
    return found


def rules(text: str) -> Iterator[Rule]:
    """All rules that apply to a screen of the usual size, in order of appearance."""
    if "/*" in text:
        text = _COMMENT.sub("", text)
    text = _STRING.sub(lambda match: _BRACES.sub(" ", match[0]), text)
    stack: list[_Block] = [_Block(None, False, False, UNLAYERED)]
    layers: dict[str, int] = {}
    pieces = _BRACE.split(text)
    for piece, brace in zip(pieces[::2], pieces[1::2], strict=False):
        cut = piece.rfind(";") + 1 if brace == "{" else len(piece)
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
    name, _, condition = prelude.partition(" ")
    name, condition = name.lower().partition("(")[0], prelude[len(name.partition("(")[0]) :].strip()
    if _SKIPPED_AT.match(name):
        return outer._replace(skipped=True)
    if name == "@layer":
        return outer._replace(layer=layers.setdefault(condition, len(layers)))
    applies = {"@media": _media, "@supports": _supports}.get(name, lambda _: None)(condition.lower())
    return outer._replace(skipped=applies is False, uncertain=outer.uncertain or applies is None)


def _nest(outer: list[str] | None, prelude: str) -> list[str]:
    selectors = [part.strip() for part in split_list(prelude)]
    if outer is None:
        return selectors
    nested = [
        inner.replace("&", parent) if "&" in inner else f"{parent} {inner}" for parent in outer for inner in selectors
    ]
    return nested[:_MAX_NESTED_SELECTORS]


def _supports(condition: str) -> bool | None:
    """Browsers support what sheets ask for; a condition that begins with `not` is for older ones."""
    return not condition.startswith("not")


def _media(condition: str) -> bool | None:
    """Whether one of the queries applies; None when that cannot be told."""
    results = [_media_query(query.strip()) for query in condition.split(",")]
    return True if True in results else None if None in results else False


def _media_query(query: str) -> bool | None:
    negated = query.startswith("not ")
    parts = [part.strip(" ()") for part in re.split(r"\band\b", query.removeprefix("not ").removeprefix("only "))]
    results = [_media_feature(part) for part in parts if part]
    result: bool | None = False if False in results else None if None in results else True
    return result if result is None or not negated else not result


def _media_feature(part: str) -> bool | None:
    if part in ("screen", "all"):
        return True
    if part in ("print", "speech", "tty", "tv", "handheld"):
        return False
    name, _, value = (piece.strip() for piece in part.partition(":"))
    pixels = length(value) if value else None
    match name:
        case "min-width" | "min-height":
            side = VIEWPORT_WIDTH if name == "min-width" else VIEWPORT_HEIGHT
            return None if pixels is None else pixels <= side
        case "max-width" | "max-height" | "max-device-width":
            side = VIEWPORT_HEIGHT if name == "max-height" else VIEWPORT_WIDTH
            return None if pixels is None else pixels >= side
        case "prefers-color-scheme" | "prefers-reduced-motion" | "forced-colors" | "prefers-contrast":
            return value in ("light", "no-preference", "none")
        case "hover" | "any-hover":
            return value != "none"
        case "pointer" | "any-pointer":
            return value == "fine"
        case "orientation":
            return value == "landscape"
        case "scripting":
            return value in ("", "enabled")
    return None
