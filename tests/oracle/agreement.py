"""What the parser calls visible, against what a browser shows."""

import gzip
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_BODY_BYTES
from guarded_webfetch.parser import formulas, hidden, tree
from guarded_webfetch.parser.clean import collapse
from guarded_webfetch.parser.decode import decode
from tests.oracle import generate
from tests.oracle.browser import Browser

MIN_STRING: Final = 25
MAX_STRING: Final = 150
STRINGS_A_PAGE: Final = 12
# Elements whose text is a matter of rules, not of sight: closed parts are delivered apart, the rest never as text.
RULED: Final = frozenset((
    "script", "style", "title", "noscript", "template", "select", "datalist", "iframe", "object", "video", "audio", "canvas",
    "math", "svg", "details", "dialog", "rp",
))  # fmt: skip


class Judged(NamedTuple):
    """One string with both answers. `where` names the case or the page."""

    where: str
    string: str
    ours: bool
    seen: bool

    @property
    def agrees(self) -> bool:
        return self.ours == self.seen


class Page(NamedTuple):
    """The text the parser leaves on a page, and whether it is sure of it."""

    text: str
    unsure: bool


def read(html: str) -> Page | None:
    """The page as the parser parts it; None when there is nothing in it."""
    page = tree.parse(html)
    if page is None:
        return None
    formulas.unify(page.root)
    split = hidden.split(page.root)
    tree.drop_all(part for part in page.root.iter("details") if part.get("open") is None)
    text = tree.text_of(page.root)
    return Page(text, split.is_unsure_of(text))


def judge_cases(browser: Browser, cases: list[generate.Case]) -> Iterator[Judged]:
    """Every case of the generator, a few on each page, but for one that is too far down to be drawn."""
    for html, part in generate.pages(cases):
        ours = read(html)
        seen = browser.visible(html, [case.string for case in part])
        for case in (case for case in part if case.string in seen):
            yield Judged(case.said, case.string, ours is not None and case.string in ours.text, seen[case.string])


def judge_page(browser: Browser, html: str, where: str, seed: int = 0) -> tuple[list[Judged], bool]:
    """Some strings of a page, those that the parser hides among them, and whether the parser was unsure of the page."""
    ours = read(html)
    if ours is None:
        return [], False
    strings = _strings(html, ours.text, random.Random(f"{seed} {where}"))
    seen = browser.visible(html, strings)
    return [
        Judged(where, string, string in ours.text, seen[string]) for string in strings if string in seen
    ], ours.unsure


def judge_files(browser: Browser, paths: Iterable[Path]) -> tuple[list[Judged], list[Judged]]:
    """Strings of whole pages (compressed files), and apart those of pages that the parser is unsure of or that show nothing."""
    judged: list[Judged] = []
    apart: list[Judged] = []
    for path in paths:
        data = path.read_bytes()
        body = gzip.decompress(data) if path.suffix == ".gz" else data
        html, _ = decode(body[:MAX_BODY_BYTES], None, "html", truncated=False)
        found, unsure = judge_page(browser, html, path.name)
        plain = not unsure and any(one.seen for one in found)
        (judged if plain else apart).extend(found)
    return judged, apart


def _strings(html: str, text: str, chance: random.Random) -> list[str]:
    """Strings that stand once on the page, half of them of those that the parser hides as far as there are any."""
    page = tree.parse(html)
    found = [] if page is None else [string for string in _runs(page.root) if MIN_STRING <= len(string) <= MAX_STRING]
    once = [string for string in dict.fromkeys(found) if sum(string in other for other in found) == 1]
    away = [string for string in once if string not in text]
    kept = [string for string in once if string in text]
    chosen = chance.sample(away, min(len(away), STRINGS_A_PAGE // 2))
    return chosen + chance.sample(kept, min(len(kept), STRINGS_A_PAGE - len(chosen)))


def _runs(root: tree.Element) -> Iterable[str]:
    for element in tree.elements_of(root):
        ruled = element.tag in RULED or any(True for _ in element.iterancestors(*RULED))
        if not ruled:
            yield collapse(element.text or "")
        if element.tail and not any(True for _ in element.iterancestors(*RULED)):
            yield collapse(element.tail)


def report(judged: list[Judged]) -> str:
    """Counts, and a line for each string both answers differ on."""
    differing = [one for one in judged if not one.agrees]
    share = 100 * (1 - len(differing) / max(1, len(judged)))
    lines = [f"{'leaked' if one.ours else 'lost'}: {one.where}: {one.string}" for one in differing]
    return "\n".join([*lines, f"agreement {share:.2f} % of {len(judged)} strings"])
