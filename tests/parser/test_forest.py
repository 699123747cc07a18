"""The forest is what its file says, and its judgements go the way they should."""

import json
import os

import pytest

from guarded_webfetch.parser import forest, tree
from guarded_webfetch.parser.block_features import FEATURES
from guarded_webfetch.parser.forest import CONTENT, Forest
from guarded_webfetch.parser.links import Hrefs
from guarded_webfetch.parser.main_content import Page, kept_of, least_odds, prepare
from tests.parser.pages import parsed, text_of

PROSE = "On day {} the clerk reads the level at the stone post of the third lock and writes it into the book by hand, with the wind."
ARTICLE = "<h1>Water level</h1>" + "".join(f"<p>{PROSE.format(number)}</p>" for number in range(30))
LINKS = "".join(f"<li><a href=/{number}>Other page {number}</a></li>" for number in range(40))


def page_of(source):
    root = tree.parse(source).root.find("body")
    prepare(root)
    return Page(root, Hrefs())


def test_a_tree_is_followed_to_its_leaf():
    split = [FEATURES.index("letters"), 10.0, -2.0, [FEATURES.index("link_share"), 0.5, 3.0, -1.0]]
    values = dict.fromkeys(FEATURES, 0.0)
    for letters, share, odds in ((10, 0.9, -2.0), (11, 0.5, 3.0), (11, 0.6, -1.0)):
        row = tuple({**values, "letters": letters, "link_share": share}.values())
        assert Forest(FEATURES, 0.5, [split, 0.25]).probability(row) == pytest.approx(
            1 / (1 + 2.718281828 ** -(odds + 0.75))
        )


def test_a_forest_grown_on_other_features_is_refused():
    with pytest.raises(ValueError, match="other features"):
        Forest(FEATURES[1:], 0.0, [])


def test_the_stored_forest_is_small_and_asks_only_for_what_there_is():
    with open(forest._FILE, encoding="utf-8") as file:
        stored = json.load(file)
    assert os.path.getsize(forest._FILE) < 60_000
    assert len(set(FEATURES)) == len(FEATURES)

    def asked(node):
        return {node[0]} | asked(node[2]) | asked(node[3]) if isinstance(node, list) else set()

    used = set().union(*map(asked, stored["trees"]))
    assert len(used) > 20 and used <= set(range(len(FEATURES)))


def test_every_block_has_a_value_for_every_feature():
    page = page_of(f"<body><div>{ARTICLE}</div><ul>{LINKS}</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><hr></body>")
    values = page.features()
    assert [block["kind"] for block in page.blocks].count("table") == 1
    for block, row in zip(page.blocks, values, strict=True):
        assert (row is None) == (block["kind"] == "rule")
        assert row is None or len(row) == len(FEATURES)


def test_prose_is_likelier_than_a_list_of_links():
    page = page_of(f"<body><div><div class=left><ul>{LINKS}</ul></div><div>{ARTICLE}</div></div></body>")
    odds = [0.0 if values is None else CONTENT.probability(values) for values in page.features()]
    prose = [value for value, block in zip(odds, page.blocks, strict=True) if block["kind"] == "paragraph"]
    links = [value for value, block in zip(odds, page.blocks, strict=True) if block["kind"] == "item"]
    assert min(prose) > 0.5 > max(links)


def test_of_cards_no_rule_knows_fewer_are_left():
    cards = "".join(
        f"<div class=card><h3><a href=/{day}>Another story</a></h3><span>May {day}, 2024</span></div>"
        for day in range(1, 13)
    )
    source = f"<body><div><div>{ARTICLE}</div><div class=column>{cards}</div></div></body>"
    said = text_of(parsed(source))
    assert "stone post" in said
    assert said.count("Another story") < 9
    assert sum(page_of(source).in_candidate) > 24  # the rules alone keep them


def test_a_list_in_the_text_stays():
    items = "".join(f"<li>the level at the post number {number}, in metres and by hand</li>" for number in range(6))
    said = text_of(parsed(f"<body><div><div>{ARTICLE}<ul>{items}</ul></div><ul>{LINKS}</ul></div></body>"))
    assert "stone post" in said and all(f"post number {number}" in said for number in range(6))


def test_a_sentence_beside_the_only_article_of_a_short_page_stays():
    article = f"<article><h1>Gate</h1>{f'<p>{PROSE.format(1)}</p>' * 4}</article>"
    said = text_of(
        parsed(
            f"<body>{article}<p>The upper gate closes the day.</p><p><a href=/x>Elsewhere on these pages</a></p></body>"
        )
    )
    assert "closes the day" in said
    assert "Elsewhere" not in said


def test_a_short_page_is_left_to_the_rules():
    page = page_of(
        "<body><main><h1>Gate</h1>" + f"<p>{PROSE.format(1)}</p>" * 3 + "<p><a href=/a>One</a></p></main></body>"
    )
    assert page.letters(page.in_candidate) < 1_000
    assert text_of(
        parsed("<main><h1>Gate</h1>" + f"<p>{PROSE.format(1)}</p>" * 3 + "<p><a href=/a>One</a></p></main>")
    ).endswith("One")


@pytest.mark.parametrize(
    ("letters", "odds", "least"),
    [
        ([10, 10], [0.9, 0.1], 0.9),
        ([10, 10], [0.9, 0.6], 0.6),
        ([10, 10], [0.2, 0.15], 0.15),  # all unlikely: the likelier half of little is little
        ([100, 1, 100], [0.9, 0.0, 0.05], 0.9),
        ([0, 5], [1.0, 0.3], 0.3),
        ([], [], 1.0),
    ],
)
def test_blocks_are_kept_down_to_where_more_would_be_worse(letters, odds, least):
    assert least_odds(letters, odds) == least


def test_what_is_kept_is_the_best_of_all_cuts():
    letters, odds = [30, 5, 80, 12, 60], [0.7, 0.95, 0.3, 0.5, 0.1]

    def f1(least):
        kept = [(count, value) for count, value in zip(letters, odds, strict=True) if value >= least]
        content = sum(count * value for count, value in kept)
        return 2 * content / (sum(count for count, _ in kept) + sum(map(float.__mul__, map(float, letters), odds)))

    assert f1(least_odds(letters, odds)) == max(map(f1, odds))


def test_code_tables_title_and_headings_of_kept_text_stay_whatever_the_forest_says():
    page = page_of(
        f"<body><main>{ARTICLE}<h2>Then</h2><pre>x = 1</pre><table><tr><th>a<th>b<tr><td>1<td>2</table></main></body>"
    )
    keep = kept_of(page, [None if row is None else 0.01 for row in page.features()])
    kept = {block["kind"]: block for block, is_kept in zip(page.blocks, keep, strict=True) if is_kept}
    assert {"code", "table", "heading"} <= kept.keys()
    assert kept["heading"]["text"] == "Then"
