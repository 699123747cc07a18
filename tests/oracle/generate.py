"""Pages made of many ways to hide text, several to a page, the same for the same seed.

techniques/ holds one way a line: declarations that hide (hiding.txt) and look-alikes that do not (benign.txt), and whole
constructions (built.txt: TEXT is the string, CC a class name of its own). None says what it does: the browser does. Not there, and
out of reach without drawing the page: fonts whose glyphs lie, pictures of text, canvases, scroll-driven animations.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

HIDING, BENIGN, BUILT = (
    (Path(__file__).parent / "techniques" / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    for kind in ("hiding", "benign", "built")
)
CASES_A_PAGE: Final = 8
CARRIERS: Final[dict[str, Callable[[str, str], tuple[str, str]]]] = {  # declarations, name -> sheet, attributes
    "inline": lambda found, _: ("", f'style="{found}"'),
    "class": lambda found, name: (f".{name}{{{found}}}", f"class={name}"),
    "id": lambda found, name: (f"#{name}{{{found}}}", f"id={name}"),
    "attribute": lambda found, name: (f"[data-of={name}]{{{found}}}", f"data-of={name}"),
    "media": lambda found, name: (f"@media screen and (min-width:300px){{.{name}{{{found}}}}}", f"class={name}"),
    "layer": lambda found, name: (f"@layer l{{.{name}{{{found}}}}}", f"class={name}"),
    "nesting": lambda found, name: (f"body{{.{name}{{{found}}}}}", f"class={name}"),
    "is": lambda found, name: (f":is(.{name},.other):not(.no){{{found}}}", f'class="x {name}"'),
    "variable": lambda found, name: (
        f".{name}{{" + ";".join(f"--{name}{n}:{one.partition(':')[2]};{one.partition(':')[0]}:var(--{name}{n})"
                               for n, one in enumerate(found.split(";"))) + "}", f"class={name}"),
}  # fmt: skip
NESTS: Final = (
    "<p {0}>{1}</p>", "<div {0}><p>{1}</p></div>", "<div {0}><ul><li><b>{1}</b></li></ul></div>", "<div><div {0}>{1}</div></div>",
    "<ul><li {0}>{1}</li></ul>", "<section {0}>{1}</section>", "<blockquote {0}>{1}</blockquote>", "<div {0}><span>{1}</span></div>",
    "<article><h3 {0}>{1}</h3></article>",
)  # fmt: skip


class Case(NamedTuple):
    """One string with the way it is written. `html` holds its own style elements."""

    string: str
    said: str  # the technique, for a person
    html: str


def cases(seed: int, carriers: int) -> list[Case]:
    """Every technique, each declaration by so many carriers."""
    chance = random.Random(seed)
    found: list[Case] = []
    for said in (*HIDING, *BENIGN):
        names = chance.sample(
            [name for name in CARRIERS if name != "variable" or ("!" not in said and "\\" not in said)], carriers
        )
        for carrier in names:
            number = len(found)
            sheet, attributes = CARRIERS[carrier](said, f"c{number}")
            inside = chance.choice(NESTS).format(attributes, text(number))
            found.append(
                Case(
                    text(number), f"{said} ({carrier}): {inside}", (f"<style>{sheet}</style>" if sheet else "") + inside
                )
            )
    for built in BUILT:
        number = len(found)
        html = built.replace("TEXT", text(number)).replace("CC", f"C{number}").replace("cC", f"c{number}")
        found.append(Case(text(number), built, html))
    return found


def text(number: int) -> str:
    """A string of which no other holds a part."""
    return f"Boat {number:04d} leaves at noon"


def pages(found: list[Case]) -> list[tuple[str, list[Case]]]:
    """Pages with their cases, a few on each, apart from one another."""
    parts = [found[start : start + CASES_A_PAGE] for start in range(0, len(found), CASES_A_PAGE)]
    return [(page(part), part) for part in parts]


def page(part: list[Case]) -> str:
    """One page; sections keep the cases apart, and each begins with a line that everybody sees."""
    frames = "<style>@keyframes appear{from{opacity:0}}</style>"
    head = f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Harbour</title>{frames}</head>"
    sections = [f"<div class=apart><p>The keeper notes {case.string[5:9]}.</p>{case.html}</div>" for case in part]
    return head + "<body style='min-height:1000px'>" + "\n".join(sections) + "</body></html>"
