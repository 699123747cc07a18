"""Where what annotations write goes in the text of a page."""

import pytest

from guarded_webfetch.parser import pdf_fields
from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.make_pdf import Pdf, line
from tests.parser.test_pdf import read, texts

warm_pdf()


def filled(content, *fields):
    """The texts of a page with fields: each its rectangle and what it shows."""
    document = Pdf()
    annotations = [document.annotation(b"Widget", rect, b"/FT /Tx /T (n)", drawn=drawn) for rect, drawn in fields]
    return texts(read(document.page(content, annotations=annotations).build()))


@pytest.mark.parametrize(
    ("content", "fields", "expected"),
    [
        (line("Name: ________", y=100), [(b"60 96 160 116", b"Ada")], ["Name: ________ Ada"]),
        (
            line("Name:", y=100) + line("Born:", x=150, y=100),
            [(b"60 96 140 116", b"Ada"), (b"185 96 280 116", b"1815")],
            ["Name: Ada\nBorn: 1815"],
        ),
        (
            line("Name:", y=100) + line("Town:", y=80),
            [(b"60 76 160 96", b"London"), (b"60 96 160 116", b"Ada")],
            ["Name: Ada\nTown: London"],
        ),
        (line("I agree", x=42, y=100), [(b"20 96 40 116", b"x")], ["x I agree"]),
        (line("Title", y=170) + line("End", y=20), [(b"20 90 120 110", b"Alone")], ["Title", "Alone", "End"]),
        (line("Title", y=100), [(b"20 150 120 170", b"Above")], ["Above", "Title"]),
        (b"", [(b"20 150 120 170", b"Only")], ["Only"]),
        (
            line("Code:", y=100),
            [(b"%d 96 %d 116" % (60 + 12 * n, 160 + 12 * n), b"%d" % n) for n in range(4)],
            ["Code: 0123"],
        ),
    ],
    ids=["leaders", "two labels on a line", "two lines", "tick box", "between", "above", "no other text", "comb"],
)
def test_a_field_is_written_where_a_reader_sees_it(content, fields, expected):
    assert filled(content, *fields) == expected


def test_beyond_the_budget_fields_stand_at_the_end(monkeypatch):
    monkeypatch.setattr(pdf_fields, "_MAX_COMPARISONS", 2)
    assert "\n".join(filled(line("Name:", y=100) + line("End", y=20), (b"60 96 160 116", b"Ada"))).endswith("Ada")
