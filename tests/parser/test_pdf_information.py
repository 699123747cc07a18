"""Title and outline: believed where a page says the same, set aside where none does."""

import pytest

from guarded_webfetch.core.limits import MAX_TITLE_CHARS
from guarded_webfetch.parser import pdf_information
from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.make_pdf import Pdf, line
from tests.parser.test_pdf import read

warm_pdf()


def titled(info, *lines):
    parsed = read(Pdf(info=info).page(b"".join(lines)).build())
    return parsed["title"], [(piece["technique"], piece["text"]) for piece in parsed["hidden"]]


@pytest.mark.parametrize(
    ("info", "shown", "title"),
    [
        (b"<< /Title (  A\n title ) >>", "A title", "A title"),
        (b"<< /Title (A TITLE) >>", "a title.", "A TITLE"),
        (b"<< /Title (%s) >>" % (b"t" * (MAX_TITLE_CHARS - 1)), "t" * (MAX_TITLE_CHARS - 1), "t" * (MAX_TITLE_CHARS - 1)),
        (b"<< /Title (%s) >>" % (b"t" * MAX_TITLE_CHARS), "t" * MAX_TITLE_CHARS, "t" * MAX_TITLE_CHARS),
        (b"<< /Title (%s) >>" % (b"t" * (MAX_TITLE_CHARS + 1)), "t" * (MAX_TITLE_CHARS + 1), "t" * MAX_TITLE_CHARS),
    ],
)  # fmt: skip
def test_a_title_that_the_page_says(info, shown, title):
    assert titled(info, line(shown, x=0, size=2.5)) == (title, [])


def test_a_japanese_title():
    assert titled(b"<< /Title <FEFF6C349580> >>", line("水門", font=b"/F2")) == ("水門", [])


def test_a_title_that_only_the_file_says_is_set_aside():
    assert titled(b"<< /Title (Send it) >>", line("Report")) == (None, [("metadata", "Send it")])


def test_the_largest_line_is_the_title_then():
    lines = [line("Annual report", y=170, size=24), *(line(f"line {n}", y=140 - 14 * n) for n in range(4))]
    assert titled(b"<< /Title (doc1.indd) >>", *lines) == ("Annual report", [("metadata", "doc1.indd")])


def test_a_large_title_of_two_lines():
    lines = [line("Annual", y=170, size=24), line("report", y=145, size=24), *(line("x", y=9 * n) for n in range(9))]
    assert titled(b"<< >>", *lines) == ("Annual report", [])


def test_lines_of_one_size_are_no_title():
    assert titled(b"<< >>", line("one", y=150), line("two", y=136)) == (None, [])


def test_a_large_number_is_no_title():
    assert titled(b"<< >>", line("42", y=150, size=30), line("two", y=130), line("three", y=116)) == (None, [])


def test_subject_keywords_and_author_are_set_aside():
    info = b"<< /Subject (Send it) /Keywords (now) /Author (report) /Producer (maker) >>"
    assert titled(info, line("Report")) == (None, [("metadata", "Send it"), ("metadata", "now")])


def outlined(entries, *lines):
    """`entries` of the outline, each its title, its page (from 0) and how deep it stands."""
    document = Pdf(catalog=b"/Outlines 5 0 R")
    root = document.add(b"")
    assert root == 5
    for content in lines:
        document.page(content)
    numbers = [document.add(b"") for _ in entries]
    for at, (title, page, depth) in enumerate(entries):
        after = next((n for n in range(at + 1, len(entries)) if entries[n][2] <= depth), None)
        body = b"/Title (%s) /Parent 5 0 R" % title.encode()
        if after is not None and entries[after][2] == depth:
            body += b" /Next %d 0 R" % numbers[after]
        if at + 1 < len(entries) and entries[at + 1][2] > depth:
            body += b" /First %d 0 R /Last %d 0 R" % (numbers[at + 1], numbers[at + 1])
        if page is not None:
            body += b" /Dest [%d 0 R /Fit]" % document.kids[page]
        document.objects[numbers[at]] = b"<< " + body + b" >>"
    document.objects[root] = b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (numbers[0], numbers[-1])
    return read(document.build())


def test_an_entry_of_the_outline_makes_its_line_a_heading():
    parsed = outlined(
        [("1. Locks", 0, 1), ("Gates", 0, 2), ("2. Ponds", 1, 1)],
        line("1. Locks", y=170) + line("Text.", y=156) + line("Gates", y=142) + line("More.", y=128),
        line("2. Ponds", y=170) + line("End.", y=156),
    )
    assert [(b["kind"], b["text"], b.get("level")) for b in parsed["blocks"]] == [
        ("page", "1", None), ("heading", "1. Locks", 1), ("paragraph", "Text.", None), ("heading", "Gates", 2),
        ("paragraph", "More.", None), ("page", "2", None), ("heading", "2. Ponds", 1), ("paragraph", "End.", None),
    ]  # fmt: skip
    assert parsed["hidden"] == []


def test_a_heading_over_two_lines_is_one():
    parsed = outlined([("Locks and ponds", 0, 1)], line("Locks and", y=170) + line("ponds", y=156) + line("x", y=142))
    assert [b["text"] for b in parsed["blocks"] if b["kind"] == "heading"] == ["Locks and ponds"]


def test_the_number_of_a_section_may_stand_in_one_place_only():
    parsed = outlined([("Locks", 0, 1), ("2. Ponds", 0, 1)], line("1.1 Locks", y=170) + line("Ponds", y=156))
    assert [b["text"] for b in parsed["blocks"] if b["kind"] == "heading"] == ["1.1 Locks", "Ponds"]


def test_an_entry_that_no_page_says_is_set_aside():
    parsed = outlined([("Send it", 0, 1), ("now", None, 1)], line("Report"))
    assert [piece["text"] for piece in parsed["hidden"]] == ["Send it", "now"]
    assert {piece["technique"] for piece in parsed["hidden"]} == {"metadata"}
    assert all(b["kind"] != "heading" for b in parsed["blocks"])


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_outline_limit(monkeypatch, more):
    monkeypatch.setattr(pdf_information, "MAX_BOOKMARKS", 3)
    parsed = outlined([(f"entry {n}", 0, 1) for n in range(3 + more)], line("Report"))
    assert len(parsed["hidden"]) == min(3, 3 + more)


def test_an_outline_in_a_circle_ends():
    document = Pdf(catalog=b"/Outlines 5 0 R")
    root, entry = (
        document.add(b"<< /Type /Outlines /First 6 0 R /Last 6 0 R >>"),
        document.add(b"<< /Title (round) /Parent 5 0 R /Next 6 0 R /First 6 0 R /Last 6 0 R >>"),
    )
    assert (root, entry) == (5, 6)
    parsed = read(document.page(line("Report")).build())
    assert [piece["text"] for piece in parsed["hidden"]] == ["round"]
