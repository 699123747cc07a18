"""Links, fields and comments of a page: what a reader sees of them, and what only the file says."""

import pytest

from guarded_webfetch.core.limits import MAX_PDF_ANNOTATIONS
from guarded_webfetch.parser import pdf_annotations
from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.make_pdf import Pdf, line
from tests.parser.test_pdf import read, texts

warm_pdf()

SHOWN = line("Quarterly report", y=170)
NAME = line("Name:", y=100)
FIELD = b"60 96 160 116"
TEXT_FIELD = b"/FT /Tx /T (n) "


def one(subtype, entries=b"", *, drawn=None, rect=FIELD, content=SHOWN + NAME):
    document = Pdf()
    return read(document.page(content, annotations=[document.annotation(subtype, rect, entries, drawn=drawn)]).build())


def test_a_field_stands_behind_its_label():
    parsed = one(b"Widget", TEXT_FIELD + b"/V (Ada)", drawn=b"Ada")
    assert texts(parsed) == ["Quarterly report", "Name: Ada"]
    assert parsed["hidden"] == []


def test_a_field_that_viewers_draw_themselves_is_visible():
    assert texts(one(b"Widget", TEXT_FIELD + b"/V (Ada)")) == ["Quarterly report", "Name: Ada"]


@pytest.mark.parametrize("flags", [2, 32, 34])
@pytest.mark.parametrize("drawn", [None, b"Send it"])
def test_a_field_that_is_not_shown_is_set_aside(flags, drawn):
    parsed = one(b"Widget", TEXT_FIELD + b"/V (Send it) /F %d" % flags, drawn=drawn)
    assert texts(parsed) == ["Quarterly report", "Name:"]
    assert parsed["hidden"] == [{"technique": "form_value", "text": "Send it"}]


def test_a_value_that_differs_from_what_is_drawn_is_set_aside():
    parsed = one(b"Widget", TEXT_FIELD + b"/V (Send it)", drawn=b"Ada")
    assert texts(parsed) == ["Quarterly report", "Name: Ada"]
    assert parsed["hidden"] == [{"technique": "form_value", "text": "Send it"}]


def test_a_password_is_not_shown():
    parsed = one(b"Widget", TEXT_FIELD + b"/V (hunter) /Ff 8192")
    assert "hunter" not in "\n".join(texts(parsed))
    assert parsed["hidden"] == [{"technique": "form_value", "text": "hunter"}]


def test_the_choice_of_a_list_is_shown():
    assert texts(one(b"Widget", b"/FT /Ch /T (n) /V (Blue)"))[-1] == "Name: Blue"


def test_the_name_of_a_button_state_is_no_text():
    assert texts(one(b"Widget", b"/FT /Btn /T (n) /V (Chosen)"))[-1] == "Name:"


def test_a_tooltip_is_set_aside():
    parsed = one(b"Widget", TEXT_FIELD + b"/V (Ada) /TU (Send it)", drawn=b"Ada")
    assert parsed["hidden"] == [{"technique": "attribute", "text": "Send it"}]


@pytest.mark.parametrize("drawn", [None, b"Free words"])
def test_text_written_on_the_page_is_visible(drawn):
    parsed = one(b"FreeText", b"/Contents (Free words) /DA (/F1 12 Tf)", drawn=drawn, rect=b"20 60 120 80")
    assert "\n".join(texts(parsed)) == "Quarterly report\nName:\nFree words"
    assert parsed["hidden"] == []


def test_a_stamp_is_visible():
    assert "DRAFT" in texts(one(b"Stamp", drawn=b"DRAFT", rect=b"150 20 250 40"))


@pytest.mark.parametrize("subtype", [b"Text", b"Popup", b"Highlight", b"Underline", b"Square", b"FileAttachment"])
def test_a_comment_is_set_aside(subtype):
    parsed = one(subtype, b"/Contents (Send it)")
    assert texts(parsed) == ["Quarterly report", "Name:"]
    assert parsed["hidden"] == [{"technique": "metadata", "text": "Send it"}]


def test_a_comment_that_repeats_the_page_hides_nothing():
    assert one(b"Highlight", b"/Contents (quarterly REPORT)")["hidden"] == []


def test_white_text_in_an_annotation_is_hidden():
    document = Pdf()
    form = document.appearance(b"BT 1 g /F1 12 Tf 2 4 Td (Send it) Tj ET")
    stamp = document.annotation(b"Stamp", b"100 40 200 60", b"/AP << /N %d 0 R >>" % form)
    parsed = read(document.page(SHOWN, annotations=[stamp]).build())
    assert parsed["hidden"] == [{"technique": "colour", "text": "Send it"}]
    assert texts(parsed) == ["Quarterly report"]


def test_a_highlight_hides_nothing():
    document = Pdf()
    form = document.appearance(b"1 1 0 rg 0 0 200 20 re f", box=b"0 0 200 20")
    over = document.annotation(b"Highlight", b"15 165 215 185", b"/AP << /N %d 0 R >>" % form)
    parsed = read(document.page(SHOWN, annotations=[over]).build())
    assert texts(parsed) == ["Quarterly report"] and parsed["hidden"] == []


def test_an_annotation_in_a_layer_cannot_be_judged_and_stays():
    parsed = one(b"Stamp", b"/OC << /Type /OCG /Name (x) >>", drawn=b"DRAFT", rect=b"150 20 250 40")
    assert "DRAFT" in texts(parsed) and parsed["markup"]["hidden_check_incomplete"] is True


def test_a_file_attached_or_embedded_is_never_read():
    document = Pdf(
        catalog=b"/Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a) /EF << /F 5 0 R >> >>] >> >>"
    )
    assert document.stream(b"Send it") == 5
    parsed = read(document.page(SHOWN).build())
    assert texts(parsed) == ["Quarterly report"] and parsed["hidden"] == []


def test_a_form_that_only_a_form_program_can_show_is_flagged():
    xfa = b"/AcroForm << /Fields [] /XFA (x) >>"
    full = read(Pdf(catalog=b"/NeedsRendering true " + xfa).page(SHOWN).build())
    twin = read(Pdf(catalog=xfa).page(SHOWN).build())
    assert full["markup"]["likely_spa"] is True and twin["markup"]["likely_spa"] is False


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_annotation_limit(monkeypatch, more):
    monkeypatch.setattr(pdf_annotations, "MAX_PDF_ANNOTATIONS", 3)
    document = Pdf()
    notes = [document.annotation(b"Text", FIELD, b"/Contents (Note %d)" % n) for n in range(3 + more)]
    parsed = read(document.page(SHOWN, annotations=notes).build())
    assert len(parsed["hidden"]) == min(3 + more, 3)
    assert parsed["markup"]["truncated"] is (more > 0)


def test_many_annotations_end_in_time():
    document = Pdf()
    count = MAX_PDF_ANNOTATIONS
    fields = [document.annotation(b"Widget", FIELD, TEXT_FIELD + b"/V (v%d)" % n, drawn=b"v") for n in range(count)]
    parsed = read(document.page(SHOWN + line("word " * 50) * 50, annotations=fields).build())
    assert "Quarterly report" in texts(parsed)[0] and parsed["markup"]["truncated"] is False
