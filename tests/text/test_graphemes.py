"""A cut never falls inside what a reader sees as one character."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.text.graphemes import boundary

FAMILY = "👨\u200d👩\u200d👧"


def test_a_joined_emoji_is_kept_whole_or_not_at_all():
    text = "ab" + FAMILY + "c"
    assert [boundary(text, n) for n in range(len(text) + 2)] == [0, 1, 2, 2, 2, 2, 2, 7, 8, 8]


@given(
    st.lists(st.sampled_from(["a", "が", "e\u0301", FAMILY, "🇯🇵", "क्ष", "\r\n"]), max_size=5).map("".join),
    st.integers(0, 30),
)
def test_a_boundary_is_one(text, limit):
    ends = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    assert boundary(text, limit) in ends
    assert boundary(text, limit) <= max(limit, 0)
