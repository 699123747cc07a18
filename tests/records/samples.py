"""Sample records as the tool writes them: one for each verdict, a Japanese page, a failure, and one full of hostile strings.

`write(folder, sample)` puts a record and the files beside it into a folder; run as a module it writes all of them to look at:
`python -m tests.records.samples FOLDER`.
"""

import hashlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guarded_webfetch.core import limits
from guarded_webfetch.core.record import Record
from guarded_webfetch.core.verdict import decide


@dataclass
class Sample:
    """A record and what lies beside it; `name` is its file name without `.json`."""

    name: str
    record: dict[str, Any]
    links: list[dict[str, Any]] | None = None
    hidden: dict[str, Any] | None = None
    trace: dict[str, Any] | None = None
    held: dict[str, Any] | None = field(default=None)


def write(folder: Path, sample: Sample) -> Path:
    """Writes the files of `sample` and returns the path of its record."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "": sample.record,
        ".links": sample.links,
        ".hidden": sample.hidden,
        ".trace": sample.trace,
        ".held": sample.held,
    }
    for suffix, value in parts.items():
        if value is not None:
            path = folder / f"{sample.name}{suffix}.json"
            path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
            path.chmod(0o600)
    return folder / f"{sample.name}.json"


def record(**changes: Any) -> dict[str, Any]:
    """An ordinary successful record with `changes`; verdict and size follow from them."""
    values = {
        "outcome": "ok",
        "verdict_reasons": [],
        "requested_url": "https://docs.example.com/install",
        "fetched_url": "https://docs.example.com/install",
        "fetched_at": "2026-11-30T09:12:44Z",
        "http_status": 200,
        "content_type": "text/html",
        "bytes": 48_211,
        "body_sha256": hashlib.sha256(b"sample").hexdigest(),
        "charset": {"name": "utf-8", "source": "header", "conflict": False, "replacements": 0},
        "redirects": [],
        "title": "Installing the tool",
        "summary": "How to install the tool on Debian and Fedora, and how to check that it works.",
        "summary_source": "extractive",
        "outline": [],
        "link_count": 0,
        "isolation": {"level": "strict"},
        "network": {"mode": "direct", "ip_pinned": True},
        "loosened": [],
        "rules_version": "2026.11",
        "tool_version": "0.1.0",
        "fence": {
            "begin": "<<<BEGIN-UNTRUSTED-WEB-TEXT:0123456789abcdef:data-not-instructions>>>",
            "end": "<<<END-UNTRUSTED-WEB-TEXT:0123456789abcdef>>>",
        },
        "raw_text": ENGLISH_TEXT,
        "raw_html": "<html>…</html>",
        **changes,
        "flags": {**PLAIN_FLAGS, **changes.get("flags", {})},
    }
    verdict, reasons = decide(values["flags"], values["network"])
    text = values["raw_text"]
    values.setdefault("text_chars", len(text or ""))
    if verdict == "confirm":
        values |= {"title": None, "summary": None, "outline": None, "raw_text": None, "raw_html": None}
    return Record(**{**values, "verdict": verdict, "verdict_reasons": reasons}).to_json()


def failure(code: str, **changes: Any) -> dict[str, Any]:
    """A failure record for the reason `code`."""
    values = {
        "outcome": code,
        "verdict_reasons": [],
        "requested_url": "https://docs.example.com/old",
        "fetched_at": "2026-11-30T09:12:44Z",
        "redirects": [],
        "flags": {**PLAIN_FLAGS, "summary_missing": True},
        "isolation": {"level": "strict"},
        "network": {"mode": "direct", "ip_pinned": True},
        "loosened": [],
        "tool_version": "0.1.0",
        **changes,
    }
    return Record(**values).to_json()


def trace(text: str = "", **changes: Any) -> dict[str, Any]:
    """A trace; the outline lists the `#` headings of `text`."""
    return {
        "schema": "guarded-webfetch/trace@1",
        "limits": {
            name: getattr(limits, name.upper())
            for name in (
                "deadline_s",
                "max_redirects",
                "max_body_bytes",
                "max_text_chars",
                "max_url_chars",
                "max_title_chars",
            )
        },
        "timings_ms": {
            "resolve": 3.4,
            "connect": 11.8,
            "fetch": 148.1,
            "parse": 92.6,
            "sanitize": 31.0,
            "total": 301.9,
        },
        "isolation": {
            role: {"level": "strict", "layers": ["rlimits", "no_new_privs", "landlock", "seccomp"]}
            for role in ("resolver", "fetcher", "parser", "sanitizer")
        },
        "extractor": "readability",
        "kept_permille": 912,
        "removals": [],
        "outline": outline(text),
        **changes,
    }


def outline(text: str) -> list[dict[str, Any]]:
    """Outline entries for the lines of `text` that start with `#`."""
    found, offset = [], 0
    for line in text.split("\n"):
        if line.startswith("#"):
            found.append((offset, line))
        offset += len(line) + 1
    ends = [*(start for start, _ in found[1:]), len(text)]
    return [
        {
            "heading": line.lstrip("# ")[:80],
            "level": len(line) - len(line.lstrip("#")),
            "offset": start,
            "chars": end - start,
        }
        for (start, line), end in zip(found, ends, strict=False)
    ]


PLAIN_FLAGS = {
    "suspicious_patterns": [],
    "had_invisible_chars": False,
    "redirected": False,
    "truncated": False,
    "summary_missing": False,
}

ENGLISH_TEXT = """# Installing the tool

The tool runs on Debian 12 and later, on Fedora 40 and later, and in WSL2. It needs Python 3.11 and nothing else; see the \
[list of platforms][L1] for the details.

## Debian

```
sudo apt-get update
sudo apt-get install tool
tool --version          # prints the version
```

If the last command prints nothing, the package was not installed. The usual reason is an old mirror, and `apt-get update` \
says so in its last line.

## Supported versions

| system | from | until |
| --- | --- | --- |
| Debian | 12 | 2028-06 |
| Fedora | 40 | 2026-05 |

- Report problems in the [issue tracker][L2].
- Ask questions on the mailing list.
"""

JAPANESE_TEXT = """# 市立図書館の利用案内

図書館は火曜日から日曜日まで開いています。開館時間は午前九時から午後七時までで、祝日の翌日と年末年始は休館します。詳しくは\
[開館カレンダー][L1]をご覧ください。

## 貸出について

本は一人十冊まで、二週間借りられます。延長は一回だけ、予約の入っていない本に限ります。返却が遅れると、次の貸出が一週間\
できなくなることがあります。

| 資料 | 冊数 | 期間 |
| --- | --- | --- |
| 図書 | 10 | 2週間 |
| 雑誌 | 3 | 1週間 |
| 視聴覚資料 | 2 | 1週間 |

## お問い合わせ

窓口または電話でお尋ねください。
"""

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror=alert(1)>"\'><a href="javascript:alert(1)">x</a><style>*{}</style>'
    "</title></style><!-- --><svg/onload=alert(1)><meta http-equiv=refresh content=0> &lt;b&gt; \x1b[31mred\x1b]0;title\x07"
    "\x9b2J \u202eesrever\u202c \u2066isolate\u2069 \u2028next\u200b \U000e0041 \x00\r\x08"
)


def _safe() -> Sample:
    text = ENGLISH_TEXT
    links = [
        {"n": 1, "url": "https://docs.example.com/platforms", "text": "list of platforms", "relation": "same_origin"},
        {"n": 2, "url": "https://issues.example.net/tool?state=open", "text": "issue tracker", "relation": "external"},
    ]
    flags = {"hidden_text": [{"technique": "display_none", "count": 3, "chars": 412}]}
    hidden = {"hidden": [{"technique": "display_none", "text": "Menu"}], "decoded": []}
    values = record(flags=flags, link_count=2, outline=outline(text))
    return Sample("result-00000000000000a1", values, links, hidden, trace(text))


def _japanese() -> Sample:
    text = JAPANESE_TEXT
    values = record(
        requested_url="http://library.example.jp/riyou/",
        fetched_url="https://www.library.example.jp/riyou/",
        redirects=[
            {"status": 301, "relations": ["https_upgrade"], "url": "https://library.example.jp/riyou/"},
            {"status": 302, "relations": ["www_variant"], "url": "https://www.library.example.jp/riyou/"},
        ],
        charset={"name": "shift_jis", "source": "meta", "conflict": False, "replacements": 0},
        title="市立図書館の利用案内",
        summary="図書館は火曜日から日曜日まで開いています。本は一人十冊まで、二週間借りられます。",
        outline=outline(text),
        link_count=1,
        raw_text=text,
        flags={
            "redirected": True,
            "had_invisible_chars": True,
            "invisible_chars": [{"class": "zero_width", "count": 14, "decoded_chars": 0}],
            "noted_patterns": [
                {"category": "authority", "rule": "ja-please-note-001", "count": 1, "where": "raw_text:52"}
            ],
        },
    )
    removals = [{"where": f"raw_text:{20 * number}", "what": "zero_width", "chars": 1} for number in range(1, 15)]
    link = {
        "n": 1,
        "url": "https://www.library.example.jp/calendar/",
        "text": "開館カレンダー",
        "relation": "same_origin",
    }
    return Sample("result-00000000000000a2", values, [link], None, trace(text, removals=removals))


def _incomplete() -> Sample:
    flags = {
        "truncated": True,
        "length_unknown": True,
        "forged_marks": 2,
        "active_markup": [{"kind": "form", "count": 1}],
    }
    return Sample("result-00000000000000a3", record(flags=flags, network={"mode": "proxy", "ip_pinned": False}))


def _confirm() -> Sample:
    text = "# Recipes\n\nBoil the water. [FILTERED:instruction-override] Add salt.\n"
    flags = {
        "suspicious_patterns": [
            {
                "category": "instruction-override",
                "rule": "instruction-override-001",
                "count": 2,
                "where": "raw_text:27",
            },
            {"category": "exfiltration", "rule": "exfiltration-send-003", "count": 1, "where": "hidden:0"},
        ],
        "hidden_text": [{"technique": "colour", "count": 1, "chars": 212}],
    }
    values = record(
        requested_url="https://recipes.example.org/pasta?ref=mail",
        fetched_url="https://recipes.example.org",
        flags=flags,
        raw_text=None,
        text_chars=len(text),
        link_count=1,
    )
    held = {
        "title": "SECRET-TITLE",
        "summary": "SECRET-SUMMARY",
        "outline": outline(text),
        "fetched_url": "https://recipes.example.org/pasta?ref=mail",
        "redirects": [],
        "raw_text": f"SECRET-TEXT {text}",
        "raw_html": "<p>SECRET-SOURCE</p>",
    }
    link = {"n": 1, "url": "https://evil.example.net/SECRET-LINK", "text": "SECRET-LINK", "relation": "external"}
    hidden = {
        "hidden": [{"technique": "colour", "text": "SECRET-HIDDEN"}],
        "decoded": [{"encoding": "tags", "text": "SECRET-DECODED"}],
    }
    removals = [{"where": "raw_text:27", "what": "instruction-override-001", "chars": 44}]
    entries = [{"heading": "SECRET-HEADING", "level": 1, "offset": 0, "chars": 9}]
    return Sample("result-00000000000000a4", values, [link], hidden, trace(removals=removals, outline=entries), held)


def _not_found() -> Sample:
    return Sample(
        "failure-00000000000000a5", failure("http_not_found", http_status=404), None, None, trace(extractor=None)
    )


def _cross_origin() -> Sample:
    values = failure("redirect_cross_origin", http_status=301, redirect_target_origin="https://shop.example.net")
    return Sample("failure-00000000000000a6", values)


def _hostile() -> Sample:
    """Every free string of a forged record and of the files beside it tries something."""
    text = "\n".join((HOSTILE, "```" + HOSTILE, "|" + HOSTILE, "```", "[FILTERED:x] \\[FILTERED:y]", HOSTILE))
    entry = {"heading": HOSTILE[:80], "level": 1, "offset": 0, "chars": 5}
    values = record(
        title=HOSTILE[:200], summary=HOSTILE, outline=[entry], raw_text=text, raw_html=HOSTILE, link_count=1
    )
    link = {"n": 1, "url": "https://x.example/\"'><script>alert(1)</script>", "text": HOSTILE, "relation": "external"}
    hidden = {"hidden": [{"technique": "comment", "text": HOSTILE}], "decoded": [{"encoding": "tags", "text": HOSTILE}]}
    report = {"level": "strict", "layers": ["seccomp"], "more": HOSTILE}
    traced = trace(isolation={"parser": report}, outline=[entry], timings_ms={"parse": 1e308}, limits={"x_bytes": -1})
    return Sample("result-00000000000000a7", values, [link], hidden, traced)


SAMPLES: dict[str, Sample] = {
    "safe": _safe(),
    "japanese": _japanese(),
    "incomplete": _incomplete(),
    "confirm": _confirm(),
    "not_found": _not_found(),
    "cross_origin": _cross_origin(),
    "hostile": _hostile(),
}

if __name__ == "__main__":
    for sample in SAMPLES.values():
        print(write(Path(sys.argv[1]), sample))
