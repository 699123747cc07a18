"""Menus, slides and tooltips that wait for their turn are interface; a text hidden the same way with nothing around it is concealed."""

import pytest

from guarded_webfetch.core.verdict import CONCEALING
from tests.oracle import generate
from tests.parser.pages import parsed, text_of

PLAIN = "<p>The keeper opens the gate at eight and closes it in the evening.</p>"
MARK = "ZEBRA says that the boat leaves at noon."
HIDING = {
    "opacity": "opacity:0",
    "off_screen": "position:absolute;left:-9999px",
    "clip": "position:absolute;clip-path:inset(50%)",
    "transform": "transform:scale(0)",
    "size": "height:0;overflow:hidden",
}
WIDGETS = {
    "links": ("<div class=x><h4>Boats</h4><a href=/a>ZEBRA one</a><a href=/b>Sailing boats</a></div>", ""),
    "label of a button": (f"<button><i class=x>{MARK}</i></button>", ""),
    "dialog": (f"<div role=dialog><div class=x><p>{MARK}</p></div></div>", ""),
    "tooltip": (f"<div role=tooltip class=x>{MARK}</div>", ""),
    "hover": (f"<div class=card><p class=x>{MARK}</p></div>", ".card:hover .x{REVEAL}"),
    "state in a name": (
        f"<div class=group><p class='group-hover:on x'>{MARK}</p></div>",
        r".group:hover .group-hover\:on{REVEAL}",
    ),
    "checked": (f"<input type=checkbox id=c><p class=x>{MARK}</p>", "#c:checked~.x{REVEAL}"),
    "class of a script": (f"<div class=card><p class=x>{MARK}</p></div>", ".is-on .x{REVEAL}"),
    "drawer": (f"<div class='drawer x'><button>Close</button><p>{MARK}</p></div>", ""),
    "honeypot": (f"<form><div class=x><label>Leave empty</label><input name=a><p>{MARK}</p></div></form>", ""),
    "slide": (f"<div><div class=slot><p>{MARK}</p></div><div class='slot x'><p>{MARK}</p></div></div>", ""),
    "place for the keyboard": ("<div class=x tabindex=-1>ZEBRA, top of the page</div>", ""),
}
REVEAL = {
    "opacity": "opacity:1", "off_screen": "left:0", "clip": "clip-path:none", "transform": "transform:none", "size": "height:auto",
}  # fmt: skip


def page(inside, style=""):
    return (
        f"<!DOCTYPE html><html><head><title>t</title><style>{style}</style></head><body>{PLAIN}{inside}</body></html>"
    )


def techniques(html, mark="ZEBRA"):
    return {item["technique"] for item in parsed(html)["hidden"] if mark in item["text"]}


@pytest.mark.parametrize("technique", HIDING)
@pytest.mark.parametrize("widget", WIDGETS)
def test_a_part_of_a_widget_is_interface(widget, technique):
    inside, rule = WIDGETS[widget]
    html = page(inside, f".x{{{HIDING[technique]}}}" + rule.replace("REVEAL", REVEAL[technique]))
    assert techniques(html) <= {"interface", "sr_only"}
    if widget != "slide":
        assert "ZEBRA" not in text_of(parsed(html))
        assert techniques(html)


@pytest.mark.parametrize("technique", HIDING)
@pytest.mark.parametrize(
    "inside",
    [
        f"<p class=x>{MARK}</p>",
        f"<div class=x><p>{MARK}</p></div>",
        f"<div class=x><p>{MARK}</p><a href=/a>Boats</a></div>",
        f"<ul><li>one</li><li class=x>{MARK}</li></ul>",
        f"<p>Seen. <span class=x>{MARK}</span></p>",
        f"<main><article><div class=x>{MARK}</div></article></main>",
        f"<div aria-hidden=true class=x>{MARK}</div>",
        f"<footer><div class=x>{MARK}</div></footer>",
        f"<a class=x href=/a>{MARK * 4}</a>",
        f"<p class=x>{MARK}</p><p class=x>{MARK}</p><p class=x>{MARK}</p>",
        f"<div class='menu x'>{MARK}</div>",
        f"<div><div class=card><p>One seen.</p></div><div class=card><p>Two seen.</p><p class=x>{MARK}</p></div></div>",
    ],
)
def test_a_text_hidden_with_nothing_around_it_is_concealed(inside, technique):
    html = page(inside, f".x{{{HIDING[technique]}}} .y:hover{{{REVEAL[technique]}}} a:hover{{color:red}}")
    assert techniques(html) == {technique}
    assert technique in CONCEALING


def test_no_generated_way_to_hide_is_taken_for_interface():
    found = []
    for html, part in generate.pages(generate.cases(5, 1)):
        shelf = parsed(html)["hidden"]
        found += [
            case.said for case in part if any(i["technique"] == "interface" and case.string in i["text"] for i in shelf)
        ]
    assert [said for said in found if "<button" not in said and "<a href" not in said] == []


@pytest.mark.parametrize("style", ["color:#fff", "font-size:0"])
def test_faint_and_tiny_words_of_a_control_are_its_label(style):
    assert techniques(page(f"<button><span style='{style}'>{MARK}</span></button>", "button{background:#fff}")) == {
        "interface"
    }
    assert not techniques(page(f"<p style='{style}'>{MARK}</p>")) & {"interface"}


def test_a_rule_that_changes_something_else_brings_nothing_back():
    html = page(f"<p class=x>{MARK}</p>", ".x{opacity:0} .x:hover{color:red} .is-on .x{margin:0}")
    assert techniques(html) == {"opacity"}
