"""Formulas once: pages carry each formula as MathML, as a TeX annotation and as drawn spans or an image.

The container of all copies is replaced by one `code` element with the TeX source. Nobody sees an annotation, so it is believed only
while it looks like a formula; prose in it stays an annotation, which the hidden split sets aside.
"""

import re
from typing import Final

from lxml import html

from guarded_webfetch.parser.clean import collapse
from guarded_webfetch.parser.tree import Element, classes_of, drop_all, remove, tag_of

_CONTAINERS: Final = frozenset((
    "katex", "katex-display", "mwe-math-element", "mathjax", "mathjax_chtml", "mathjax_svg", "mathjax_display",
    "mjx-container", "ltx_math",
))  # fmt: skip
_PROSE: Final = re.compile(r"(?:\b[A-Za-z]{2,}[,.]?\s+){3}[A-Za-z]{2,}|[^\W\d_a-zA-Z\u0370-\u03ff]{6}")
_TEX: Final = frozenset(("application/x-tex", "text/tex", "latex", "tex", "application/tex"))
_MAX_TEX_CHARS: Final = 2_000
FORMULA_CLASS: Final = "formula"


def unify(root: Element) -> None:
    """Replaces every formula with a TeX source by that source."""
    for script in list(root.iter("script")):
        if (script.get("type") or "").startswith("math/tex"):
            _from_script(script)
    for math in list(root.iter("math")):
        if (tex := _annotation(math)) and math.getroottree().getroot() is root.getroottree().getroot():
            _replace(_container(math), tex)


def _annotation(math: Element) -> str | None:
    for annotation in math.iter("annotation"):
        if (annotation.get("encoding") or "").lower() in _TEX:
            return _formula(annotation.text or "")
    return None


def _formula(text: str) -> str | None:
    tex = collapse(text)
    if not tex or len(tex) > _MAX_TEX_CHARS or _PROSE.search(re.sub(r"\\[a-zA-Z]+", " ", tex)):
        return None
    return tex


def _container(math: Element) -> Element:
    found = math
    for ancestor in math.iterancestors():
        if tag_of(ancestor) == "mjx-container" or not _CONTAINERS.isdisjoint(classes_of(ancestor)):
            found = ancestor
        elif found is not math or tag_of(ancestor) in ("p", "div", "li", "td", "body"):
            break
    return found


def _from_script(script: Element) -> None:
    tex = _formula(script.text or "")
    if tex is None:
        return
    drawn = []
    previous = script.getprevious()
    while previous is not None and any(name.startswith("mathjax") for name in classes_of(previous)):
        drawn.append(previous)
        previous = previous.getprevious()
    drop_all(drawn)
    _replace(script, tex)


def _replace(element: Element, tex: str) -> None:
    parent = element.getparent()
    if parent is None:
        return
    formula = html.Element("code")
    formula.text = tex
    formula.set("class", " ".join((FORMULA_CLASS, *classes_of(element))))
    if style := element.get("style"):
        formula.set("style", style)
    element.addprevious(formula)
    remove(element)
