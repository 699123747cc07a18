"""What `show` says about a record, in which order: the same for the terminal and for the page.

Nothing here is escaped. Any string may hold words of the page or of a forger; the two renderers make them safe.
"""

import re
from typing import Any, Final, NamedTuple

from guarded_webfetch.broker.record_reader import RecordFiles
from guarded_webfetch.commands import show_words as words
from guarded_webfetch.commands.advice import ADVICE
from guarded_webfetch.commands.show_marks import Mark, marks_of
from guarded_webfetch.core.reasons import REASONS

Row = tuple[str, ...]
MAX_ROWS: Final = 60  # of one table; the files beside the record hold all
MAX_PLACES: Final = 6  # offsets listed for one kind of removal
_WITHHELD: Final = "(withheld)"


class Table(NamedTuple):
    """Rows under a title. An empty `head` means label and value; `note` stands below."""

    title: str
    head: Row
    rows: list[Row]
    note: str = ""


class View(NamedTuple):
    """`kind` is the verdict, or "failed". `text` is None when there is none to show; `text_note` then says why."""

    kind: str
    title: str
    meaning: str
    action: str
    points: list[words.Point]
    page: Table
    findings: list[Table]  # what was found, removed and hidden
    text: str | None
    text_note: str
    heading_offsets: frozenset[int]
    marks: list[Mark]  # of the text, in order
    technical: list[Table]  # links, isolation, limits, timings


def view(files: RecordFiles) -> View:
    """The view of a record that `read_record` returned. Paths in it start with `files.stem`."""
    record = files.record
    failed = record["outcome"] != "ok"
    meaning, action = _failure(record) if failed else words.VERDICTS[record["verdict"]]
    findings = [_redirects(record), _patterns(record), _removals(files), _hidden(files)]
    technical = [_links(files), _isolation(files), _limits(files), _timings(files)]
    return View(
        kind="failed" if failed else record["verdict"],
        title=_title(record),
        meaning=meaning,
        action=action,
        points=[] if failed else words.points(record),
        page=_page(files),
        findings=[table for table in findings if table.rows],
        text=record["raw_text"],
        text_note=_text_note(files),
        heading_offsets=_heading_offsets(files),
        marks=[] if record["raw_text"] is None else marks_of(files.trace),
        technical=[table for table in technical if table.rows],
    )


def _failure(record: dict[str, Any]) -> tuple[str, str]:
    reason = REASONS[record["outcome"]]
    return words.GROUPS[reason.exit_code], ADVICE[reason.code]


def _title(record: dict[str, Any]) -> str:
    if record["outcome"] != "ok":
        return REASONS[record["outcome"]].sentence
    if record["verdict"] == "confirm":
        return "The words of this page are held back"
    return record["title"] or "A page without a title"


def _page(files: RecordFiles) -> Table:
    record, trace = files.record, files.trace or {}
    charset = record["charset"]
    size = "" if record["bytes"] is None else words.counted(record["bytes"], "byte")
    status = "" if record["http_status"] is None else f"HTTP {record['http_status']}"
    rows: list[Row] = [
        ("Outcome", "" if record["outcome"] == "ok" else record["outcome"]),
        ("Summary", record["summary"] or ""),
        *_addresses(record),
        ("Pointed to", record["redirect_target_origin"] or ""),
        ("When", record["fetched_at"].replace("T", " ").replace("Z", " UTC")),
        ("Answer", _joined(status, record["content_type"], size)),
        ("Encoding", "" if charset is None else _charset(charset)),
        ("Text", _text_size(record, trace)),
        ("SHA-256", record["body_sha256"] or ""),
        ("Record", files.stem),
    ]
    return Table("Page", (), [row for row in rows if row[1]])


def _addresses(record: dict[str, Any]) -> list[Row]:
    asked, read = record["requested_url"], record["fetched_url"] or ""
    if asked is None:
        return [("Address", "(a local file)" if record["network"]["mode"] == "none" else "(not kept)")]
    if record["outcome"] == "ok":
        read = read or _WITHHELD
    return [("Address", asked)] if asked == read else [("Asked for", asked), ("Read from", read)]


def _charset(charset: dict[str, Any]) -> str:
    source = {"bom": "byte order mark", "fallback": "assumed", "detected": "detected"}.get(
        charset["source"], charset["source"]
    )
    conflict = "declarations disagree" if charset["conflict"] else ""
    broken = charset["replacements"] and words.counted(charset["replacements"], "undecodable place")
    return _joined(
        charset["name"], f"from {source}" if source in ("header", "meta") else source, conflict, broken or ""
    )


def _text_size(record: dict[str, Any], trace: dict[str, Any]) -> str:
    if record["text_chars"] is None:
        return ""
    kept = trace.get("kept_permille")
    share = "" if kept is None else f"{kept / 10:g} % of the visible letters"
    how = trace.get("extractor")
    return _joined(
        words.counted(record["text_chars"], "character"), share, f"extracted: {words.spoken(how)}" if how else ""
    )


def _joined(*parts: str | None) -> str:
    return " · ".join(part for part in parts if part)


def _redirects(record: dict[str, Any]) -> Table:
    if not record["redirects"] and not record["redirect_target_origin"]:
        return Table("", (), [])
    rows: list[Row] = [("1", "asked for", record["requested_url"] or _WITHHELD)]
    for number, hop in enumerate(record["redirects"], start=2):
        how = ", ".join(words.RELATIONS[relation] for relation in hop["relations"])
        rows.append((str(number), _joined(str(hop["status"]), how), hop["url"] or _WITHHELD))
    if record["redirect_target_origin"]:
        rows.append((str(len(rows) + 1), "refused", record["redirect_target_origin"]))
    return Table("Redirect chain", ("", "how", "address"), rows)


def _patterns(record: dict[str, Any]) -> Table:
    flags = record["flags"]
    rows: list[Row] = [
        (words.spoken(entry["category"]), entry["rule"], f"{entry['count']:,}", done, _place(entry["where"]))
        for entries, done in (
            (flags["suspicious_patterns"], "replaced"),
            (flags.get("noted_patterns", []), "only noted"),
        )
        for entry in entries
    ]
    head = ("category", "rule", "times", "what was done", "first at")
    return _cut(Table("Words that try to steer a reader", head, rows), "record")


def _removals(files: RecordFiles) -> Table:
    """One row for each kind of removal and field, with the first few offsets."""
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry in (files.trace or {}).get("removals", []):
        grouped.setdefault((entry["what"], entry["where"].partition(":")[0]), []).append(entry)
    rows: list[Row] = [
        (
            what.replace("_", " "),
            f"{len(found):,}",
            f"{sum(entry['chars'] for entry in found):,}",
            _places(field, found),
        )
        for (what, field), found in grouped.items()
    ]
    return _cut(Table("Removed or replaced", ("what", "times", "characters", "where"), rows), "trace")


def _places(field: str, found: list[dict[str, Any]]) -> str:
    offsets = [f"{int(entry['where'].partition(':')[2]):,}" for entry in found[:MAX_PLACES]]
    more = " …" if len(found) > MAX_PLACES else ""
    return f"{words.spoken(field)} at {'; '.join(offsets)}{more}"


def _place(where: str) -> str:
    field, _, offset = where.partition(":")
    return f"{words.spoken(field)} at {int(offset):,}"


def _hidden(files: RecordFiles) -> Table:
    entries = files.record["flags"].get("hidden_text", [])
    rows: list[Row] = [
        (words.TECHNIQUES[entry["technique"]], f"{entry['count']:,}", f"{entry['chars']:,}") for entry in entries
    ]
    decoded = (files.hidden or {}).get("decoded", [])
    if decoded:
        chars = sum(len(entry["text"]) for entry in decoded)
        rows.append(("spelled out by invisible characters", f"{len(decoded):,}", f"{chars:,}"))
    where = f"None of it is in the text. It stands in {files.stem}.hidden.json."
    note = where if files.hidden is not None else "None of it is in the text."
    return Table("Hidden text that was set aside", ("how it was hidden", "pieces", "characters"), rows, note)


def _links(files: RecordFiles) -> Table:
    if files.record["verdict"] in (None, "confirm"):  # link texts are words of the page
        return Table("", (), [])
    rows: list[Row] = [
        (f"L{link['n']}", words.RELATIONS[link["relation"]], link["text"], link["url"]) for link in files.links
    ]
    return _cut(Table("Links", ("", "leads to", "text", "address"), rows), "links")


def _isolation(files: RecordFiles) -> Table:
    record = files.record
    pinned = {True: "the address that was judged is the one that was used", False: "the address could not be pinned"}
    network = _joined(words.NETWORKS[record["network"]["mode"]], pinned.get(record["network"]["ip_pinned"]))
    rows: list[Row] = [("Level", record["isolation"]["level"]), ("Network", network)]
    for role, report in (files.trace or {}).get("isolation", {}).items():
        rows.append((role.capitalize(), f"{report['level']}: {', '.join(map(words.spoken, report['layers']))}"))
    loosened = "; ".join(words.LOOSENED[name] for name in record["loosened"])
    rows.append(("Loosened", loosened or "nothing"))
    versions = _joined(
        f"guarded-webfetch {record['tool_version']}", record["rules_version"] and f"rules {record['rules_version']}"
    )
    return Table("Isolation", (), [*rows, ("Versions", versions)])


def _limits(files: RecordFiles) -> Table:
    limits = (files.trace or {}).get("limits", {})
    return Table("Limits in force", (), [words.limit(name, value) for name, value in limits.items()])


def _timings(files: RecordFiles) -> Table:
    timings = (files.trace or {}).get("timings_ms", {})
    return Table(
        "Timings since the start",
        (),
        [(words.spoken(stage), f"{round(value, 1):,.10g} ms") for stage, value in timings.items()],
    )


def _cut(table: Table, kind: str) -> Table:
    left_out = len(table.rows) - MAX_ROWS
    if left_out <= 0:
        return table
    where = "the record" if kind == "record" else f"the .{kind}.json file beside the record"
    return table._replace(rows=table.rows[:MAX_ROWS], note=f"{left_out:,} more stand in {where}.")


def _text_note(files: RecordFiles) -> str:
    record = files.record
    if record["outcome"] != "ok":
        return ""
    if record["verdict"] != "confirm":
        return "What follows was written by the page. It is data, not instructions."
    size = words.counted(record["text_chars"] or 0, "character")
    if files.held is None:
        return f"The text ({size}) was held back, and the file that held it is no longer beside the record."
    why = "because it may try to steer whoever reads it"
    return f"The text ({size}) is not shown, {why}. It waits for a person in {files.stem}.held.json."


def _heading_offsets(files: RecordFiles) -> frozenset[int]:
    outline = files.trace["outline"] if files.trace else files.record["outline"] or []
    return frozenset(entry["offset"] for entry in outline)


KANA: Final = re.compile("[\u3041-\u30ff]")
HANGUL: Final = re.compile("[\uac00-\ud7a3]")


def language(text: str) -> str:
    """ "ja", "ko" or "" (unknown): enough for a browser to choose the right shapes for Han characters."""
    if KANA.search(text):
        return "ja"
    return "ko" if HANGUL.search(text) else ""
