"""Which part of a page is its content: what goes, and beside each rule the look-alike that stays."""

import pytest

from guarded_webfetch.parser import main_content, teasers, tree
from guarded_webfetch.parser.links import Hrefs
from guarded_webfetch.parser.measure import measure, without
from tests.parser.pages import parsed, text_of


def paragraphs(count):
    return "".join(
        f"<p>On day {n} the clerk reads the level at the stone post and writes it into the book by hand.</p>"
        for n in range(count)
    )


ARTICLE = f"<h1>Water level</h1>{paragraphs(4)}"
LONG = f"<h1>Water level</h1>{paragraphs(25)}"
MENU = "<ul>" + "<li><a href=/x>Menu entry</a></li>" * 200 + "</ul>"
POLICY = (
    "<h1>Policy</h1>"
    + "<p>MARK we keep what you tell us, and we tell it to partners that are named on another page.</p>" * 40
)
COMMENT = (
    "<div class=comment><p>MARK I read it as well and I think that the post stands too low for such a river.</p></div>"
)
SIGNATURE = "<div class=sig>MARK Clerk of the third lock since the flood, reader of levels, keeper of the long book of water.</div>"


def body(inner, around=""):
    return f"<html><title>t</title><body>{inner}{around}</body></html>"


def candidate(source):
    """The text the rules alone take for content."""
    root = tree.parse(source).root.find("body")
    main_content.prepare(root)
    page = main_content.Page(root, Hrefs())
    return "\n".join(line.text for line, inside in zip(page.lines, page.in_candidate, strict=True) if inside)


@pytest.mark.parametrize(
    "page",
    [
        body(f"<nav>MARK {MENU}</nav><main>{ARTICLE}</main>"),
        body(f"<div><div role=navigation>MARK {MENU}</div><div>{ARTICLE}</div></div>"),
        body(f"<main>{ARTICLE}</main>", f"<footer>MARK {paragraphs(2)}</footer>"),
        body(f"<div>{ARTICLE}</div>", f"<div role=dialog>{POLICY}</div>"),
        body(f"<main>{ARTICLE}<div><h2>Related articles</h2><ul><li>MARK other level</li></ul></div></main>"),
        body(f"<main>{ARTICLE}<h3>You may also like</h3><ul><li>MARK other level</li></ul></main>"),
        body(f"<main>{ARTICLE}<section><h2>関連記事</h2><p>MARK 水位</p></section></main>"),
        body(f"<article>{LONG}</article>", f"<div id=comments>{COMMENT * 3}</div>"),
    ],
    ids=["nav", "role", "footer", "dialog", "box", "following", "japanese", "comments"],
)
def test_what_leads_elsewhere_goes(page):
    said = text_of(parsed(page))
    assert "stone post" in said
    assert "MARK" not in said
    assert "MARK" not in candidate(page)


@pytest.mark.parametrize(
    "page",
    [
        body(f"<nav><main>{ARTICLE}<p>MARK</p></main></nav>"),
        body(f"<div class='page sidebar-left'>{ARTICLE}<p>MARK</p></div>"),
        body(f"<footer>{paragraphs(1)}<p>MARK</p></footer>"),
        body(f"<div class=modal>{paragraphs(9)}<p>MARK</p></div>"),
        body(f"<main>{ARTICLE}<h2>Related work</h2><p>MARK other offices read at noon.</p></main>"),
        body(f"<main>{ARTICLE}<h2>Further reading</h2><p>MARK the second book.</p></main>"),
        body(f"<main>{ARTICLE}<h2>Related posts</h2><p>Two boxes.</p><h2>Next</h2><p>MARK</p></main>"),
        body(f"<main>{ARTICLE}<h2>Join operations</h2><p>MARK a table joins another.</p></main>"),
        body(f"<main><h1>Water level</h1>{paragraphs(1)}</main>", f"<div id=comments>{COMMENT * 9}</div>"),
        body(f"<div class=topic-view>{LONG}<div class=comments>{COMMENT * 9}</div></div>"),
        body(f"<div class=question>{LONG}<div class=comments>{COMMENT * 9}</div></div>"),
    ],
    ids=[
        "nav-main",
        "wrapper",
        "only-footer",
        "only-modal",
        "work",
        "reading",
        "next",
        "join",
        "short",
        "topic",
        "question",
    ],
)
def test_what_only_looks_like_it_stays(page):
    assert "MARK" in candidate(page)


def test_an_overlay_told_by_its_name_goes_with_its_heading():
    assert "MARK" not in candidate(body(f"<div>{ARTICLE}</div>", f"<div class=site-modal>{POLICY[:200]}</div>"))


def test_a_block_that_stands_twice_is_read_once():
    posts = "".join(
        f"<div><p>Post {n}: it stood at {n} metres.</p>{paragraphs(2).replace('day', f'day {n}')}{SIGNATURE}</div>"
        for n in range(9)
    )
    said = candidate(body(f"<main><h1>Levels</h1>{posts}</main>"))
    assert said.count("MARK") == 1
    assert all(f"Post {n}:" in said for n in range(9))


def test_where_most_is_repetition_nothing_goes():
    assert candidate(body("<main><h1>Levels</h1>" + SIGNATURE * 9 + "</main>")).count("MARK") == 9


@pytest.mark.parametrize("block", ["pre", "table"])
def test_code_and_tables_may_repeat(block):
    inner = {
        "pre": "<pre><span>" + "level = read(post)\n" * 5 + "</span></pre>",
        "table": "<table><tr><th>Day of reading<th>Level of the water<tr><td>Monday morning<td>four metres and a half</table>",
    }[block]
    said = parsed(body(f"<main>{ARTICLE}<div>{inner}</div><p>And again:</p><div>{inner}</div></main>"))
    assert [part["kind"] for part in said["blocks"]].count({"pre": "code", "table": "table"}[block]) == 2


def test_short_lines_may_repeat():
    said = text_of(
        parsed(body("<main><h1>Scores</h1>" + "<div><p>Draw, one all.</p></div>" * 12 + paragraphs(3) + "</main>"))
    )
    assert said.count("Draw, one all.") == 12


def test_equal_words_in_other_parts_are_equal():
    page = tree.parse(
        "<body><div><p>one two</p><p>three</p></div><section><b>one</b> two <i>three</i></section><p>one three two</p></body>"
    )
    root = page.root.find("body")
    digests = teasers._digests(root, measure(root))
    div, section, other = list(root)
    assert digests[div] == digests[section]
    assert digests[div] != digests[other]


def test_sizes_leave_out_what_is_gone():
    root = tree.parse("<body><div>four<a href=x>six6<b>in</b></a></div>tail<p>two</p></body>").root.find("body")
    sizes = measure(root)
    div = root.find("div")
    assert sizes[root] == (17, 6, 1)
    assert without(sizes, ()) is sizes
    left = without(sizes, {div})
    assert left[root] == (7, 0, 0)
    assert div not in left and div.find("a") not in left
    inner = without(sizes, {root.find(".//b")})
    assert (inner[div], inner[root]) == ((8, 4, 1), (15, 4, 1))
    assert without(sizes, {div, div.find("a")}) == left


def test_a_shell_with_its_data_in_scripts_is_told():
    data = "<script>var data = '" + "x" * 120_000 + "'</script>"
    menu = "<div>" + "<a href=/x>Some shop department</a> " * 60 + "</div>"
    assert parsed(body(menu + data))["markup"]["likely_spa"]
    assert not parsed(body(menu + paragraphs(6) + data))["markup"]["likely_spa"]
    assert not parsed(body(menu))["markup"]["likely_spa"]


def test_a_heading_that_is_a_button_is_a_heading():
    question = "<h3><button aria-expanded=true><span>How deep is the lock?</span></button></h3>"
    other = "<button><h3>How long is it?</h3></button>"
    said = parsed(
        body(f"<main>{ARTICLE}{question}<p>Four metres.</p>{other}<p>Ninety.</p><button>Copy</button></main>")
    )
    headings = [part["text"] for part in said["blocks"] if part["kind"] == "heading"]
    assert headings == ["Water level", "How deep is the lock?", "How long is it?"]
    assert "Copy" not in text_of(said)


@pytest.mark.parametrize("name", ["cookies", "related", "sharing"])
def test_a_section_that_bears_the_name_of_its_title_is_content(name):
    title = {"cookies": "Cookies", "related": "Related settings of the gate", "sharing": "Sharing a reading"}[name]
    section = f"<section id={name}><h2>{title}</h2><p>MARK is read from the request.</p></section>"
    assert "MARK" in candidate(body(f"<main>{LONG}{section}</main>"))
    assert "MARK" not in candidate(
        body(f"<main>{LONG}<section id={name}><h2>Before you go</h2><p>MARK</p></section></main>")
    )


@pytest.mark.parametrize("name", ["hljs-comment", "sp-syntax-comment", "nav"])
def test_nothing_is_chrome_inside_code(name):
    code = f"<pre><code>open(gate)  <span class={name}># MARK by hand</span>\nshut(gate)</code></pre>"
    said = parsed(body(f"<main>{LONG}{code}</main>"))
    assert "open(gate)  # MARK by hand\nshut(gate)" in [part["text"] for part in said["blocks"]]


def test_a_list_of_links_that_a_sentence_announces_is_content():
    links = "<ul>" + "".join(f"<li><a href=/{name}>{name} MARK of the reading</a></li>" for name in "ABCDE") + "</ul>"
    assert candidate(body(f"<main>{LONG}<p>A reading is one of these:</p>{links}</main>")).count("MARK") == 5
    assert "MARK" not in candidate(body(f"<main>{LONG}<p>A reading is a number.</p>{links}</main>"))


def test_a_page_without_head_and_body_tags_is_read_whole():
    said = text_of(parsed(f"<title>t</title><nav>Menu</nav><main>{ARTICLE}<p>MARK</p></main>"))
    assert "stone post" in said and "MARK" in said


def test_links_are_numbered_by_what_is_kept():
    menu = "<nav><a href=/a>a</a> <a href='javascript:x()'>b</a></nav>"
    said = parsed(
        body(f"{menu}<main>{LONG}<p>See <a href=/book>the book</a>, <a href='javascript:y()'>or not</a>.</p></main>")
    )
    assert [link["url"] for link in said["links"]] == ["https://example.com/book"]
    last = said["blocks"][-1]
    assert [(kind, last["text"][start:end], number) for kind, start, end, number in last["spans"]] == [
        ("link", "the book", 1)
    ]
    assert said["markup"]["active_markup"] == [["javascript_url", 1]]


@pytest.mark.parametrize(("words", "data", "told"), [(42, 90_000, True), (52, 90_000, False), (110, 500_000, False)])
def test_a_few_words_with_the_rest_in_scripts_are_told(words, data, told):
    page = body(f"<main><p>{'word ' * words}</p></main><script>var data = '{'x' * data}'</script>")
    assert parsed(page)["markup"]["likely_spa"] is told
