"""How blocks are written."""

from tests.sanitizer.orders import block, paragraph, text_of

LINKS = [{"url": "https://example.org/a(1)", "text": "here"}]


def test_blocks_stand_a_blank_line_apart_and_items_a_line():
    blocks = [
        block("heading", "Title", level=2),
        block("item", "one", depth=0),
        block("item", "two", depth=1, number=4),
        paragraph("more", depth=1),
        block("item", "three", depth=0),
        block("rule"),
        paragraph("end", quote=2),
    ]
    assert text_of(*blocks) == "## Title\n\n- one\n  4. two\n\n    more\n\n- three\n\n---\n\n> > end"


def test_lines_of_a_quote_and_of_an_item_keep_their_mark():
    assert text_of(paragraph("a\nb", quote=1)) == "> a\n> b"
    assert text_of(block("item", "a\nb", depth=1)) == "  - a\n    b"


def test_a_fence_is_longer_than_any_run_inside():
    code = "intro\n```\ninner\n```"
    assert text_of(block("code", code, language="python")) == f"````python\n{code}\n````"
    assert text_of(block("code", "x = 1\n")) == "```\nx = 1\n```"
    assert text_of(block("code", "x", quote=1)) == "> ```\n> x\n> ```"


def test_a_language_that_is_none_is_left_out():
    assert text_of(block("code", "x", language="no such one!")) == "```\nx\n```"


def cell(text, *spans):
    return {"text": text, "spans": list(spans)}


def test_a_table_keeps_its_pipes_and_lines():
    rows = [[cell("Pattern"), cell("Matches")], [cell("a|b", ("code", 0, 3, 0)), cell("either\ngate")]]
    assert text_of(block("table", rows=rows)) == "| Pattern | Matches |\n| --- | --- |\n| `a\\|b` | either gate |"


def test_links_are_numbered_or_written_out():
    blocks = [paragraph("Look here now", ("link", 5, 9, 1))]
    assert text_of(*blocks, links=LINKS) == "Look [here][L1] now"
    assert text_of(*blocks, links=LINKS, link_style="inline") == "Look [here](https://example.org/a%281%29) now"


def test_a_link_whose_text_is_its_address_is_the_number_alone():
    text = "See https://example.org/a now"
    assert text_of(paragraph(text, ("link", 4, 25, 1)), links=LINKS) == "See [L1] now"


def test_nested_spans_close_in_order():
    assert text_of(paragraph("run it", ("link", 0, 6, 1), ("code", 0, 3, 0)), links=LINKS) == "[`run` it][L1]"
    assert text_of(paragraph("ab", ("link", 0, 1, 1), ("code", 1, 2, 0)), links=LINKS) == "[a][L1]`b`"


def test_inline_code_with_backticks_gets_a_longer_run():
    assert text_of(paragraph("use `x` now", ("code", 4, 7, 0))) == "use `` `x` `` now"


def test_digits_above_and_below_the_line_are_told_apart():
    assert text_of(paragraph("1021 and H2O", ("sup", 2, 4, 0), ("sub", 10, 11, 0))) == "10^21 and H_2O"
    assert text_of(paragraph("the 1st", ("sup", 5, 7, 0))) == "the 1st"


def test_emphasis_changes_no_word():
    assert text_of(paragraph("Bold start", ("strong", 0, 1, 0), ("em", 5, 10, 0))) == "Bold start"


def test_pages_and_closed_details_have_marks():
    blocks = [block("page", "3"), block("details", "Hours"), paragraph("Daily", inside=True), paragraph("After")]
    expected = "--- page 3 ---\n\n--- details ---\n\nHours\n\nDaily\n\n--- end of details ---\n\nAfter"
    assert text_of(*blocks) == expected
    assert text_of(*blocks[:3]).endswith("Daily\n\n--- end of details ---")


def test_verbatim_text_is_printed_as_it_stands():
    text = 'a,b\n"x|y",  2\n\n\n# not a heading\n'
    assert text_of(paragraph(text), verbatim=True, kind="text") == text


def test_verbatim_data_keeps_its_addresses_and_verbatim_prose_does_not():
    data = '{"url": "https://example.org/a"}'
    assert text_of(block("code", data), verbatim=True, kind="text") == data
    assert text_of(paragraph("See https://example.org/a"), verbatim=True, kind="text") == "See [L1]"
