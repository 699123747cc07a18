"""Links of a PDF: the words in their area, their addresses, their limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.parser import pdf_links
from guarded_webfetch.parser.pdf import warm_pdf
from guarded_webfetch.parser.pdf_links import END, START, take_spans
from tests.parser.make_pdf import Pdf, line
from tests.parser.test_pdf import read

warm_pdf()

URL = b"https://example.org/a"


def linked(content, *links):
    """(the words of each span with its number, the link table) of a page; a link is rect, URL and further entries."""
    document = Pdf()
    parsed = read(document.page(content, annotations=[document.link(*link) for link in links]).build())
    spans = [(b["text"][start:end], number) for b in parsed["blocks"] for _, start, end, number in b["spans"]]
    return spans, parsed["links"], parsed


def test_the_words_in_the_area_are_the_link():
    spans, links, _ = linked(line("Read the report today"), (b"49 146 107 165", URL))
    assert spans == [("the report", 1)]
    assert links == [{"url": "https://example.org/a", "text": "the report"}]


@pytest.mark.parametrize(("right", "words"), [(30, []), (45, ["report"]), (65, ["report"]), (98, ["report today"])])
def test_an_area_drawn_a_little_short_or_wide_holds_whole_words(right, words):
    spans, _, _ = linked(line("report today"), (b"18 146 %d 165" % right, URL))
    assert [text for text, _ in spans] == words


def test_a_link_over_two_lines_is_one():
    content = line("See the annual", y=150) + line("report of 2026", y=136)
    quads = b"/QuadPoints [44 162 110 162 44 148 110 148 18 147 54 147 18 133 54 133]"
    spans, links, _ = linked(content, (b"18 133 110 162", URL, quads))
    assert spans == [("the annual\nreport", 1)]
    assert links == [{"url": "https://example.org/a", "text": "the annual report"}]


def test_a_word_broken_at_the_line_end_stays_one_word_in_its_link():
    content = line("The infor-", y=150) + line("mation office", y=136)
    quads = b"/QuadPoints [43 162 90 162 43 148 90 148 18 147 57 147 18 133 57 133]"
    spans, links, parsed = linked(content, (b"18 133 90 162", URL, quads))
    assert parsed["blocks"][1]["text"] == "The information office"
    assert spans == [("information", 1)] and links[0]["text"] == "information"


def test_links_are_numbered_in_the_order_of_the_text():
    content = line("one", y=150) + line("two", y=136)
    second, first = (b"18 134 50 147", b"https://example.org/2"), (b"18 148 50 162", b"https://example.org/1")
    spans, links, _ = linked(content, second, first)
    assert spans == [("one", 1), ("two", 2)]
    assert [link["url"][-1] for link in links] == ["1", "2"]


def test_of_two_areas_over_each_other_the_upper_counts():
    spans, links, _ = linked(line("word"), (b"18 146 60 165", URL), (b"18 146 60 165", b"https://example.org/top"))
    assert spans == [("word", 1)] and links[0]["url"] == "https://example.org/top"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (b"page.html", "https://example.com/page.html"),
        (b"//other.example/x", "https://other.example/x"),
        ("https://例え.example/道".encode(), "https://xn--r8jz45g.example/%E9%81%93"),
        (b"HTTPS://EXAMPLE.org", "https://EXAMPLE.org/"),
    ],
)
def test_addresses_are_absolute_and_ascii(url, expected):
    assert linked(line("word"), (b"18 146 60 165", url))[1] == [{"url": expected, "text": "word"}]


@pytest.mark.parametrize("url", [b"mailto:a@example.org", b"file:///etc/passwd", b"ftp://example.org/", b""])
def test_other_schemes_leave_the_words_alone(url):
    spans, links, parsed = linked(line("word"), (b"18 146 60 165", url))
    assert spans == [] and links == [] and parsed["blocks"][1]["text"] == "word"


def test_scripts_in_links_are_counted():
    parsed = linked(line("word"), (b"18 146 60 165", b"javascript:app.alert\\(1\\)"))[2]
    assert parsed["markup"]["active_markup"] == [["javascript_url", 1]] and parsed["links"] == []


@pytest.mark.parametrize(
    ("content", "rect", "entries"),
    [
        (line("word"), b"200 20 250 40", b""),  # over nothing
        (line("word"), b"18 146 60 165", b"/F 2"),  # not shown
        (line("word", mode=3) + line("shown", y=50), b"18 146 60 165", b""),  # over hidden words
    ],
)
def test_a_link_without_visible_words_takes_no_row(content, rect, entries):
    spans, links, _ = linked(content, (rect, URL, entries))
    assert spans == [] and links == []


def test_a_jump_inside_the_document_is_no_link():
    document = Pdf()
    jump = document.annotation(b"Link", b"18 146 60 165", b"/Dest [4 0 R /Fit]")
    assert read(document.page(line("word"), annotations=[jump]).build())["links"] == []


def test_a_link_under_a_filled_in_field_keeps_its_words():
    document = Pdf()
    field = document.annotation(b"Widget", b"60 96 160 116", b"/FT /Tx /T (n) /V (Ada)", drawn=b"Ada")
    parsed = read(document.page(line("Name:", y=100), annotations=[document.link(b"18 96 60 116", URL), field]).build())
    assert parsed["blocks"][1] == {"kind": "paragraph", "text": "Name: Ada", "spans": [("link", 0, 5, 1)]}


def test_beyond_the_budget_words_stay_without_their_link(monkeypatch):
    monkeypatch.setattr(pdf_links, "_MAX_COMPARISONS", 1)
    spans, _, parsed = linked(line("word"), (b"18 146 60 165", URL))
    assert spans == [] and parsed["blocks"][1]["text"] == "word"


@given(
    st.lists(st.tuples(st.text("ab \n", max_size=5), st.text("xy ", min_size=1, max_size=5)), max_size=6), st.text("ab")
)
def test_marks_come_out_as_spans_of_the_same_words(pieces, tail):
    marked = "".join(f"{before}{START}{inside}{END}" for before, inside in pieces) + tail
    text, spans = take_spans(marked, range(1, len(pieces) + 1))
    assert text == "".join(before + inside for before, inside in pieces) + tail
    assert [text[start:end] for _, start, end, _ in spans] == [inside for _, inside in pieces]


def test_noncharacters_of_the_page_itself_are_no_marks():
    assert take_spans("plain", []) == ("plain", [])
    assert pdf_links.without_marks(f"a{START}b{END}c") == "abc"
