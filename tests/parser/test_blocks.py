"""The writer, block kind by block kind, without the choice of content before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from guarded_webfetch.parser.blocks import BlockWriter
from guarded_webfetch.parser.links import LinkTable


def write(fragment):
    root = html.fragment_fromstring(fragment, create_parent="body")
    links = LinkTable("https://example.com/docs/page")
    return BlockWriter(links).write(root), links.rows()


def texts(fragment):
    return [block["text"] for block in write(fragment)[0]]


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("<p><b>Un</b>believable <i> rain </i>fell</p>", ["Unbelievable rain fell"]),
        ("<p></p><span>a,</span><span> </span><span>b</span>", ["a, b"]),
        ("<p>one<br>two<br/>\n three</p>", ["one\ntwo\nthree"]),
        ("<p>  a\n\t b  </p>c", ["a b", "c"]),
        ("<div>a<p>b</p>c</div>", ["a", "b", "c"]),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字", ["漢(かん)字"]),
        ("<p>a\xa0b</p>", ["a\xa0b"]),
        ("<p>x<img alt=no>y<script>no</script>z<button>no</button></p>", ["xyz"]),
        ("<pre>\n  a\n\n b\t<b>c</b>\n</pre>", ["  a\n\n b\tc"]),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", ["a\nb"]),
        ("<pre><span class=line>a</span><span class=line>b</span></pre>", ["a\nb"]),
        ("<pre><div>a</div><div>  b</div></pre>", ["a\n  b"]),
        ("<h2>Use <a href='#use'>¶</a></h2>", ["Use"]),
        ("<h2>two <div>parts</div></h2>", ["two parts"]),
    ],
)
def test_text(fragment, expected):
    assert texts(fragment) == expected


def test_spans_stay_apart_from_spaces_and_split_at_blocks():
    blocks, links = write("<p>a<b> b </b>c 10<sup>21</sup></p><a href='../x?q=1'>l<p>m</p></a>")
    assert blocks[0]["spans"] == [("strong", 2, 3, 0), ("sup", 8, 10, 0)]
    assert [block["spans"] for block in blocks[1:]] == [[("link", 0, 1, 1)], [("link", 0, 1, 1)]]
    assert links == [{"url": "https://example.com/x?q=1", "text": "l m"}]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("../next", "https://example.com/next"),
        ("/reference?post=7&full=1#top", "https://example.com/reference?post=7&full=1#top"),
        ("//other.example/x", "https://other.example/x"),
        ("http://例.example/ä?ö", "http://xn--fsq.example/%C3%A4?%C3%B6"),
        (" ht\ntps://a.example ", "https://a.example/"),
        ("mailto:a@b.example", None),
        ("javascript:x", None),
        ("JaVa\tscript:x", None),
        ("data:text/html,x", None),
        ("http://[", None),
        ("https://a.example/" + "x" * 3000, None),
    ],
)
def test_link_table_holds_absolute_pages_only(href, url):
    assert [row["url"] for row in write(f'<a href="{href}">t</a>')[1]] == ([url] if url else [])


def test_lists_keep_depth_numbers_and_what_belongs_to_an_item():
    blocks, _ = write("<ol start=3><li>three<ul><li>in</li></ul>more</li><li value=7>seven</li><li>eight</li></ol>")
    assert [(b["kind"], b["text"], b.get("depth"), b.get("number")) for b in blocks] == [
        ("item", "three", 0, 3),
        ("item", "in", 1, None),
        ("paragraph", "more", 0, None),
        ("item", "seven", 0, 7),
        ("item", "eight", 0, 8),
    ]
    assert [b.get("number") for b in write("<ol reversed><li>a</li><li>b</li></ol>")[0]] == [2, 1]
    assert [b.get("number") for b in write("<ol start=99999999999999999><li>a</li></ol>")[0]] == [1]


def test_tables_of_data_and_of_layout():
    rows = write(
        "<table><tr><th>A</th><th>B</th><th>C</th></tr>"
        "<tr><td colspan=2>7</td><td rowspan=2>z</td></tr><tr><td>1</td><td>2</td></tr></table>"
    )[0][0]["rows"]
    assert [[cell["text"] for cell in row] for row in rows] == [["A", "B", "C"], ["7", "", "z"], ["1", "2", ""]]
    layout = write("<table><tr><td><h2>Left</h2></td><td><p>Right</p></td></tr></table>")[0]
    assert [block["kind"] for block in layout] == ["heading", "paragraph"]


def test_a_huge_span_makes_no_huge_table():
    rows = write(
        "<table><tr><th colspan=9007199254740991 rowspan=9007199254740991>x</th><td>y</td></tr>"
        "<tr><td>1</td><td>2</td></tr></table>"
    )[0][0]["rows"]
    assert len(rows) == 2
    assert len(rows[0]) <= 10


def test_details_quotes_and_rules():
    closed = "<details><summary>S</summary>in<details><summary>T</summary>deep</details></details>"
    opened = "<details open><summary>O</summary>seen</details>"
    blocks, _ = write(f"<blockquote>q<blockquote>qq</blockquote></blockquote><hr>{closed}out{opened}")
    assert [(b["kind"], b["text"], b.get("quote"), b.get("inside")) for b in blocks] == [
        ("paragraph", "q", 1, None),
        ("paragraph", "qq", 2, None),
        ("rule", "", None, None),
        ("details", "S", None, None),
        ("paragraph", "in", None, True),
        ("paragraph", "T", None, True),
        ("paragraph", "deep", None, True),
        ("paragraph", "out", None, None),
        ("paragraph", "O", None, None),
        ("paragraph", "seen", None, None),
    ]


@pytest.mark.parametrize(
    ("fragment", "language"),
    [
        ("<pre><code class=language-py>x</code></pre>", "py"),
        ("<pre class='lang-C++'>x</pre>", "c++"),
        ("<div class='highlight sh'><pre>x</pre></div>", "sh"),
        ("<div class='highlight-source-rust'><pre>x</pre></div>", "rust"),
        ("<pre class='brush: js'>x</pre>", "js"),
        ("<pre class=wide>x</pre>", None),
        ("<pre class='language-&lt;b&gt;'>x</pre>", None),
    ],
)
def test_language_of_code(fragment, language):
    assert write(fragment)[0][0].get("language") == language


def test_60_000_nested_elements():
    root = html.Element("body")
    inner = root
    for number in range(60_000):
        inner = etree.SubElement(inner, ("div", "blockquote", "b", "li", "details")[number % 5])
    inner.text = "deep"
    assert [block["text"] for block in BlockWriter(LinkTable("https://example.com/")).write(root)][-1] == "deep"


TAGS = st.sampled_from(
    [
        "p",
        "b",
        "a",
        "li",
        "ul",
        "ol",
        "h2",
        "pre",
        "code",
        "table",
        "tr",
        "td",
        "details",
        "summary",
        "ruby",
        "rt",
        "sup",
        "blockquote",
        "br",
        "hr",
    ]
)
TREES = st.recursive(
    st.text("ab \n\xa0¶", max_size=6), lambda inner: st.tuples(TAGS, st.lists(inner, max_size=4)), max_leaves=25
)


def build(parent, tree):
    if isinstance(tree, str):
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + tree
        else:
            parent.text = (parent.text or "") + tree
        return
    element = etree.SubElement(parent, tree[0], href="/x")
    for child in tree[1]:
        build(element, child)


@given(st.lists(TREES, max_size=5))
def test_any_tree_gives_well_formed_blocks(trees):
    root = html.Element("body")
    for tree in trees:
        build(root, tree)
    links = LinkTable("https://example.com/")
    for block in BlockWriter(links).write(root):
        for cell in [block, *(cell for row in block.get("rows", []) for cell in row)]:
            ends = []
            for kind, start, end, number in cell["spans"]:
                assert 0 <= start < end <= len(cell["text"])
                assert (1 <= number <= len(links.rows())) == (kind == "link")
                while ends and ends[-1] <= start:
                    ends.pop()
                assert not ends or end <= ends[-1]
                ends.append(end)


def test_a_heading_in_a_summary_is_a_heading():
    opened = "<details><summary><h5>Deep Dive</h5><h4>Why?</h4><button>Show</button></summary><p>Because.</p></details>"
    blocks = write(opened)[0]
    assert [(block["kind"], block["text"], block.get("inside", False)) for block in blocks] == [
        ("details", "", False), ("heading", "Deep Dive", True), ("heading", "Why?", True), ("paragraph", "Because.", True),
    ]  # fmt: skip
    mixed = write("<details><summary>Read <h4>this</h4></summary><p>x</p></details>")[0]
    assert [(block["kind"], block["text"]) for block in mixed] == [("details", "Read this"), ("paragraph", "x")]
    assert [block["kind"] for block in write("<details open><summary><h3>O</h3></summary>x</details>")[0]] == [
        "heading", "paragraph",
    ]  # fmt: skip


def test_every_block_has_its_owner():
    root = html.fragment_fromstring(
        "<h2>a</h2>b<ul><li>c<p>d</p></ul><pre>e</pre><table><tr><td>f<td>g<tr><td>h<td>i</table>", "body"
    )
    writer = BlockWriter(LinkTable("https://example.com/"))
    writer.write(root)
    assert [owner.tag for owner in writer.owners] == ["h2", "body", "li", "p", "pre", "table"]
    assert len(writer.owners) == len(writer.blocks)
