"""Writes blocks as HTML: own tags only, one attribute (href of a store's URL), everything else escaped."""

import html
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, Protocol

from guarded_webfetch.evidence.draft import Block, Style, pieces

_WRAPPED: Final = {"blockquote": ("<blockquote>", "</blockquote>"), "row": ("<table>", "</table>")}

_STYLES: Final[tuple[Style, ...]] = ("code", "em", "strong")  # from the inside


class Target(Protocol):
    """An item as a writer sees it: a cleaned title and where it leads."""

    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str | None: ...


def write_html(blocks: Sequence[Block], targets: Mapping[int, Target]) -> str:
    """Lines of HTML; a line end stands between any two blocks, so that no text runs together without its tags."""
    lines: list[str] = []
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        if kind == "li":
            lines += _list_lines(list(group), targets)
            continue
        before, after = _WRAPPED.get(kind, ("", ""))
        body = [_block(block, targets) for block in group]
        lines += [*filter(None, [before]), *body, *filter(None, [after])]
    return "\n".join(lines) + "\n" if lines else ""


def _block(block: Block, targets: Mapping[int, Target]) -> str:
    text = _inline(block, targets)
    if block.kind == "row":
        return "<tr>" + "".join(f"<td>{cell}</td>\n" for cell in text.split("\t")) + "</tr>"
    if block.kind == "blockquote":
        return f"<p>{text}</p>"
    return f"<pre>{text}</pre>" if block.kind == "pre" else f"<{block.kind}>{text}</{block.kind}>"


def _list_lines(items: Sequence[Block], targets: Mapping[int, Target]) -> Iterator[str]:
    """Nested lists stand inside the item before them, as HTML wants it."""
    open_lists: list[str] = []
    for item in items:
        depth = min(item.depth, len(open_lists))  # one level at a time
        tag = "ol" if item.ordered else "ul"
        while len(open_lists) > depth + 1:
            yield f"</li>\n</{open_lists.pop()}>"
        if len(open_lists) == depth + 1:
            yield "</li>"
            if open_lists[-1] != tag:
                yield f"</{open_lists.pop()}>"
        if len(open_lists) == depth:
            open_lists.append(tag)
            yield f"<{tag}>"
        yield f"<li>{_inline(item, targets)}"
    while open_lists:
        yield f"</li>\n</{open_lists.pop()}>"


def _inline(block: Block, targets: Mapping[int, Target]) -> str:
    """The text with its styles, each stretch between two borders wrapped whole: nothing can be nested wrongly."""
    parts: list[str] = []
    for piece in pieces(block):
        written = html.escape(piece.text, quote=False) if piece.number is None else _link(targets[piece.number])
        for kind in _STYLES:
            written = f"<{kind}>{written}</{kind}>" if kind in piece.styles else written
        parts.append(written)
    return "".join(parts).strip("\n" if block.kind == "pre" else " \n")


def _link(target: Target) -> str:
    title = html.escape(target.title, quote=False)
    return f'<a href="{html.escape(target.url)}">{title}</a>' if target.url else title
