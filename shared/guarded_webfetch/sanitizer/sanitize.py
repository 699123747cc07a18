"""One order, one answer: clean, match, replace, mark, cut. Pure: the process around it is `main.py`."""

from collections.abc import Iterator, Sequence
from typing import Final

from guarded_webfetch.core.messages import Removal, Sanitized, SanitizeOrder
from guarded_webfetch.rules import RULES_VERSION
from guarded_webfetch.sanitizer.body import Body, Part, clean_body
from guarded_webfetch.sanitizer.cutting import Delivered, deliver
from guarded_webfetch.sanitizer.findings import HIT, Findings, Fragment, Match
from guarded_webfetch.sanitizer.placeholders import Placeholders
from guarded_webfetch.sanitizer.printer import Style, print_body, print_verbatim
from guarded_webfetch.sanitizer.side_texts import (
    clean_hidden,
    clean_link_texts,
    clean_payloads,
    clean_source,
    clean_title,
    match_urls,
)
from guarded_webfetch.sanitizer.tally import Tally
from guarded_webfetch.text.edits import Edit, Note, Passage, apply, merge, widened
from guarded_webfetch.text.patterns import Matcher
from guarded_webfetch.text.summary import summarize

MAX_REMOVALS: Final = 10_000  # rows of the trace


def sanitize(order: SanitizeOrder, matcher: Matcher) -> Sanitized:
    """Everything the sanitizer may say about `order`."""
    tally = Tally(soft_hyphens=order["kind"] == "text")
    findings = Findings(matcher)
    markdown = order["kind"] == "text" and len(order["blocks"]) == 1
    placeholders = Placeholders(order["links"], markdown=markdown, keep=order["link_style"] == "inline")
    body = clean_body(order, tally)
    findings.page = "\n".join([order["title"] or "", *_texts(body)])
    matches = _edit_body(body, findings, tally, placeholders)
    delivered = _print(body, order)
    _report(matches, delivered, findings)
    title = clean_title(order["title"], findings, tally, placeholders)
    link_texts = clean_link_texts(order["links"], findings, tally)
    hidden = clean_hidden(order["hidden"], findings, tally)
    payloads = clean_payloads(tally.payloads(), findings, tally)
    url_matches = match_urls(order["urls"], findings)
    raw_html, raw_html_cut, source_notes = clean_source(order["source"], findings)
    classes = tally.classes(payloads)
    return {
        "title": title,
        "summary": _summary(body) if order["summary"] == "extractive" else None,
        "raw_text": delivered.text,
        "raw_html": raw_html,
        "outline": delivered.outline,
        "link_texts": link_texts,
        "bare_links": placeholders.found,
        "hidden": hidden,
        "decoded": payloads,
        "suspicious_patterns": findings.patterns(strong=True),
        "noted_patterns": findings.patterns(strong=False),
        "invisible_chars": classes,
        "had_invisible_chars": bool(classes),
        "forged_marks": tally.forged_marks,
        "active_markup": tally.active_markup(),
        "truncated": delivered.truncated or body.truncated,
        "scan_incomplete": findings.budget.incomplete,
        "raw_html_truncated": raw_html_cut,
        "url_matches": url_matches,
        "removals": [*_removals("raw_text", delivered.notes), *_removals("source", source_notes)][:MAX_REMOVALS],
        "rules_version": RULES_VERSION,
    }


def _texts(body: Body) -> Iterator[str]:
    return (part.passages[number].text for part, number in body.passages())


def _edit_body(body: Body, findings: Findings, tally: Tally, placeholders: Placeholders) -> list[Match]:
    """Replaces strong matches, URLs of prose and forged marks in every passage; the matches, each noted at its place."""
    places = list(body.passages())
    fragments = [
        Fragment(part.passages[n].text, part.is_code, [note.offset for note in part.passages[n].notes])
        for part, n in places
    ]
    matches = findings.scan(fragments)
    by_place: dict[int, list[tuple[int, Match]]] = {}
    for number, match in enumerate(matches):
        by_place.setdefault(match.fragment, []).append((number, match))
    for place, (part, n) in enumerate(places):
        found = by_place.get(place, ())
        part.matched = part.matched or bool(found)
        part.passages[n] = _edited(part, part.passages[n], found, tally, placeholders)
    return matches


def _edited(
    part: Part, passage: Passage, found: Sequence[tuple[int, Match]], tally: Tally, placeholders: Placeholders
) -> Passage:
    filtered = [match.edit() for _, match in found if match.judged.strong]
    addresses: list[Edit] = [] if part.is_code else placeholders.edits(passage)
    edits = merge(
        widened(filtered, addresses), addresses, tally.marks(passage.text, code=part.is_code, heading=part.heading)
    )
    tally.count(edits)
    if found:
        notes = sorted(
            [*passage.notes, *(Note(match.start, f"{HIT}{number}", 0) for number, match in found if match.first)]
        )
        passage = passage._replace(notes=notes)
    return apply(passage, edits)


def _print(body: Body, order: SanitizeOrder) -> Delivered:
    if order["verbatim"]:
        return deliver(print_verbatim(body.parts))
    return deliver(print_body(body.parts, Style(order["link_style"] == "inline", order["links"])))


def _report(matches: Sequence[Match], delivered: Delivered, findings: Findings) -> None:
    """Counts the matches that lie in the delivered text, each at its offset there."""
    for note in delivered.notes:
        if note.what.startswith(HIT):
            findings.report(matches[int(note.what.removeprefix(HIT))].judged, f"raw_text:{note.offset}")


def _removals(where: str, notes: Sequence[Note]) -> list[Removal]:
    return [
        {"where": f"{where}:{note.offset}", "what": note.what, "chars": note.chars}
        for note in notes
        if not note.what.startswith(HIT)
    ]


def _summary(body: Body) -> str | None:
    return summarize(
        part.passages[0].text
        for part in body.parts
        if part.block["kind"] == "paragraph"
        and not part.matched
        and not part.block.get("quote")
        and not part.block.get("inside")
    )
