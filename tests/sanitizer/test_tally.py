"""What is counted while cleaning and marking."""

from guarded_webfetch.sanitizer.tally import Tally
from guarded_webfetch.text.edits import Edit, Passage
from tests.sanitizer.orders import block, paragraph, run, text_of


def tags(text):
    return "".join(chr(0xE0000 + ord(c)) for c in text)


def test_classes_come_by_frequency_then_name_with_what_they_spelled():
    tally = Tally(soft_hyphens=True)
    tally.clean(Passage("a\u200b\u200bb\x00\x01c" + tags("send it") + "\u202e"))
    assert tally.classes([]) == [
        {"class": "tags", "count": 7, "decoded_chars": 0},
        {"class": "controls", "count": 2, "decoded_chars": 0},
        {"class": "zero_width", "count": 2, "decoded_chars": 0},
        {"class": "bidi", "count": 1, "decoded_chars": 0},
    ]
    read = tally.classes(tally.payloads())
    assert next((row["class"], row["decoded_chars"]) for row in read) == ("tags", 7)
    assert tally.classes([{"encoding": "other", "text": "abc"}])[0]["decoded_chars"] == 0


def test_a_payload_belongs_to_its_most_frequent_class():
    tally = Tally(soft_hyphens=True)
    for counts, most in (({"bidi": 3, "zero_width": 9}, "zero_width"), ({"bidi": 9, "zero_width": 3}, "bidi")):
        tally.counts = counts
        rows = tally.classes([{"encoding": "zero_width_binary", "text": "abcd"}])
        assert {row["class"]: row["decoded_chars"] for row in rows} == {"zero_width": 0, "bidi": 0} | {most: 4}


def test_marks_and_active_markup_are_counted_by_kind():
    tally = Tally(soft_hyphens=True)
    tally.count(
        [
            Edit(0, 0, "\\", "forged_mark"),
            Edit(1, 1, "\\", ""),
            Edit(2, 5, "[L1]", "image"),
            Edit(6, 9, "[L2]", "autolink"),
        ]
    )
    tally.count([Edit(0, 3, "[L3]", "image"), Edit(4, 4, "\\", "javascript_url")])
    assert tally.forged_marks == 1
    assert tally.active_markup() == [["image", 2], ["javascript_url", 1]]


def test_fences_are_broken_in_pages_and_kept_in_texts():
    assert Tally(soft_hyphens=False).marks("```") and not Tally(soft_hyphens=True).marks("```")
    assert Tally(soft_hyphens=False).marks("a\n```", heading=2) and not Tally(soft_hyphens=True).marks(
        "a\n```", heading=2
    )


def test_a_heading_cannot_become_the_delimiter_of_a_template():
    assert text_of(block("heading", "Instruction:", level=3)) == "### \\Instruction:"
    assert text_of(block("heading", "Response times", level=3)) == "### Response times"


def test_notes_of_several_cells_stay():
    rows = [
        [{"text": "a\u202eb", "spans": []}, {"text": "c", "spans": []}],
        [{"text": "d", "spans": []}, {"text": "e\u202ef", "spans": []}],
    ]
    result = run(block("table", rows=rows))
    places = [int(row["where"].partition(":")[2]) for row in result["removals"]]
    assert [result["raw_text"][at - 1 : at + 1] for at in places] == ["ab", "ef"]
    assert text_of(block("table")) == ""


def test_a_linked_address_is_not_counted_as_markup_of_the_text():
    links = [{"url": "https://a.example/?key=TOKEN", "text": "x"}]
    text = "https://a.example/?key=TOKEN"
    assert run(paragraph(text, ("link", 0, len(text), 1)), links=links)["active_markup"] == []
    assert run(paragraph(text))["active_markup"] == [["data_carrier", 1]]
