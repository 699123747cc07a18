"""Which rules reach an element: names, places among siblings, case, and the end of a page's budget."""

import pytest

from guarded_webfetch.parser import tree
from guarded_webfetch.parser.cascade import Cascade, Page
from guarded_webfetch.parser.looks import Looks
from guarded_webfetch.parser.survey import Survey

BODY = (
    "<div class='a B'><p id=one class=x>1</p><p class=y>2</p><b>3</b><p class='x y' lang=EN>4</p></div>"
    "<section><div><p class=deep data-n=Yes>5</p></div></section>"
)


def hidden_by(sheet, body=BODY, doctype="<!DOCTYPE html>"):
    """The texts of the elements that are out of sight under that sheet."""
    root = tree.parse(f"{doctype}<html><body>{body}</body></html>").root
    looks = Looks(Cascade(Page.of(root, Survey(root, frozenset())), [sheet]))
    known, found = {}, []
    for element in root.iter():
        known[element] = looks.of(element, known.get(element.getparent(), looks.top))
        found += [element.text] if known[element].technique else []
    return found


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        (".x", "14"), ("#one", "1"), ("p.x.y", "4"), (".a > .x", "14"), ("section > .deep", ""), ("section .deep", "5"),
        ("section > * > .deep", "5"), ("div > * > .deep", ""), (".B .y", "24"), (".b .y", ""), ("p:first-child", "15"),
        ("p:last-child", "45"), ("p:nth-child(2n)", "24"), ("p:nth-child(-n+1)", "15"), ("p:nth-last-child(1)", "45"),
        ("p:first-of-type", "15"), ("p:nth-of-type(2)", "2"), ("p:nth-last-of-type(2)", "2"), ("b:only-of-type", "3"),
        ("b + p", "4"), (".x ~ p", "24"), (".y ~ b", "3"), ("p:not(.x)", "25"), ("p:not(.x, .deep)", "2"),
        (":is(#one, b)", "13"), (":where(.a .x)", "14"), ("[data-n]", "5"), ("[data-n=yes]", ""), ("[data-n=yes i]", "5"),
        ("[lang=en]", "4"), ("p:lang(en)", "4"), ("p:hover", ""), ("p::before", ""), ("section:has(.deep) p", "5"),
        ("b:has(+ .x)", "3"), ("p:empty", ""), (".\\78", "14"),
    ],
)  # fmt: skip
def test_selector_reaches(selector, texts):
    assert "".join(hidden_by(selector + "{display:none}")) == texts


def test_names_match_in_any_case_without_a_document_type():
    assert hidden_by(".b .X{display:none}", doctype="") == ["1", "4"]


@pytest.mark.parametrize(
    ("sheet", "hides"),
    [
        (".x{display:none} p{display:block}", True),
        ("p{display:none!important} #one{display:block}", True),
        ("@layer l{#one{display:none}} p{display:block}", False),
        ("@layer a,b; @layer b{p{display:block}} @layer a{#one{display:none}}", False),
        ("@layer l{p{display:none!important}} #one{display:block!important}", True),
        ("#one{display:none;display:nonesuch}", True),
        (".x{ &#one{display:none} }", True),
        ("@scope (.a){ p{display:none} }", True),
        (".q::before{content:'}'} #one{display:none}", True),
        (".q\\'{color:red} #one{display:none} .r\\'{color:red}", True),
    ],
)
def test_the_winning_declaration(sheet, hides):
    assert ("1" in hidden_by(sheet)) is hides


def test_a_page_that_spends_its_budget_is_not_judged_to_the_end():
    root = tree.parse("<!DOCTYPE html><body>" + "<div data-x=1><p>t</p></div>" * 3_000).root
    cascade = Cascade(
        Page.of(root, Survey(root, frozenset())), ["".join(f"[data-x*='{n}'] p{{color:red}}" for n in range(400))]
    )
    looks = Looks(cascade)
    known = {}
    for element in root.iter():
        known[element] = looks.of(element, known.get(element.getparent(), looks.top))
    assert cascade.incomplete
