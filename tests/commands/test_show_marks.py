"""Every removal stands in place, by kind, with a legend; the page's own words cannot pass for one."""

from guarded_webfetch.commands import show_html, show_text
from guarded_webfetch.commands.show_marks import MAX_MARKS, Mark, legend, marks_of, pieces
from guarded_webfetch.commands.show_view import view
from guarded_webfetch.commands.terminal import Terminal
from tests.records.samples import Sample, record, trace


def removal(offset, what, chars=1, field="raw_text"):
    return {"where": f"{field}:{offset}", "what": what, "chars": chars}


TEXT = "# Head\n\nab cd\nef ⟪invisible: 9 × tags⟫"
REMOVALS = [
    removal(10, "zero_width"),
    removal(10, "zero_width", 2),
    removal(14, "forged_mark", 0),
    removal(17, "image", 30),
    removal(6, "tags", 40),
    removal(3, "en-override-prior", 12),
    removal(5, "zero_width", field="source"),
]


def of_sample(tmp_path, render):
    from guarded_webfetch.broker.record_reader import read_record
    from tests.records.samples import write

    sample = Sample(
        "result-00000000000000b1", record(raw_text=TEXT, text_chars=len(TEXT)), [], None, trace(TEXT, removals=REMOVALS)
    )
    return render(view(read_record(str(write(tmp_path, sample)))))


def test_marks_are_sorted_named_and_joined():
    assert marks_of({"removals": REMOVALS}) == [
        Mark(3, "phrase", "en-override-prior", 12),
        Mark(6, "invisible", "tags", 40),
        Mark(10, "invisible", "zero width", 3),
        Mark(14, "forged", "imitation", 0),
        Mark(17, "active", "image", 30),
    ]
    assert marks_of(None) == []
    assert len(marks_of({"removals": [removal(at, "tags") for at in range(MAX_MARKS + 5)]})) == MAX_MARKS


def test_a_legend_counts_places_by_kind():
    found = legend(marks_of({"removals": REMOVALS}))
    assert [(entry.kind, entry.places) for entry in found] == [
        ("phrase", 1),
        ("invisible", 2),
        ("forged", 1),
        ("active", 1),
    ]
    assert legend([]) == []


def test_a_line_is_cut_where_marks_stand():
    first, last, outside = (Mark(at, "forged", "x", 0) for at in (10, 15, 40))
    assert list(pieces("abcde", 10, [first, last, outside])) == ["", first, "abcde", last, ""]
    assert list(pieces("abcde", 0, [])) == ["abcde"]


def test_the_page_shows_each_mark_in_its_place(tmp_path):
    html = of_sample(tmp_path, show_html.render)
    assert (
        'ab<span class="cut invisible">3 × zero width</span> cd\n<span class="cut forged">imitation</span>ef ' in html
    )
    assert (
        '<b># H<span class="cut phrase">en-override-prior</span>ead<span class="cut invisible">40 × tags</span></b>'
        in html
    )
    assert 'ef <span class="cut active">image</span>⟪invisible: 9 × tags⟫' in html
    assert '<li><span class="cut invisible">invisible</span> 2 places: invisible characters, taken out</li>' in html


def test_the_terminal_shows_them_and_the_page_cannot_imitate_one(tmp_path):
    text = of_sample(tmp_path, lambda made: show_text.render(made, Terminal()))
    assert "│ ab⟪invisible: 3 × zero width⟫ cd" in text
    assert "│ ⟪forged: imitation⟫ef ⟪active: image⟫\\u{27EA}invisible: 9 × tags\\u{27EB}" in text
    assert "⟪invisible⟫ 2 places: invisible characters, taken out" in text
    coloured = of_sample(tmp_path, lambda made: show_text.render(made, Terminal(colour=True)))
    assert "\x1b[7m⟪forged: imitation⟫\x1b[0m" in coloured
