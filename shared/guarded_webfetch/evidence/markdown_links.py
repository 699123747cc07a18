"""Takes Markdown's links and images apart: their words stay, their destinations go, and no renderer finds one in what is left."""

import re
from typing import Final

from guarded_webfetch.text import match_view
from guarded_webfetch.text.edits import Edit, merge
from guarded_webfetch.text.lazy_pattern import LazyPattern

_INLINE: Final = LazyPattern(r"!?\[([^\[\]]{0,1000})\]\(((?:[^()\n]|\n(?!\n)|\([^()\n]{0,500}\)){0,2048})\)")
# One word after the colon, perhaps a title: more words are a sentence, and no definition (CommonMark section 4.7).
_DEFINITION: Final = LazyPattern(
    r"(?:^|(?<=\n)) ?\[[^\[\]]{1,1000}\](:)(?: ?\n)? ?((?:<[^<>\n]*>|[^\s<]\S*)?)"
    r"(?: ?\n? ?(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))? ?(?=\n|$)"
)
_IMAGE: Final = LazyPattern(r"!(?=\[)")
# A destination, or nothing else that a sentence would put in brackets: no blank, or an address, or a quoted title.
_DESTINATION: Final = LazyPattern(r"\s?(?:<[^<>\n]*>|[^\s]*[/.:#?@\\%][^\s]*)(?:\s[\"'(].*)?\s?", re.DOTALL)


def unlink(text: str) -> list[Edit]:
    """Edits that leave the words of links. `[1](note)` becomes `[1] (note)`: to a reader the same, to a renderer no link."""
    view = match_view.join_blanks(match_view.fold(text))
    if "[" not in view.text:
        return []
    edits: list[Edit] = []
    for match in _DEFINITION.finditer(view.text):
        edits.append(Edit(*view.source(*match.span(0 if match[2] else 1)), ""))
    for match in _INLINE.finditer(view.text):
        words_end = view.source(match.end(1), match.end(1) + 1)[0]
        if not match[2].strip() or _DESTINATION.compiled.fullmatch(match[2]):
            edits += (
                Edit(view.source(*match.span())[0], view.source(match.start(1) - 1, match.start(1))[1], ""),
                Edit(words_end, view.source(*match.span())[1], ""),
            )
        else:
            edits.append(Edit(words_end + 1, words_end + 1, " "))
    images = [Edit(*view.source(*match.span()), "") for match in _IMAGE.finditer(view.text)]
    return merge(edits, images)
