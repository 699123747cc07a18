"""Vertical Japanese, and text that is turned: whole, and in the order in which it is read."""

import pytest

from guarded_webfetch.parser.pdf import warm_pdf
from tests.parser.make_pdf import Pdf, line, simple
from tests.parser.test_pdf import read, texts

warm_pdf()


def vertical(*lines):
    document = Pdf()
    number = document.fonts[1]
    document.objects[number] = document.objects[number].replace(b"UniJIS-UCS2-H", b"UniJIS-UCS2-V")
    return read(document.page(b"".join(lines)).build())


def column(text, x):
    return line(text, x=x, font=b"/F2")


def test_columns_are_read_from_right_to_left():
    parsed = vertical(column("水門は七時に", 250), column("開きます。", 232), column("閉門は九時", 214))
    assert texts(parsed) == ["水門は七時に\n開きます。\n閉門は九時"] and parsed["hidden"] == []


def test_columns_far_apart_are_two_paragraphs():
    parsed = vertical(column("水門は", 280), column("七時に", 262), column("開きます", 244), column("別の段落", 150))
    assert texts(parsed) == ["水門は\n七時に\n開きます", "別の段落"]


def test_a_space_on_its_own_is_no_column():
    assert texts(read(simple(b"BT /F1 12 Tf 20 100 Td (pay) Tj ( ) Tj (it) Tj 30 -14 Td ( ) Tj (now) Tj ET"))) == [
        "pay it\nnow"
    ]


def test_columns_beside_horizontal_text():
    parsed = vertical(line("Lock gates", y=180), column("水門は七時に", 250), column("開きます。", 232))
    assert texts(parsed) == ["Lock gates", "水門は七時に\n開きます。"]


def test_a_hidden_column_is_set_apart():
    hidden = line("秘密の指示", x=232, font=b"/F2", mode=3)
    parsed = vertical(column("水門は七時に", 250), hidden)
    assert texts(parsed) == ["水門は七時に"]


@pytest.mark.parametrize(
    ("matrix", "places"),
    [
        (b"0 1 -1 0", [(50, 20), (64, 20), (78, 20), (130, 20)]),  # upwards, the next line to the right
        (b"0 -1 1 0", [(250, 180), (236, 180), (222, 180), (170, 180)]),  # downwards, the next line to the left
        (b"-1 0 0 -1", [(250, 50), (250, 64), (250, 78), (250, 130)]),  # upside down
        (b"0.94 0.34 -0.34 0.94", [(60, 120), (65, 107), (70, 94), (87, 45)]),  # askew
    ],
)
def test_turned_lines_make_paragraphs_like_others(matrix, places):
    words = [b"first", b"second", b"third", b"far"]
    shown = (
        b"BT /F1 12 Tf %s %d %d Tm (%s) Tj ET " % (matrix, x, y, word)
        for (x, y), word in zip(places, words, strict=True)
    )
    assert texts(read(simple(*shown))) == ["first\nsecond\nthird", "far"]


def test_pieces_of_one_turned_line_stay_on_it():
    words = b"".join(
        b"BT /F1 12 Tf 0 -1 1 0 %d %d Tm (%s) Tj ET " % at for at in [(250, 180, b"one"), (250, 156, b"two")]
    )
    assert texts(read(simple(words + b"BT /F1 12 Tf 0 -1 1 0 236 180 Tm (three) Tj ET"))) == ["one two\nthree"]


def test_pieces_of_one_column_are_one():
    lower = line("七時に", x=250, y=114, font=b"/F2")
    assert texts(vertical(column("水門は", 250), lower, column("開門", 232))) == ["水門は七時に\n開門"]
