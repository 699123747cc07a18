"""What was counted while cleaning: invisible characters by class, smuggled payloads, forged marks, removals."""

from guarded_webfetch.core.messages import Decoded, InvisibleClass
from guarded_webfetch.text import smuggled, unicode
from guarded_webfetch.text.active import COUNTED
from guarded_webfetch.text.edits import Edit, Passage
from guarded_webfetch.text.marks import WHAT, forged, in_heading

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
        self._active: dict[str, int] = {}
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

    def marks(self, text: str, *, code: bool = False, heading: int = 0) -> list[Edit]:
        """Edits that neutralise forged marks; nothing is counted before `count` saw what remains of them."""
        structured = not self.soft_hyphens
        return (
            in_heading(text, heading, structured=structured)
            if heading
            else forged(text, code=code, structured=structured)
        )

    def count(self, edits: list[Edit]) -> None:
        """Counts forged marks and active markup among the edits that are carried out."""
        for edit in edits:
            if edit.what in COUNTED:
                self._active[edit.what] = self._active.get(edit.what, 0) + 1
        self.forged_marks += sum(edit.what == WHAT for edit in edits)

    def active_markup(self) -> list[list[str | int]]:
        return [[kind, self._active[kind]] for kind in COUNTED if kind in self._active]

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
