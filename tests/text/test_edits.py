"""Spans and notes stay on the same characters through every change."""

from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.text.edits import Edit, Moves, Note, Passage, apply, inside, merge, widened

EDITS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 5), st.sampled_from(["", "\\", "[FILTERED:x]"])), max_size=8
).map(lambda rows: [Edit(start, min(start + size, 40), text, "what") for start, size, text in rows])


@given(EDITS)
def test_text_outside_the_edits_keeps_its_spans(edits):
    text = "".join(chr(0x4E00 + n) for n in range(40))  # every character once
    chosen = merge(edits)
    changed = apply(Passage(text, [("em", n, n + 1, 0) for n in range(40)]), chosen)
    for kind, start, end, _ in changed.spans:
        assert kind == "em" and end - start >= 1
    kept = [text[n] for n in range(40) if not any(edit.start <= n < edit.end for edit in chosen)]
    found = {changed.text[start:end] for _, start, end, _ in changed.spans}
    for character in kept:
        assert any(character in piece for piece in found)


@given(EDITS)
def test_a_note_stands_where_its_edit_wrote(edits):
    chosen = merge(edits)
    changed = apply(Passage("x" * 40), chosen)
    assert sorted(note.chars for note in changed.notes) == sorted(edit.end - edit.start for edit in chosen)
    for text in {edit.text for edit in chosen}:
        written = [note for note in changed.notes if changed.text.startswith(text, note.offset)]
        assert len(written) >= sum(edit.text == text for edit in chosen)


def test_an_earlier_group_wins():
    assert merge([Edit(2, 6, "A")], [Edit(0, 3, "B"), Edit(6, 7, "C")]) == [Edit(2, 6, "A"), Edit(6, 7, "C")]


def test_overlapping_edits_of_one_group_keep_the_first():
    assert merge([Edit(3, 8, "B"), Edit(0, 4, "A")]) == [Edit(0, 4, "A")]


def test_a_span_without_text_left_is_dropped():
    changed = apply(Passage("abcdef", [("link", 1, 3, 1), ("em", 4, 6, 0)], [Note(5, "seen", 0)]), [Edit(0, 4, "")])
    assert changed == Passage("ef", [("em", 0, 2, 0)], [Note(1, "seen", 0)])


def test_inside_is_told_at_the_edges():
    stretches = [(2, 5), (8, 9)]
    assert [inside(stretches, start, start + 1) for start in range(10)] == [
        False,
        False,
        True,
        True,
        True,
        False,
        False,
        False,
        True,
        False,
    ]
    assert not inside(stretches, 4, 6) and not inside([], 0, 1)


def test_edits_grow_over_what_they_cut_in_half():
    order, address = Edit(5, 12, "[FILTERED:x]", "r"), Edit(10, 20, "[L1]")
    assert widened([order], [address]) == [Edit(5, 20, "[FILTERED:x]", "r")]
    assert widened([order], [Edit(0, 6, "[L1]")]) == [Edit(0, 12, "[FILTERED:x]", "r")]
    assert widened([order], [Edit(12, 20, "[L1]"), Edit(0, 5, "[L2]")]) == [order]
    assert widened([order, Edit(8, 15, "[FILTERED:y]", "s")], []) == [Edit(5, 15, "[FILTERED:x]", "r")]
    assert widened([], [address]) == []
    both = [Edit(0, 3, "a"), Edit(18, 22, "b"), Edit(30, 31, "c")]
    assert widened(both, [Edit(2, 19, ""), Edit(25, 26, "")]) == [Edit(0, 22, "a"), Edit(30, 31, "c")]
    many = [Edit(n, n + 2, "x") for n in range(0, 40, 10)]
    assert widened(many, [Edit(1, 32, "")]) == [Edit(0, 32, "x")]
    assert widened([Edit(0, 5, "a"), Edit(5, 9, "b")], []) == [Edit(0, 5, "a"), Edit(5, 9, "b")]


def test_where_offsets_go():
    moves = Moves([Edit(4, 8, "abcdefg"), Edit(12, 12, "++"), Edit(20, 24, "")])
    assert [moves.start(at) for at in (0, 4, 5, 8, 11, 12, 13, 20, 21, 24)] == [0, 4, 11, 11, 14, 15, 18, 25, 25, 25]
    assert [moves.end(at) for at in (0, 4, 5, 8, 11, 12, 13, 20, 21, 24)] == [0, 4, 4, 11, 14, 15, 18, 25, 25, 25]
