"""Pages made to be expensive: each ends within a loose bound, and never as an empty success."""

import time
from pathlib import Path

import pytest

from guarded_webfetch.core.reasons import Refusal
from tests.parser.pages import parsed, text_of

CPU_S = 6
MEMORY_KB = 300_000  # beyond what this process held before

PAGES = {
    "hidden slides": "<style>.s{opacity:0}</style><div>" + "<div class='a'>seen text</div>" * 40
    + "<div class='a s'><i>x</i> slide</div>" * 30_000 + "</div>",
    "hidden words of one control": "<p>x</p><label>" + "<i style='opacity:0'>word</i> <b>seen</b>" * 25_000 + "</label>",
    "transparent in transparent": "<div style='opacity:0;transform:none'><b>x" * 1_500 + "<p style='opacity:0'>y" * 30_000,
    "panes": "<p>x</p><div>" + "<div class=tab-pane style='display:none'>pane</div>" * 30_000,
    "layers": "<div style='position:absolute;inset:0;background:#036'></div><p style='color:#fff'>word" * 15_000,
    "streamed": "".join(f"<template id=B:{n:x}></template>" for n in range(3_000)) + "".join(
        f"<div hidden id=S:{n:x}><p>part</div>" for n in range(3_000)) + "<script>" + "".join(
        f'$RC("B:{n:x}","S:{n:x}");' for n in range(3_000)) + "</script>",
    "nested div": "<p>Top.</p>" + "<div>" * 500_000 + "bottom",
    "chains": ("<div>" * 40 + "<p>some text, and <a href=x>a link</a></p>" * 4 + "</div>" * 40) * 700,
    "links": '<p>words in a paragraph, with <a href="/x">a link</a> inside.</p>' * 36_000,
    "cells": "<table>" + ("<tr>" + "<td>cell text</td>" * 10 + "</tr>") * 5_000 + "</table>",
    "one row": "<table><tr>" + "<td>cell text</td>" * 50_000 + "</tr></table>",
    "spaces": "<p>a" + " " * 1_000_000 + "b</p>",
    "entities": "<p>" + "&amp;&lt;" * 150_000 + "</p>",
    "spans": "<table>" + "<tr><td colspan=9007199254740991>x</td><td rowspan=99999999>y</td></tr>" * 2_000 + "</table>",
    "attributes": "<div " + " ".join(f"a{n}=x" for n in range(100_000)) + ">text is here</div>",
    "comments": "<p>x</p>" + "<!--" * 700_000,
    "angles": "<p>x</p>" + "<" * 2_000_000,
    "headings": "<h2>head <a href=#x>l</a></h2>" * 30_000,
    "teasers": "<hr>" * 60_000 + "<h2>Related</h2>" * 30_000,
    "titles in overlays": "<div class=modal>" * 1_500 + "<h1>x</h1>" * 60_000,
    "steps": "".join(f"<div>w{n}" for n in range(1_900)) + "<hr>" * 100_000,
    "comments in comments": "<div class=comment>" * 1_500 + "<p class=comments>x" * 30_000,
    "lists": "<ul><li>item" * 20_000,
    "styles": "<style>" + "".join(f".t{n}:hover>.u{n}{{color:red}}\n" for n in range(35_000)) + "</style><p>x</p>",
    "has": "<style>" + "div:has(p) a{color:red} p:not(:has(b)) i{color:red}" * 50
    + "</style>" + "<div><p>t <a>y</a></p></div>" * 10_000,
    "siblings": "<style>p:nth-child(2n+1){color:red} p ~ p ~ p{color:blue}</style>" + "<p>text of paragraph</p>" * 20_000,
    "braces": "<style>" + "{" * 500_000 + "</style><p>text</p>",
    "no braces": "<style>" + "a" * 1_000_000 + "</style><p>text</p>",
    "quotes": "<style>" + '"' * 500_000 + "'\\" * 200_000 + "</style><p>text</p>",
    "important": "<p style='color:" + " " * 500_000 + "x!important'>text</p>",
    "tiny elements": "<p>x" * 750_000,
    "comments between letters": "<!--a-->b" * 330_000,
    "styles of their own": "".join(f"<p style=top:{n}px>text" for n in range(60_000)),
    "classes of their own": "<style>" + "".join(f".c{n}{{opacity:.9}}" for n in range(50_000)) + "</style>"
    + "".join(f"<p class=c{n}>text</p>" for n in range(29_000)),
    "rules that never end": "<style>" + "".join(f"[data-x*='{n}'] p{{color:#111}}" for n in range(2_000)) + "</style>"
    + "<div data-x=1><p>text</p></div>" * 10_000,
    "covers": "<style>.c{position:absolute;inset:0;background:#fff}</style>x" + "<div class=c></div>x" * 29_000,
    "toggles in toggles": "<div class=accordion><b>c</b><div style=display:none>" * 900 + "text here " * 200_000,
    "wrappers in wrappers": "<style>.o{opacity:0}</style>" + "<div class=o>" * 1_500 + "text here " * 200_000,
    "places": "<style>" + "".join(f"p:nth-child({n}n+1),p:nth-last-of-type({n}n){{color:#111}}" for n in range(1, 40)) + "</style>"
    + "<p>text</p>" * 25_000,
    "variables": "<style>:root{--a:var(--b)var(--b);--b:var(--a)var(--a)}p{color:var(--a)}</style>" + "<p>text</p>" * 500,
}  # fmt: skip


def memory_kb(name: str) -> int:
    """VmRSS, or VmHWM: the most since the last reset (proc(5))."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


@pytest.mark.parametrize("name", PAGES)
def test_expensive_page_ends_within_bounds(name):
    body = PAGES[name].encode()[:3_000_000]
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak of earlier tests is not this page's
    held_kb = memory_kb("VmRSS")
    before = time.process_time()
    try:
        said = parsed(body)
    except Refusal as refusal:
        assert refusal.code == "extract_empty"
    else:
        assert text_of(said).strip()
    assert time.process_time() - before < CPU_S
    assert memory_kb("VmHWM") - held_kb < MEMORY_KB


def test_what_lies_below_the_depth_limit_is_told():
    said = parsed("<p>Top.</p>" + "<div>" * 3_000 + "bottom")
    assert said["markup"]["depth_limited"]
    assert "Top." in text_of(said)


def test_400_wrappers_are_no_limit():
    said = parsed("<p>Top.</p>" + "<div>" * 400 + "DEEPMARK" + "</div>" * 400)
    assert not said["markup"]["depth_limited"]
    assert "DEEPMARK" in text_of(said)


def test_a_sheet_that_cannot_be_judged_in_time_is_told():
    assert parsed(PAGES["has"])["markup"]["hidden_check_incomplete"]
