"""PDF bytes to blocks: text, pages, limits, refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guarded_webfetch.core.limits import MAX_PDF_PAGES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser import pdf
from guarded_webfetch.parser.pdf import parse_pdf, warm_pdf
from guarded_webfetch.parser.pdf_lines import Line, blocks_of
from guarded_webfetch.parser.pdf_text import normalise
from guarded_webfetch.parser.pdfium import library
from tests.parser.make_pdf import Pdf, line, simple

ORDER = {
    "content_type": "application/pdf",
    "kind": "pdf",
    "charset_header": None,
    "base_url": "https://example.com/",
    "truncated": False,
}

warm_pdf()


def read(body, **order):
    return parse_pdf(body, ORDER | order)


def texts(parsed):
    return [block["text"] for block in parsed["blocks"] if block["kind"] == "paragraph"]


def refusal(body):
    with pytest.raises(Refusal) as caught:
        read(body)
    return caught.value.code


def test_one_page_block_stands_before_the_text_of_each_page():
    parsed = read(Pdf().page(line("First")).page(line("Second")).build())
    assert [(block["kind"], block["text"]) for block in parsed["blocks"]] == [
        ("page", "1"), ("paragraph", "First"), ("page", "2"), ("paragraph", "Second"),
    ]  # fmt: skip
    assert parsed["hidden"] == [] and parsed["links"] == [] and parsed["charset"] is None
    assert parsed["extractor"] == "pdf" and parsed["kept_permille"] == 1000 and parsed["source"] is None
    assert not any(value for value in parsed["markup"].values())


def test_japanese_without_an_embedded_font():
    assert texts(read(simple(line("水門は七時に開く。", font=b"/F2")))) == ["水門は七時に開く。"]


def test_lines_stay_and_a_gap_starts_a_paragraph():
    body = simple(
        *(line(text, y=y) for text, y in [("one", 170), ("two", 156), ("three", 142), ("four", 100), ("five", 86)])
    )
    assert texts(read(body)) == ["one\ntwo\nthree", "four\nfive"]


def test_a_second_column_starts_a_paragraph():
    left = [line(f"left {n}", y=170 - 14 * n) for n in range(3)]
    right = [line(f"right {n}", x=160, y=170 - 14 * n) for n in range(3)]
    assert texts(read(simple(*left, *right))) == ["left 0\nleft 1\nleft 2", "right 0\nright 1\nright 2"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("The infor-", "mation office", "The information office"),
        ("after COVID-", "19 came", "after COVID-19 came"),
        ("with Jean-", "Paul", "with Jean-Paul"),
        ("5 - 3 =", "two", "5 - 3 =\ntwo"),
    ],
)
def test_hyphen_at_a_line_end(first, second, expected):
    assert texts(read(simple(line(first, y=150), line(second, y=136)))) == [expected]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("e\ufb03cient \ufb01sh \ufb06op", "efficient fish stop"),
        ("soft\u00ad\r\nware", "software"),
        ("co\u00adoperate", "co\u00adoperate"),
        ("a\x00b\x07c\x85d", "abcd"),
        ("\uf0b7 item \ue123", "• item \ufffd"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ ² ﾊﾝｶｸ", "Ｆｕｌｌ　ｗｉｄｔｈ ² ﾊﾝｶｸ"),
        ("word\ufffe", "word-"),
    ],
)
def test_normalise(raw, expected):
    assert normalise(raw) == expected


@given(st.text(st.characters(), max_size=60))
@settings(max_examples=300, deadline=None)
def test_normalised_text_is_clean_and_stays_as_it_is(raw):
    clean = normalise(raw)
    assert clean.isprintable() or all(c in "\n\t" or not ("\0" <= c < " " or "\x7f" <= c < "\xa0") for c in clean)
    assert not any("\ue000" <= c <= "\uf8ff" or "\ufb00" <= c <= "\ufb06" or c in "\ufffe\uffff" for c in clean)
    assert normalise(clean) == clean


def test_paragraphs_of_nothing_and_of_one_line():
    assert list(blocks_of([])) == []
    assert list(blocks_of([Line("only", 100.0, 100.0, 12.0)])) == [{"kind": "paragraph", "text": "only", "spans": []}]


@pytest.mark.parametrize("pages", [MAX_PDF_PAGES - 1, MAX_PDF_PAGES, MAX_PDF_PAGES + 1])
def test_page_limit(pages):
    document = Pdf()
    for number in range(pages):
        document.page(line(f"Text {number + 1}"))
    parsed = read(document.build())
    assert parsed["markup"]["truncated"] is (pages > MAX_PDF_PAGES)
    assert texts(parsed)[-1] == f"Text {min(pages, MAX_PDF_PAGES)}"


def test_the_clock_is_looked_at_between_pages(monkeypatch):
    body = Pdf().page(line("one")).page(line("two")).page(line("three")).build()
    now = iter([0.0, 1.0] + [13.0] * 2 + [14.5] * 20)
    monkeypatch.setattr(pdf.time, "monotonic", lambda: next(now))
    parsed = read(body)
    assert parsed["markup"]["truncated"] is True
    assert 0 < len(texts(parsed)) < 3


@pytest.mark.parametrize(
    ("seconds", "pages"),
    [(0.0, 0), (4.0, 3), (4.2, 4), (8.0, 7), (15.0, 14), (60.0, 14)],
)
def test_reading_ends_with_the_time_that_is_left(monkeypatch, seconds, pages):
    """A page takes a second here; a quarter of the time, at most one second, is kept for the answer."""
    document = Pdf()
    for number in range(30):
        document.page(line(f"Text {number}"))
    body, now = document.build(), [0.0]
    read_page = pdf._Reader._page

    def slow(self, index):
        read_page(self, index)
        now[0] += 1.0

    monkeypatch.setattr(pdf._Reader, "_page", slow)
    monkeypatch.setattr(pdf.time, "monotonic", lambda: now[0])
    if pages == 0:
        with pytest.raises(Refusal) as caught:
            read(body, seconds=seconds)
        assert caught.value.code == "resource_limit"
    else:
        parsed = read(body, seconds=seconds)
        assert len(texts(parsed)) == pages and parsed["markup"]["truncated"] is True


def test_out_of_time_before_any_text(monkeypatch):
    now = iter([0.0] + [60.0] * 5)
    monkeypatch.setattr(pdf.time, "monotonic", lambda: next(now))
    assert refusal(simple(line("one"))) == "resource_limit"


def test_more_text_than_can_be_delivered_stops_the_reading(monkeypatch):
    monkeypatch.setattr(pdf, "_ENOUGH_CHARS", 5)
    parsed = read(Pdf().page(line("six ch")).page(line("more")).build())
    assert texts(parsed) == ["six ch"] and parsed["markup"]["truncated"] is True


@pytest.mark.parametrize("hidden_chars", [-1, 0, 1])
def test_hidden_text_is_kept_up_to_its_limit(monkeypatch, hidden_chars):
    monkeypatch.setattr(pdf, "MAX_HIDDEN_CHARS", len("Hidden") + hidden_chars)
    parsed = read(simple(line("Shown"), line("Hidden", y=80, mode=3)))
    assert [piece["text"] for piece in parsed["hidden"]] == ["Hidden"[: 6 + hidden_chars]]


@pytest.mark.parametrize("paragraphs", [2, 3, 4])
def test_block_limit(monkeypatch, paragraphs):
    monkeypatch.setattr(pdf, "_MAX_BLOCKS", 3)
    parsed = read(simple(*(line(f"line {n}", y=180 - 40 * n) for n in range(paragraphs))))
    assert len(texts(parsed)) == min(paragraphs, 3)
    assert parsed["markup"]["truncated"] is (paragraphs > 3)


@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_hidden_piece_limit(monkeypatch, pieces):
    monkeypatch.setattr(pdf, "_MAX_HIDDEN_PIECES", 2)
    hidden = [line("Invisible", y=80, mode=3), line("Tiny", y=60, size=1), line("White", y=40, before=b"1 g")]
    assert len(read(simple(line("Shown"), *hidden[:pieces]))["hidden"]) == min(pieces, 2)


def test_a_page_that_cannot_be_loaded_leaves_the_rest_and_is_noted():
    document = Pdf().page(line("good"))
    document.kids.append(document.add(b"(not a page)"))
    parsed = read(document.build())
    assert [block["text"] for block in parsed["blocks"]] == ["1", "good", "2"]
    assert parsed["markup"]["truncated"] is True


def test_a_page_whose_text_cannot_be_read_is_noted(monkeypatch):
    load, calls = library().FPDFText_LoadPage, []
    monkeypatch.setattr(
        library(), "FPDFText_LoadPage", lambda page: calls.append(page) or (len(calls) > 1 and load(page))
    )
    parsed = read(Pdf().page(line("one")).page(line("two")).build())
    assert texts(parsed) == ["two"] and parsed["markup"]["truncated"] is True


def test_a_cut_body_is_passed_on():
    assert read(simple(line("x")), truncated=True)["markup"]["truncated"] is True


@pytest.mark.parametrize("junk", [0, 1_023, 1_024])
def test_the_header_may_stand_anywhere_in_the_first_1024_bytes(junk):
    body = b" " * junk + simple(line("Late header"))
    if junk < 1_024:
        assert texts(read(body)) == ["Late header"]
    else:
        assert refusal(body) == "pdf_broken"


def test_refusals():
    good = simple(line("Some text"), flate=True)
    assert refusal(b"") == "pdf_broken"
    assert refusal(b"<!doctype html><p>not a PDF") == "pdf_broken"
    assert refusal(b"%PDF-1.7\n") == "pdf_broken"
    assert refusal(good[: len(good) // 2]) == "pdf_broken"
    assert refusal(Pdf().build()) == "pdf_broken"  # no page at all
    assert refusal(simple()) == "pdf_no_text"
    assert refusal(simple(line("only hidden", mode=3))) == "pdf_no_text"
    assert refusal(encrypted()) == "pdf_encrypted"
    assert texts(read(good)) == ["Some text"]


def encrypted():
    """A standard handler (RC4, revision 2) whose keys fit no empty password."""
    document = Pdf().page(line("secret"))
    number = document.add(b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"11" * 32, b"22" * 32))
    return document.build(trailer=b"/Encrypt %d 0 R /ID [<00> <00>]" % number)


def test_memory_error_is_a_resource_limit(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(pdf, "scan_page", fail)
    assert refusal(simple(line("x"))) == "resource_limit"


def image_page(document, content=b"", *, size=b"300 0 0 200"):
    resources = b"/XObject << /I %d 0 R >>" % document.image()
    return document.page(b"q %s 0 0 cm /I Do Q\n" % size + content, resources=resources)


def test_text_pages_and_scanned_pages_in_one_file():
    parsed = read(image_page(Pdf().page(line("Text"))).build())
    assert parsed["markup"]["pdf_partly_scanned"] is True


def test_a_blank_page_or_a_small_picture_is_no_scan():
    parsed = read(image_page(Pdf().page(line("Text")).page(), size=b"60 0 0 40").build())
    assert parsed["markup"]["pdf_partly_scanned"] is False


def test_only_scanned_pages():
    assert refusal(image_page(Pdf()).build()) == "pdf_no_text"


def test_the_text_layer_of_a_scan_is_kept_and_flagged():
    parsed = read(image_page(Pdf(), line("Read by a machine", mode=3)).build())
    assert texts(parsed) == ["Read by a machine"] and parsed["hidden"] == []
    assert parsed["markup"]["pdf_invisible_text_layer"] is True


def test_a_text_layer_under_the_scan_is_kept_and_flagged():
    document = Pdf()
    resources = b"/XObject << /I %d 0 R >>" % document.image()
    parsed = read(document.page(line("Under it") + b"q 300 0 0 200 0 0 cm /I Do Q", resources=resources).build())
    assert texts(parsed) == ["Under it"] and parsed["markup"]["pdf_invisible_text_layer"] is True


def test_an_invisible_line_beside_visible_text_is_no_text_layer():
    visible = line("The report says that all is well here", y=150) + line("and so does the second line of it", y=136)
    parsed = read(image_page(Pdf(), visible + line("hid", y=50, mode=3)).build())
    assert [piece["text"] for piece in parsed["hidden"]] == ["hid"]
    assert parsed["markup"]["pdf_invisible_text_layer"] is False
