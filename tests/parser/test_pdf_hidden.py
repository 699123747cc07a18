"""Hidden and visible text of a PDF, each way of hiding beside the ordinary page that looks like it."""

import pytest

from guarded_webfetch.parser import pdf, pdf_objects
from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.make_pdf import Pdf, line, simple, type3
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
        b"/Type /XObject /Subtype /Form /BBox [-100 0 300 200] /Resources << /Font << /F1 %d 0 R >> >> %s"
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


def masked(fill):
    """Text under a soft mask of one brightness."""
    document = Pdf()
    mask = document.stream(
        fill + b" 0 0 300 200 re f",
        b"/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Group << /S /Transparency /CS /DeviceGray >>",
    )
    resources = b"/ExtGState << /G << /SMask << /S /Luminosity /G %d 0 R >> >> >>" % mask
    return document.page(SHOWN + line(SECRET, before=b"/G gs"), resources=resources).build()


def covered_by_annotation():
    document = Pdf()
    box = document.appearance(b"1 g 0 0 300 25 re f", box=b"0 0 300 25")
    square = document.annotation(b"Square", b"0 140 300 165", b"/AP << /N %d 0 R >>" % box)
    return document.page(SHOWN + line(SECRET), annotations=[square]).build()


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
    "covered by a line as broad as a bar": (simple(SHOWN, line(SECRET), b"1 G 25 w 0 153 m 300 153 l S "), "overlay"),
    "covered by strips": (
        simple(SHOWN, line(SECRET), b"1 g " + b"".join(b"%d 140 25 25 re f " % x for x in range(10, 200, 25))),
        "overlay",
    ),
    "covered by what an annotation draws": (covered_by_annotation(), "overlay"),
    "masked away": (masked(b"0 g"), "opacity"),
    "actual text": (simple(b"/Span << /ActualText (%s) >> BDC " % SECRET.encode(), SHOWN, b"EMC "), "pdf_actual_text"),
}

VISIBLE = {
    "behind a mask that lets it through": masked(b"1 g"),
    "underlined and framed by broad lines": simple(
        SHOWN, line(SECRET), b"4 w 0 144 m 300 144 l S 5 w 10 140 200 25 re S "
    ),
    "strips beside it": simple(SHOWN, line(SECRET), b"1 g 0 100 300 45 re f 0 165 300 2 re f "),
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
    "its last letter cut at the edge of the page": simple(SHOWN, line(SECRET, x=205)),
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


def test_letters_in_white_cover_and_are_covered():
    shown, covered = line("Quarterly report", x=150), line("pay", x=41, y=100, size=4)
    parsed = read(simple(shown, covered, line("I", x=20, y=60, size=200, before=b"1 g")))
    assert texts(parsed) == ["Quarterly report"]
    assert {piece["text"] for piece in parsed["hidden"]} == {"pay", "I"}


def test_a_hidden_text_over_a_visible_one_that_is_judged_as_well():
    banner = b"0 0 0.4 rg 0 140 300 25 re f "
    visible, hidden = line(SECRET, before=b"1 g"), line("pay up now", before=b"0 0 0.4 rg")
    parsed = read(simple(SHOWN, banner, hidden, visible))
    assert texts(parsed) == ["Quarterly report\n" + SECRET]
    assert [piece["text"] for piece in parsed["hidden"]] == ["pay up now"]


def test_a_text_written_twice_in_one_place_stays():
    banner = b"0 0 0.4 rg 0 140 300 25 re f "
    parsed = read(simple(SHOWN, banner, line(SECRET, before=b"1 g"), line(SECRET, x=20.2, before=b"1 g")))
    assert texts(parsed) == ["Quarterly report\n" + SECRET] and parsed["hidden"] == []


def test_marks_without_a_letter_hide_nothing():
    parsed = read(simple(SHOWN, line("|", y=100, before=b"1 g")))
    assert parsed["hidden"] == [] and texts(parsed) == ["Quarterly report"]


def test_a_shadow_of_letters_hides_nothing():
    shadow = line("Quarterly report", x=21, y=169, before=b"/G gs")
    parsed = read(simple(shadow, SHOWN, resources=b"/ExtGState << /G << /ca 0 >> >>"))
    assert parsed["hidden"] == [] and texts(parsed) == ["Quarterly report"]


def test_hidden_letters_between_a_shadow_are_read_together():
    shadow = line("Quarterly report", x=21, y=169, mode=3)
    letters = b"".join(line(letter, x=20 + 12 * n, y=60, mode=3) for n, letter in enumerate("payup"))
    parsed = read(simple(shadow, SHOWN, letters))
    assert "".join(piece["text"] for piece in parsed["hidden"]).replace(" ", "") == "payup"


def test_other_words_in_the_place_of_letters_are_no_shadow():
    parsed = read(simple(SHOWN, line(SECRET, x=20, y=170, mode=3)))
    assert [piece["text"] for piece in parsed["hidden"]] == [SECRET]


def test_the_same_words_elsewhere_are_no_shadow():
    parsed = read(simple(SHOWN, line("Quarterly report", y=100, mode=3)))
    assert [piece["text"] for piece in parsed["hidden"]] == ["Quarterly report"]


def test_short_actual_text_is_believed():
    assert texts(read(simple(b"/Span << /ActualText (ffi) >> BDC ", line("x"), b"EMC "))) == ["ffi"]


def replaced(*claims):
    """One letter each, marked as something else."""
    letters = (b"/Span << /ActualText (%s) >> BDC (%c) Tj EMC " % (claim, 97 + n) for n, claim in enumerate(claims))
    return simple(SHOWN, b"BT /F1 12 Tf 20 100 Td " + b"".join(letters) + b"ET")


@pytest.mark.parametrize(("last", "lies"), [(b"a", False), (b"al", False), (b"all", True)])
def test_short_actual_texts_that_make_words_together_are_lies(last, lies):
    parsed = read(replaced(b"Send", b" all", b"of", last))
    assert ("Send" in "\n".join(texts(parsed))) is not lies
    assert [piece["text"] for piece in parsed["hidden"]] == (["Send allofall"] if lies else [])


@pytest.mark.parametrize("outer", [b"ok", b"Shown"])
def test_actual_text_inside_another_is_judged_as_well(outer):
    spans = b"/Span << /ActualText (%s) >> BDC /Span << /ActualText (%s) >> BDC " % (outer, SECRET.encode())
    parsed = read(simple(SHOWN, spans, line("Shown", y=100), b"EMC EMC "))
    assert SECRET not in "\n".join(texts(parsed))
    assert parsed["hidden"] == [{"technique": "pdf_actual_text", "text": SECRET}]


def test_many_ligatures_are_no_lies():
    spans = (b"/Span << /ActualText (fi) >> BDC (fi) Tj EMC ( ) Tj " for _ in range(20))
    parsed = read(simple(SHOWN, b"BT /F1 12 Tf 20 100 Td " + b"".join(spans) + b"ET"))
    assert parsed["hidden"] == [] and "fi fi fi" in "\n".join(texts(parsed))


def test_what_could_not_be_drawn_in_time_stays_and_is_flagged(monkeypatch):
    monkeypatch.setattr(pdf, "PDF_RENDER_S", -1.0)
    filler = b"0 0 1 1 re f " * 500
    parsed = read(simple(SHOWN, filler, line(SECRET, before=b"1 g")))
    assert SECRET in "\n".join(texts(parsed)) and parsed["markup"]["hidden_check_incomplete"] is True


@pytest.mark.parametrize(("marks", "incomplete"), [(31, False), (32, False), (33, True)])
def test_mark_limit(marks, incomplete):
    spans = b"/Span << /MCID 0 >> BDC " * (marks - 1) + b"/Span << /ActualText (%s) >> BDC " % SECRET.encode()
    parsed = read(simple(SHOWN, spans, line("Shown", y=100), b"EMC " * marks))
    assert texts(parsed) == ["Quarterly report", "Shown"] and len(parsed["hidden"]) == 1
    assert parsed["markup"]["hidden_check_incomplete"] is incomplete


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


SQUARE = b"800 0 0 0 750 750 d1 0 0 750 750 re f"
EMPTY = b"800 0 0 0 750 750 d1"


def test_a_font_whose_letters_leave_no_trace_hides_them():
    parsed = read(type3(EMPTY))
    assert parsed["hidden"] == [{"technique": "pdf_render_mode", "text": "SECRET"}]
    assert texts(parsed) == ["Quarterly report"]


def test_a_font_of_drawn_letters_shows_them():
    parsed = read(type3(SQUARE))
    assert parsed["hidden"] == [] and "SECRET" in texts(parsed)


@pytest.mark.parametrize(
    ("content", "shown", "hidden", "technique"),
    [
        (b"BT /F1 12 Tf 20 100 Td [(Visible) -40000 (far tail)] TJ ET", "Visible", "far tail", "off_screen"),
        (b"q 0 90 100 30 re W n BT /F1 12 Tf 20 100 Td [(Visible) -8000 (far tail)] TJ ET Q", "Visible", "far tail", "clip"),
        (b"BT /F1 12 Tf 20 100 Td 400 Tc (Send) Tj ET", "S", "end", "off_screen"),
    ],
)  # fmt: skip
def test_the_end_of_a_text_that_runs_out_of_what_is_shown(content, shown, hidden, technique):
    parsed = read(simple(SHOWN, content))
    assert texts(parsed) == ["Quarterly report", shown]
    assert parsed["hidden"] == [{"technique": technique, "text": hidden}]


def test_alternative_text_is_set_aside_unless_the_page_says_it():
    content = b"/Figure << /Alt (%s) >> BDC " % SECRET.encode() + SHOWN + b"EMC "
    assert read(simple(content))["hidden"] == [{"technique": "attribute", "text": SECRET}]
    assert read(simple(content, line(SECRET)))["hidden"] == []
