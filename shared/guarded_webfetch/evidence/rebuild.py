"""A draft and a store in, a page out: read, clean, expand, complete, write. Never sanitized, always built anew."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from guarded_webfetch.evidence.cleaning import clean_block, clean_text
from guarded_webfetch.evidence.draft import Block, Item
from guarded_webfetch.evidence.html_draft import read_html
from guarded_webfetch.evidence.html_page import write_html
from guarded_webfetch.evidence.markdown_draft import read_markdown
from guarded_webfetch.evidence.markdown_page import write_markdown
from guarded_webfetch.evidence.placeholders import OBJECT

MAX_MENTIONS: Final = 5  # links to one item; a draft that repeats a placeholder must not fill the page

_READERS: Final = {"html": read_html, "markdown": read_markdown}
_WRITERS: Final = {"html": write_html, "markdown": write_markdown}


class StoreItem(NamedTuple):
    """What a placeholder of its number expands to. Without a `url` the title stands alone."""

    number: int
    title: str
    url: str | None
    date: str = ""  # YYYY-MM-DD
    excerpt: str = ""


class Wanted(NamedTuple):
    """How a page is built. `kinds` are those of OPTIONAL_KINDS that may appear."""

    format: str = "html"
    language: str = "en"
    complete: bool = True
    kinds: frozenset[str] = frozenset()


def build(draft: str, store: Sequence[StoreItem], wanted: Wanted) -> str:
    """The page. Every link in it is a URL of `store`. Raises UnstableText when a text cannot be brought to rest."""
    titles = {item.number: item._replace(title=clean_text(item.title, wanted.language)) for item in store}
    mentions = dict.fromkeys(titles, 0)

    def resolve(number: int) -> bool:
        if number not in mentions or mentions[number] >= MAX_MENTIONS:
            return False
        mentions[number] += 1
        return True

    drafted = [clean_block(block, wanted.language, resolve) for block in _READERS[wanted.format](draft)]
    blocks = [_allowed(block, wanted.kinds) for block in drafted if block.text.strip()]
    linked = {item.number for block in blocks for item in block.items}
    if wanted.complete:
        blocks += [Block("li", OBJECT, items=(Item(0, number),)) for number in titles if number not in linked]
    return _WRITERS[wanted.format](blocks, titles)


def _allowed(block: Block, kinds: frozenset[str]) -> Block:
    """A block of a kind that is not wanted becomes a paragraph with the same words."""
    if "code" not in kinds:
        block = block._replace(styles=tuple(style for style in block.styles if style.style != "code"))
    if block.kind == "row" and "table" not in kinds:
        return block._replace(kind="p", text=block.text.replace("\t", " "))
    return block._replace(kind="p") if block.kind in ("pre", "blockquote") and block.kind not in kinds else block
