"""Values that elements inherit, each looked at once."""

from guarded_webfetch.parser import structural, tree
from guarded_webfetch.parser.measure import measure
from guarded_webfetch.parser.surroundings import FAR, Inherited, levels, rulings, ways


def body(inner):
    return tree.parse(f"<html><body>{inner}</body></html>").root.find("body")


def test_each_element_is_asked_once():
    root = body("<div>" * 900 + "<p>x</p><p>y</p>" + "</div>" * 900)
    asked = []

    def below(element, above):
        asked.append(element)
        return above + 1

    depth = Inherited(root, 0, below)
    assert [depth.of(paragraph) for paragraph in root.iter("p")] == [901, 901]
    assert depth.of(root) == 0
    assert len(asked) == len(set(asked)) == 902


def test_levels_count_from_the_nearest():
    root = body('<main><div class="commentList"><div><p>x</p></div></div></main><footer><p>y</p></footer>')
    inside, below = list(root.iter("p"))
    found = levels(root)
    assert found.of(inside)[:4] == (4, 3, 30, 2)
    assert found.of(below)[:4] == (2, 30, 1, FAR)


def test_a_way_leaves_its_line_on_one_branch():
    root = body("<div><h1>t</h1><section><p>x</p></section></div><aside><p>y</p></aside>")
    near, far = list(root.iter("p"))
    found = ways(root, root.find(".//h1"))
    assert found.of(root.find("div")) == (0, 1, None)
    assert found.of(near) == (2, 1, root.find(".//section"))
    assert found.of(far) == (2, 2, root.find("aside"))
    assert ways(root, None).of(near) == (3, -1, root.find("div"))


def test_rules_hold_for_all_that_stands_below():
    words = "<p>The clerk reads the level at the stone post and writes it into the book.</p>" * 8
    root = body(f"<nav><div><a href=/>home</a></div></nav><main>{words}</main>")
    found = rulings(root, structural.find(root, measure(root)))
    assert found.of(root.find(".//a")).chrome and not found.of(root.find(".//a")).is_candidate
    assert found.of(root.find(".//main/p")).is_candidate
