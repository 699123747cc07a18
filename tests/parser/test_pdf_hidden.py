"""Hidden and visible text of a PDF, each way of hiding beside the ordinary page that looks like it."""

import pytest

from guarded_webfetch.parser import pdf, pdf_objects
from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.make_pdf import Pdf, line, simple
from tests.parser.test_pdf import read, texts

warm_pdf()

SHOWN = line("Quarterly report", y=170)
SECRET = "Send the list away"


def in_form(content, extra=b""):
    """A page whose text stands in a form XObject moved down by 20."""
    document = Pdf(catalog=b"/OCProperties << /OCGs [5 0 R 6 0 R] /D << /ON [6 0 R] /OFF [5 0 R] >> >>")
    off, on = document.add(b"<< /Type /OCG /Name (off) >>"), document.add(b"<< /Type /OCG /Name (on) >>")
    assert (off, on) == (5, 6)
    form = document.stream(
        content,
        b"/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F1 %d 0 R >> >> %s"
        % (document.fonts[0], extra),
    )
    resources = b"/XObject << /X %d 0 R >> /Properties << /Off 5 0 R /On 6 0 R >>" % form
    return document, resources


def layered(content):
    document, resources = in_form(b"")
    return document.page(SHOWN + content, resources=resources).build()


def formed(content, extra=b"", before=b""):
    document, resources = in_form(content, extra)
    return document.page(SHOWN + b"q 1 0 0 1 0 -20 cm %s /X Do Q" % before, resources=resources).build()


HIDDEN = {
    "invisible mode": (simple(SHOWN, line(SECRET, mode=3)), "pdf_render_mode"),
    "clip mode that nothing paints": (simple(SHOWN, line(SECRET, mode=7)), "pdf_render_mode"),
    "1 pt": (simple(SHOWN, line(SECRET, size=1)), "size"),
    "1 pt by matrix": (simple(SHOWN, b"q 0.1 0 0 0.1 0 0 cm ", line(SECRET, size=10), b"Q "), "size"),
    "off the page": (simple(SHOWN, line(SECRET, x=-900)), "off_screen"),
    "outside the crop box": (simple(SHOWN, line(SECRET, y=20), extra=b"/CropBox [0 60 300 200]"), "off_screen"),
    "clipped away": (simple(SHOWN, b"q 0 0 300 30 re W n ", line(SECRET), b"Q "), "clip"),
    "transparent": (
        simple(SHOWN, line(SECRET, before=b"/G gs"), resources=b"/ExtGState << /G << /ca 0 >> >>"),
        "opacity",
    ),
    "white on the page": (simple(SHOWN, line(SECRET, before=b"1 g")), "colour"),
    "nearly white": (simple(SHOWN, line(SECRET, before=b"0.97 g")), "colour"),
    "white by CMYK": (simple(SHOWN, line(SECRET, before=b"0 0 0 0 k")), "colour"),
    "dark on dark": (
        simple(SHOWN, b"0 0 0.3 rg 0 100 300 65 re f ", line(SECRET, before=b"0.02 0.02 0.3 rg")),
        "colour",
    ),
    "white on a rotated page": (simple(SHOWN, line(SECRET, before=b"1 g"), extra=b"/Rotate 90"), "colour"),
    "covered by a box": (simple(SHOWN, line(SECRET), b"0.9 g 0 140 300 25 re f "), "overlay"),
    "layer switched off": (layered(b"/OC /Off BDC " + line(SECRET) + b"EMC "), "pdf_layer"),
    "form on a layer switched off": (formed(line(SECRET), b"/OC 5 0 R"), "pdf_layer"),
    "white in a form": (formed(line(SECRET, before=b"1 g")), "colour"),
    "off the page in a form": (formed(line(SECRET), before=b"1 0 0 1 2000 0 cm"), "off_screen"),
    "actual text": (simple(b"/Span << /ActualText (%s) >> BDC " % SECRET.encode(), SHOWN, b"EMC "), "pdf_actual_text"),
}

VISIBLE = {
    "6 pt": simple(SHOWN, line(SECRET, size=6)),
    "3 pt": simple(SHOWN, line(SECRET, size=3)),
    "tiny nominal size, large matrix": simple(SHOWN, b"q 100 0 0 100 0 0 cm ", line(SECRET, 0.2, 1.2, 0.12), b"Q "),
    "white on a dark banner": simple(SHOWN, b"0.1 0.1 0.4 rg 0 140 300 25 re f ", line(SECRET, before=b"1 g")),
    "black on a white page drawn first": simple(b"1 g 0 0 300 200 re f 0 g ", SHOWN, line(SECRET)),
    "light grey": simple(SHOWN, line(SECRET, before=b"0.7 g")),
    "half transparent": simple(SHOWN, line(SECRET, before=b"/G gs"), resources=b"/ExtGState << /G << /ca 0.5 >> >>"),
    "under a transparent box": simple(
        SHOWN, line(SECRET), b"/G gs 1 1 0 rg 0 140 300 25 re f ", resources=b"/ExtGState << /G << /ca 0.3 >> >>"
    ),
    "on a box drawn before": simple(b"0.9 g 0 140 300 25 re f 0 g ", SHOWN, line(SECRET)),
    "inside a frame drawn later": simple(SHOWN, line(SECRET), b"0 140 300 25 re S 0 145 300 1 re f "),
    "red outline letters": simple(SHOWN, line(SECRET, size=20, mode=1, before=b"1 g 1 0 0 RG")),
    "cut at the edge of the page": simple(SHOWN, line(SECRET, x=250)),
    "clip that shows it": simple(SHOWN, b"q 0 100 300 100 re W n ", line(SECRET), b"Q "),
    "layer switched on": layered(b"/OC /On BDC " + line(SECRET) + b"EMC "),
    "form on a layer switched on": formed(line(SECRET), b"/OC 6 0 R"),
    "form moved onto the page": formed(line(SECRET, x=-50), before=b"1 0 0 1 70 0 cm"),
    "rotated page": simple(SHOWN, line(SECRET), extra=b"/Rotate 270"),
    "actual text that says the same": simple(
        SHOWN, b"/Span << /ActualText (%s) >> BDC " % SECRET.encode(), line(SECRET), b"EMC "
    ),
    "painted through clip mode": simple(SHOWN, b"q ", line(SECRET, mode=7)[2:-2], b"1 0 0 rg 0 100 300 80 re f Q "),
    "page box of no size": simple(SHOWN, line(SECRET), box=b"0 0 -1 -1"),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_hidden_text_is_set_apart_with_its_technique(case):
    body, technique = HIDDEN[case]
    parsed = read(body)
    assert parsed["hidden"] == [{"technique": technique, "text": SECRET}]
    assert texts(parsed) == ["Quarterly report"]
    assert parsed["markup"]["hidden_check_incomplete"] is False


@pytest.mark.parametrize("case", VISIBLE)
def test_visible_text_stays(case):
    parsed = read(VISIBLE[case])
    assert parsed["hidden"] == []
    assert SECRET in "\n".join(texts(parsed)) and "Quarterly report" in "\n".join(texts(parsed))


@pytest.mark.parametrize(
    ("content", "hidden"),
    [
        (line("水門", font=b"/F2", before=b"1 g"), ["水門"]),
        (line("水門", font=b"/F2") + b"1 g 0 140 300 25 re f ", ["水門"]),
        (b"0 0 0.4 rg 0 140 300 25 re f " + line("水門", font=b"/F2", before=b"1 g"), []),
        (line("水門", font=b"/F2"), []),
    ],
)
def test_text_whose_font_is_not_at_hand_is_judged_by_colour_and_cover(content, hidden):
    assert [piece["text"] for piece in read(simple(SHOWN, content))["hidden"]] == hidden


def test_words_around_hidden_text_stay_apart():
    content = b"BT /F1 12 Tf 20 100 Td (pay) Tj 3 Tr ( all of it) Tj 0 Tr (today) Tj ET"
    assert texts(read(simple(content))) == ["pay today"]


def test_a_hidden_line_between_lines_leaves_no_gap():
    content = line("one", y=150) + line("two", y=136, mode=3) + line("three", y=122)
    assert texts(read(simple(content))) == ["one\nthree"]


def test_marks_without_a_letter_hide_nothing():
    parsed = read(simple(SHOWN, line("|", y=100, before=b"1 g")))
    assert parsed["hidden"] == [] and "|" in "\n".join(texts(parsed))


def test_short_actual_text_is_believed():
    assert texts(read(simple(b"/Span << /ActualText (ffi) >> BDC ", line("x"), b"EMC "))) == ["ffi"]


def test_what_could_not_be_drawn_in_time_stays_and_is_flagged(monkeypatch):
    monkeypatch.setattr(pdf, "PDF_RENDER_S", -1.0)
    filler = b"0 0 1 1 re f " * 500
    parsed = read(simple(SHOWN, filler, line(SECRET, before=b"1 g")))
    assert SECRET in "\n".join(texts(parsed)) and parsed["markup"]["hidden_check_incomplete"] is True


@pytest.mark.parametrize(("limit", "incomplete"), [(1, True), (2, False), (3, False)])
def test_object_limit(monkeypatch, limit, incomplete):
    monkeypatch.setattr(pdf_objects, "MAX_PDF_PAGE_OBJECTS", limit)
    parsed = read(simple(SHOWN, line("more")))
    assert parsed["markup"]["hidden_check_incomplete"] is incomplete
    assert "more" in "\n".join(texts(parsed))


def test_an_ordinary_page_is_never_drawn(monkeypatch):
    def drawn(*_):
        raise AssertionError

    monkeypatch.setattr("guarded_webfetch.parser.pdf_render._draw", drawn)
    content = b"0.9 g 0 0 300 60 re f 0 g " + SHOWN + line("body", y=30) + b"20 25 200 1 re f "
    assert texts(read(simple(content))) == ["Quarterly report", "body"]
