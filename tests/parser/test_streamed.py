"""Parts that React streams behind the page stand where its script would put them."""

from lxml import html as lxml_html

from guarded_webfetch.parser.streamed import put_in_place
from tests.parser.pages import parsed, text_of

PLAIN = "<p>The keeper opens the gate at eight and closes it in the evening.</p>"
SWAP = '<script>$RC=function(b,c){};$RC("B:0","S:0")</script>'


def page(inside):
    return f"<!DOCTYPE html><html><head><title>t</title></head><body>{inside}</body></html>"


def placed(inside):
    root = lxml_html.document_fromstring(page(inside))
    put_in_place(root)
    return " ".join(" ".join(p.itertext()) for p in root.iter("p"))


def test_a_part_is_moved_to_its_place_and_its_stand_in_goes():
    inside = (
        "<p>one</p><!--$?--><template id='B:0'></template><p>please wait</p><!--/$--><p>three</p>"
        f"<div hidden id='S:0'><p>two</p></div>{SWAP}"
    )
    assert placed(inside) == "one two three"
    assert text_of(parsed(page(f"{PLAIN}{inside}"))).endswith("one\ntwo\nthree")


def test_parts_inside_parts_are_followed():
    inside = (
        "<p>one</p><template id='B:0'></template><div hidden id='S:0'><p>two</p><template id='P:1'></template></div>"
        '<div hidden id=\'S:1\'><p>three</p></div><script>$RS("S:1","P:1");$RC("B:0","S:0")</script>'
    )
    assert placed(inside) == "one two three"


def test_without_a_call_or_a_place_the_part_stays_hidden():
    for inside in (
        "<template id='B:0'></template><div hidden id='S:0'><p>ZEBRA two</p></div>",
        f"<div hidden id='S:0'><p>ZEBRA two</p></div>{SWAP}",
        f"<p id='B:0'>x</p><div hidden id='S:0'><p>ZEBRA two</p></div>{SWAP}",
        f"<div hidden id='S:0'><template id='B:0'></template><p>ZEBRA two</p></div>{SWAP}",
    ):
        assert "ZEBRA" not in text_of(parsed(page(PLAIN + inside)))


def test_many_calls_end():
    calls = "".join(f'$RC("B:{n:x}","S:{n:x}");' for n in range(5_000))
    parts = "".join(
        f"<template id='B:{n:x}'></template><div hidden id='S:{n:x}'><p>p{n}</p></div>" for n in range(3_000)
    )
    assert placed(f"{parts}<script>{calls}</script>").startswith("p0 p1 p2")
