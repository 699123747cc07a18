"""What was counted while cleaning: invisible characters by class, smuggled payloads, forged marks, removals."""

from guarded_webfetch.core.messages import Decoded, InvisibleClass
from guarded_webfetch.text import smuggled, unicode
from guarded_webfetch.text.edits import Edit, Passage, merge
from guarded_webfetch.text.marks import WHAT, forged

_ENCODED_CLASSES = {
    "tags": ("tags",),
    "variation_selectors": ("variation_selectors",),
    "zero_width_binary": ("zero_width", "invisible_operators", "bidi"),
}


class Tally:
    """One for each order. `soft_hyphens`: whether they stay (plain text) or are dropped (layout hints of HTML and PDF)."""

    def __init__(self, *, soft_hyphens: bool) -> None:
        self.soft_hyphens = soft_hyphens
        self.counts: dict[str, int] = {}
        self.forged_marks = 0
        self._tags = ""
        self._selectors = ""
        self._zero_width = ""

    def clean(self, passage: Passage) -> Passage:
        """`passage` without invisible characters, counted."""
        cleaned = unicode.clean(passage, keep_soft_hyphens=self.soft_hyphens)
        for name, count in cleaned.counts.items():
            self.counts[name] = self.counts.get(name, 0) + count
        self._tags += cleaned.payload.tags
        self._selectors += cleaned.payload.selectors
        self._zero_width += cleaned.payload.zero_width
        return cleaned.passage

    def marks(self, text: str, *, code: bool = False) -> list[Edit]:
        """Edits that neutralise forged marks; not counted before `count_marks` saw what remains of them."""
        return forged(text, code=code)

    def count_marks(self, edits: list[Edit]) -> None:
        self.forged_marks += sum(edit.what == WHAT for edit in edits)

    def neutralised(self, text: str) -> str:
        """A cleaned short text (title, link text, hidden text) with forged marks neutralised and counted."""
        edits = merge(self.marks(text))
        self.count_marks(edits)
        parts: list[str] = []
        place = 0
        for edit in edits:
            parts += (text[place : edit.start], edit.text)
            place = edit.end
        return "".join(parts) + text[place:]

    def payloads(self) -> list[Decoded]:
        return list(smuggled.decode(unicode.Payload(self._tags, self._selectors, self._zero_width)))

    def classes(self, payloads: list[Decoded]) -> list[InvisibleClass]:
        """The counts, most frequent first; `decoded_chars` where a payload was read from characters of the class."""
        read: dict[str, int] = {}
        for payload in payloads:
            candidates = [name for name in _ENCODED_CLASSES.get(payload["encoding"], ()) if name in self.counts]
            if candidates:
                read[max(candidates, key=self.counts.__getitem__)] = len(payload["text"])
        names = sorted(self.counts, key=lambda name: (-self.counts[name], name))
        return [{"class": name, "count": self.counts[name], "decoded_chars": read.get(name, 0)} for name in names]
