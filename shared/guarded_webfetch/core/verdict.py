"""The verdict: the first group with a reason decides, and every reason is listed.

It is computed from the finished flags alone, so a record can be checked against itself.
"""

from collections.abc import Mapping
from typing import Any, Final

# Hidden in a way that only serves to hide from people. What every site hides (menus, labels for screen readers, templates, parts
# of an interface that wait for their turn) is set aside and counted as well, but an ordinary page stays safe: a verdict that is
# always "notice" tells nobody anything.
CONCEALING: Final = frozenset(
    {
        "size", "opacity", "colour", "off_screen", "clip", "transform", "overlay", "mask",
        "pdf_render_mode", "pdf_layer", "pdf_actual_text",
    }
)  # fmt: skip

MIN_CONCEALED_CHARS: Final = 20  # of all such texts together: less is a sign or a button, and no instruction

# Nearly every third ordinary page has a frame (a film, a counter) or a form. Both are counted and neither is delivered.
ORDINARY_MARKUP: Final = frozenset({"frame", "form"})

_CONFIRM: Final = ("suspicious_patterns", "scan_incomplete")
_INCOMPLETE: Final = ("truncated", "depth_limited", "pdf_partly_scanned")
_NOTICE: Final = (
    "redirected", "length_unknown", "had_invisible_chars", "forged_marks", "charset_suspect", "meta_refresh",
    "likely_spa", "hidden_check_incomplete", "pdf_invisible_text_layer", "isolation_degraded",
)  # fmt: skip

GROUPS: Final = ("safe", "notice", "incomplete", "confirm")  # rising


def decide(flags: Mapping[str, Any], network: Mapping[str, Any]) -> tuple[str, list[str]]:
    """(verdict, reasons) of a successful record's flags and network."""
    confirm = [name for name in _CONFIRM if flags.get(name)]
    incomplete = [name for name in _INCOMPLETE if flags.get(name)]
    notice = [name for name in _NOTICE if flags.get(name)]
    if any(entry["kind"] not in ORDINARY_MARKUP for entry in flags.get("active_markup", ())):
        notice.append("active_markup")
    concealed = [entry["chars"] for entry in flags.get("hidden_text", ()) if entry["technique"] in CONCEALING]
    if sum(concealed) >= MIN_CONCEALED_CHARS:
        notice.append("concealed_text")
    if network.get("ip_pinned") is False:
        notice.append("ip_not_pinned")
    verdict = "confirm" if confirm else "incomplete" if incomplete else "notice" if notice else "safe"
    return verdict, confirm + incomplete + notice


def at_least(verdict: str, level: str) -> bool:
    """Whether `verdict` is `level` or worse."""
    return GROUPS.index(verdict) >= GROUPS.index(level)
