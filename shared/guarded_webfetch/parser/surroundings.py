"""What each element inherits from those around it: what the rules say, how far named parts are, where its branch leaves a line.

Asked for the owners of blocks; each element is looked at once, from the top down, whatever the nesting.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from guarded_webfetch.parser.chrome import names_in
from guarded_webfetch.parser.structural import Candidate
from guarded_webfetch.parser.tree import Element

FAR: Final = 9  # levels up to a part of some name that is not there
_TAG_FAR: Final = 30
_NAMES: Final = (
    frozenset(("comment", "comments", "respond", "reply", "replies", "disqus", "discussion")),
    frozenset((
        "cookie", "cookies", "consent", "gdpr", "modal", "popup", "overlay", "dialog", "lightbox", "drawer", "toast", "notification",
        "notice", "alert",
    )),
    frozenset((
        "product", "products", "item", "items", "price", "pricing", "card", "cards", "tile", "grid", "listing", "list", "results",
        "result", "collection", "catalog",
    )),
    frozenset((
        "toc", "docs", "documentation", "section", "chapter", "faq", "accordion", "tabs", "tab", "panel", "spec", "specs",
        "specification", "details", "feature", "features",
    )),
    frozenset(("footer", "foot", "bottom", "colophon", "copyright", "legal")),
    frozenset((
        "content", "entry", "post", "article", "body", "text", "description", "desc", "prose", "markdown", "story", "copy", "richtext",
        "main",
    )),
)  # fmt: skip


T = TypeVar("T")


class Inherited(Generic[T]):
    """A value for each element: that of the body is given, every other follows from the one above by `below`."""

    def __init__(self, body: Element, top: T, below: Callable[[Element, T], T]) -> None:
        self._known = {body: top}
        self._top = top
        self._below = below

    def of(self, element: Element) -> T:
        """The value for `element`, which is the body or stands below it."""
        waiting: list[Element] = []
        node: Element | None = element
        while node is not None and node not in self._known:
            waiting.append(node)
            node = node.getparent()
        value = self._known[node] if node is not None else self._top
        for node in reversed(waiting):
            value = self._known[node] = self._below(node, value)
        return value


class Ruling(NamedTuple):
    """What the rules say about an element."""

    chrome: bool
    inside: bool  # the main part
    left_out: tuple[bool, ...]  # in comments, a teaser, a repetition, a menu

    @property
    def is_candidate(self) -> bool:
        """Whether the rules take it for content."""
        return self.inside and self.is_beside

    @property
    def is_beside(self) -> bool:
        """Whether no rule speaks against it, in the main part or not."""
        return not self.chrome and not any(self.left_out)


class Way(NamedTuple):
    """From a line of elements (a heading and all around it, say) to an element."""

    steps: int  # levels below the line
    up: int  # levels from the end of the line to where the branch leaves it; -1 when there is no line
    branch: Element | None  # the outermost element beside the line


def rulings(body: Element, candidate: Candidate) -> Inherited[Ruling]:
    def below(element: Element, above: Ruling) -> Ruling:
        marks = zip(above.left_out, candidate.left_out, strict=True)
        return Ruling(
            above.chrome or element in candidate.chrome,
            above.inside or element is candidate.root,
            tuple(mark or element in found for mark, found in marks),
        )

    return Inherited(body, Ruling(False, candidate.root is body, (False,) * len(candidate.left_out)), below)


def levels(body: Element) -> Inherited[tuple[int, ...]]:
    """The levels up to the body, to main, to a footer, and to parts named like _NAMES."""

    def below(element: Element, above: tuple[int, ...]) -> tuple[int, ...]:
        depth, main, footer, *names = (steps + 1 for steps in above)
        tag, role = element.tag, element.get("role")
        main = 0 if tag == "main" or role == "main" else min(main, _TAG_FAR)
        footer = 0 if tag == "footer" or role == "contentinfo" else min(footer, _TAG_FAR)
        own = _named(element.get("class") or "", element.get("id") or "")
        return depth, main, footer, *(0 if has else min(far, FAR) for has, far in zip(own, names, strict=True))

    return Inherited(body, (0, _TAG_FAR, _TAG_FAR, *(FAR for _ in _NAMES)), below)


def ways(body: Element, end: Element | None) -> Inherited[Way]:
    """The ways from the line between `end` and the body."""
    line: dict[Element, int] = {}
    element = end
    while element is not None:
        line[element] = len(line)
        element = element.getparent() if element is not body else None

    def below(element: Element, above: Way) -> Way:
        if element in line:
            return Way(0, line[element], None)
        return Way(above.steps + 1, above.up, element if above.branch is None else above.branch)

    return Inherited(body, Way(0, line.get(body, -1), None), below)


@lru_cache(4_096)
def _named(classes: str, identifier: str) -> tuple[bool, ...]:
    names = names_in(f"{classes} {identifier}") if classes or identifier else frozenset()
    return tuple(not wanted.isdisjoint(names) for wanted in _NAMES)
