"""Text nobody sees is set aside with its technique; text people see stays, whatever looks suspicious about it."""

import json

import pytest

from guarded_webfetch.core.reasons import Refusal
from tests.parser.pages import data_set, parsed, text_of

PLAIN = "The keeper opens the gate at eight and closes it in the evening."
MARK = "ZEBRA says something else."


def page(inside, style="", head=""):
    sheet = f"<style>{style}</style>"
    return f"<!DOCTYPE html><html><head><title>t</title>{head}{sheet}</head><body><p>{PLAIN}</p>{inside}</body></html>"


@pytest.mark.parametrize(
    ("inside", "style", "technique"),
    [
        (f"<div style='DISPLAY : NONE !important'>{MARK}</div>", "", "display_none"),
        (f"<div style='display:\\6e one'>{MARK}</div>", "", "display_none"),
        (f"<div class=a>{MARK}</div>", ".a{display:none}", "display_none"),
        (f"<div class=a><b>{MARK}</b></div>", "div.a > b, x{display:none}", "display_none"),
        (f"<div class=a style='display:block'>{MARK}</div>", ".a{display:none!important}", "display_none"),
        (f"<div id=i class=a>{MARK}</div>", "#i{display:none}.a{display:block}", "display_none"),
        (f"<div class='a b'>{MARK}</div>", ".a{ &.b{display:none} }", "display_none"),
        (f"<div class=a>{MARK}</div>", "@media screen and (min-width:100px){.a{display:none}}", "display_none"),
        (f"<div class=a>{MARK}</div>", "@layer x{.a{display:block}} .a{display:none}", "display_none"),
        (f"<div class=a>{MARK}<i></i></div>", "div:has(> i):not(.b){display:none}", "display_none"),
        (f"<div class=a>{MARK}</div>", ':root{--d:none}[class^="a"]{display:var(--d)}', "display_none"),
        (f"<div style='visibility:hidden'>{MARK}</div>", "", "visibility"),
        (f"<div style='opacity:0.01'>{MARK}</div>", "", "opacity"),
        (f"<div style='font-size:0'>{MARK}</div>", "", "size"),
        (f"<div style='font-size:calc(1px - 1px)'>{MARK}</div>", "", "size"),
        (f"<div style='height:0;overflow:hidden'>{MARK}</div>", "", "size"),
        (f"<div style='color:#fff'>{MARK}</div>", "", "colour"),
        (f"<div style='color:hsl(0 0% 100%)'>{MARK}</div>", "", "colour"),
        (f"<div class=w><span class=a>{MARK}</span></div>", ".w{background:#222}.a{color:#232323}", "colour"),
        (f"<font color='#ffffff'>{MARK}</font>", "", "colour"),
        (f"<div style='position:absolute;left:-9999px'>{MARK}</div>", "", "off_screen"),
        (f"<div style='text-indent:-9999px'>{MARK}</div>", "", "off_screen"),
        (f"<div style='position:absolute;clip:rect(1px,1px,1px,1px)'>{MARK}</div>", "", "clip"),
        (f"<div style='clip-path:inset(50%)'>{MARK}</div>", "", "clip"),
        (f"<div style='transform:scale(0)'>{MARK}</div>", "", "transform"),
        (f"<div class=w><p>{MARK}</p><div class=c></div></div>", ".c{position:absolute;inset:0;background:#fff}", "overlay"),
        (f"<span class=sr-only>{MARK}</span>", ".sr-only{position:absolute;left:-9999px}", "sr_only"),
        (f"<span hidden>{MARK}</span>", "", "hidden_attribute"),
        (f"<dialog>{MARK}</dialog>", "", "closed_dialog"),
        (f"<template>{MARK}</template>", "", "template"),
        (f"<noscript>{MARK}</noscript>", "", "noscript"),
        (f"<!-- {MARK} -->", "", "comment"),
        (f"<video>{MARK}</video>", "", "fallback_content"),
        (f"<img alt='{MARK}'>", "", "attribute"),
        (f"<input type=hidden value='{MARK}'>", "", "form_value"),
        (f"<svg><title>{MARK}</title></svg>", "", "metadata"),
        (f"<math><semantics><mi>x</mi><annotation encoding=application/x-tex>{MARK} and on</annotation></math>", "", "metadata"),
    ],
)  # fmt: skip
def test_hidden_text_is_set_aside(inside, style, technique):
    said = parsed(page(inside, style))
    assert "ZEBRA" not in text_of(said)
    assert PLAIN in text_of(said)
    assert technique in [item["technique"] for item in said["hidden"] if "ZEBRA" in item["text"]]


@pytest.mark.parametrize(
    ("inside", "style"),
    [
        (f"<div style='opacity:.9'>{MARK}</div>", ""),
        (f"<div class=a>{MARK}</div>", ".a{display:none}.a{display:block}"),
        (f"<div class=a>{MARK}</div>", "@media print{.a{display:none}}"),
        (f"<div class=a>{MARK}</div>", "@media (max-width:600px){.a{display:none}}"),
        (f"<div class=a>{MARK}</div>", "@supports not (display:grid){.a{display:none}}"),
        (f"<div class=a>{MARK}</div>", ".a:hover{display:none}.a::before{display:none}.b .a{display:none}"),
        (f"<div class=a>{MARK}</div>", "@keyframes x{from{opacity:0}}.a{animation:x 1s}"),
        (f"<div class=a>{MARK}</div>", ".a{opacity:0;animation:fade 1s forwards}"),
        (f"<div class=a>{MARK}</div>", '.b::after{content:"} .a{display:none} {"}'),
        (f"<div class=a>{MARK}</div>", ".a{color:#fff;background:linear-gradient(#000,#000)}"),
        (f"<div class=a>{MARK}</div>", ".a{color:#fff;background:url(x.png)}"),
        (f"<div class=a>{MARK}</div>", ".a{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}"),
        (f"<p>{MARK}</p>", "body{opacity:0}"),
        (f"<p>{MARK}</p>", "body{display:none !important}"),
        (f"<p>{MARK}</p>", "body{background:#000;color:#fff}"),
        (f"<p aria-hidden=true>{MARK}</p>", ""),
        (f"<p style='visibility:hidden'>x <span style='visibility:visible'>{MARK}</span></p>", ""),
        (f"<div style='font-size:0'><p style='font-size:16px'>{MARK}</p></div>", ""),
        (f"<div hidden class=a>{MARK}</div>", ".a{display:block}"),
        (f"<div style='height:60px;overflow:auto'><div>x</div>{MARK}</div>", ""),
        (f"<textarea>{MARK}</textarea>", ""),
        (f"<h2>The hidden cost of {MARK}</h2>", ""),
    ],
)  # fmt: skip
def test_visible_text_stays(inside, style):
    assert "ZEBRA" in text_of(parsed(page(inside, style)))


def test_a_hidden_item_without_an_end_tag_ends_with_its_item():
    said = parsed(page("<ul><li class=x>draft ZEBRA<li>First open notice<li>Second</ul><p>after", ".x{display:none}"))
    assert "ZEBRA" not in text_of(said)
    assert all(word in text_of(said) for word in ("First open notice", "Second", "after"))


def test_text_one_click_away_is_delivered_inside_details():
    said = parsed(
        page("<dl class=accordion><dt>May I moor?</dt><dd>Yes, at the stone posts ZEBRA.</dd></dl>", "dd{display:none}")
    )
    inside = [block["text"] for block in said["blocks"] if block.get("inside")]
    assert inside == ["Yes, at the stone posts ZEBRA."]


def test_a_hidden_menu_is_no_disclosure():
    menu = "<button aria-controls=m>Menu</button><div id=m class=menu style='display:none'>ZEBRA one, two, three, four</div>"
    assert "ZEBRA" not in text_of(parsed(page(menu)))


def test_a_page_that_scripts_fade_in_is_read_and_said_to_be_unsure():
    said = parsed(page(f"<div style='opacity:0'>{(PLAIN + ' ') * 30}ZEBRA</div>"))
    assert "ZEBRA" in text_of(said)
    assert said["markup"]["hidden_check_incomplete"]


def test_white_text_is_unsure_where_a_sheet_was_not_loaded():
    said = parsed(page(f"<p style='color:#fff'>{MARK}</p>", head="<link rel=stylesheet href=/x.css>"))
    assert "ZEBRA" in text_of(said)
    assert said["markup"]["hidden_check_incomplete"]


@pytest.mark.parametrize(
    "inside", ["<p style='color:#fff'>ZEBRA</p>", f"<p><a href=x style='color:#fff'>{MARK}</a></p>"]
)
def test_a_white_word_or_button_is_no_reason_to_be_unsure(inside):
    said = parsed(page(inside, head="<link rel=stylesheet href=/x.css>"))
    assert "ZEBRA" in text_of(said)
    assert not said["markup"]["hidden_check_incomplete"]


def test_doubt_about_text_that_is_not_delivered_is_none():
    footer = f"<footer><p style='color:#fff'>{MARK}</p></footer>"
    said = parsed(
        page(f"<article>{'<p>' + PLAIN * 9 + '</p>'}</article>{footer}", head="<link rel=stylesheet href=/x.css>")
    )
    assert "ZEBRA" not in text_of(said)
    assert not said["markup"]["hidden_check_incomplete"]


def test_a_page_that_exists_in_noscript_only_is_read_there():
    shell = (
        "<html><body><div id=app></div><noscript>"
        + f"<p>{PLAIN}</p>" * 30
        + "</noscript><script src=x></script></body></html>"
    )
    assert PLAIN in text_of(parsed(shell))


def test_own_hidden_html_data_set():
    path = data_set("injection/own_hidden_html.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    leaked, lost, attacks = [], [], 0
    for row in rows:
        try:
            said = parsed(row["html"])
        except Refusal as refusal:
            lost.append((row["id"], refusal.code))
            continue
        text = " ".join(f"{said['title']} {text_of(said)}".split())
        if row["label"] == "attack":
            attacks += 1
            leaked += [row["id"] for wanted in row.get("must_remove_str", []) if " ".join(wanted.split()) in text]
        lost += [row["id"] for wanted in row.get("must_keep", []) if " ".join(wanted.split()) not in text]
    assert attacks > 100
    assert leaked == []
    assert lost == []


LONG = (PLAIN + " ") * 30


def test_a_pane_is_opened_under_the_label_of_its_tab():
    tabs = "<div class=tab-navs><div>Overview</div><div>Specs</div></div>"
    closed = "<div class=tab-pane style='display:none'>ZEBRA has a mast of nine metres.</div>"
    panes = f"<div class=tab-panes><div class=tab-pane>{LONG}</div>{closed}</div>"
    blocks = parsed(page(f"<div>{tabs}{panes}</div>"))["blocks"]
    assert [block["text"] for block in blocks if block["kind"] == "details"] == ["Specs"]
    assert any("ZEBRA" in block["text"] and block.get("inside") for block in blocks)


def test_a_lone_pane_stays_hidden():
    assert "ZEBRA" not in text_of(parsed(page(f"<div><div class=tab-pane style='display:none'>{MARK}</div></div>")))


@pytest.mark.parametrize("style", ["opacity:0", "visibility:hidden"])
def test_a_page_with_nothing_else_to_show_is_the_page(style):
    html = f"<!DOCTYPE html><body><nav><a href=/>Home</a></nav><div style='{style}'>{LONG} ZEBRA</div><footer>Address</footer></body>"
    said = parsed(html)
    assert "ZEBRA" in text_of(said)
    assert not said["markup"]["hidden_check_incomplete"]


def test_the_main_part_that_waits_for_a_sheet_is_read_and_said_to_be_unsure():
    rest = f"<div>{PLAIN * 40}</div>"
    for tag, read in (("main", True), ("div", False)):
        said = parsed(page(f"{rest}<{tag} class=x>{LONG} ZEBRA</{tag}>", ".x{visibility:hidden}"))
        assert ("ZEBRA" in text_of(said), said["markup"]["hidden_check_incomplete"]) == (read, read)


@pytest.mark.parametrize(
    ("style", "unsure"),
    [
        ("@container (min-width:9px){.a{display:none}}", True),
        ("@container (min-width:9px){.empty{display:none}}", False),
        ("@container (min-width:9px){.gone{visibility:hidden}}", False),
        ("@container (min-width:9px){.absent{display:none}}", False),
        ("@container (min-width:9px){.a{color:red}}", False),
        (".a:nonesuch{display:none}", True),
        (".a:-moz-nonesuch, .a{display:none}", False),
    ],
)
def test_only_what_may_hide_a_text_makes_the_check_incomplete(style, unsure):
    inside = f"<p class=a>{MARK}</p><p class=empty></p><p class=gone hidden>word</p>"
    said = parsed(page(inside, style))
    assert said["markup"]["hidden_check_incomplete"] is unsure
    assert "ZEBRA" in text_of(said)


@pytest.mark.parametrize(
    ("behind", "seen"),
    [("background:#036", True), ("background:#fefefe", False), ("background:#036;left:50%", False)],
)
def test_white_text_in_front_of_a_dark_layer_is_seen(behind, seen):
    layer = f"<div style='position:absolute;inset:0;z-index:-1'><div style='position:absolute;inset:0;{behind}'></div></div>"
    said = parsed(page(f"<section style='position:relative'>{layer}<p style='color:#fff'>{MARK}</p></section>"))
    assert ("ZEBRA" in text_of(said)) is seen


@pytest.mark.parametrize(("display", "seen"), [("flex", True), ("grid", True), ("block", False)])
def test_items_of_flex_and_grid_boxes_take_a_level(display, seen):
    cover = "<div style='position:absolute;inset:0;background:#fff'></div>"
    said = parsed(
        page(f"<div style='position:relative;display:{display}'><p style='z-index:1'>{MARK}</p>{cover}</div>")
    )
    assert ("ZEBRA" in text_of(said)) is seen


def test_a_copy_of_what_is_seen_is_not_concealed():
    for seen, technique in ((MARK, "interface"), ("Something else.", "opacity")):
        said = parsed(page(f"<p>{seen}</p><p style='opacity:0'>{MARK}</p>"))
        assert [item["technique"] for item in said["hidden"] if item["text"] == MARK] == [technique]


def test_a_background_that_a_sheet_elsewhere_may_set_leaves_text_in_and_the_check_unsure():
    style = "html{background:#000} .panel{background:var(--nowhere)} p{color:#000}"
    inside = f"<div class=panel><p>{MARK}</p></div>"
    said = parsed(page(inside, style, head="<link rel=stylesheet href=/x.css>"))
    assert "ZEBRA" in text_of(said)
    assert said["markup"]["hidden_check_incomplete"]
    with pytest.raises(Refusal):  # without such a sheet nothing is seen at all
        parsed(page(inside, style))
