"""Sentences of the page, whole, within the limit."""

from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core.limits import MAX_SUMMARY_CHARS
from guarded_webfetch.text.summary import sentences, summarize

ENGLISH = (
    "The canal office keeps a day book in which every boat is noted. It was begun in 1791, e.g. for the tolls of Mr. Brown. "
    * 4
)
JAPANESE = (
    "運河事務所は、すべての船とその積荷を記した日誌を付けています。日誌は1791年に始まりました。「通行料はいくらですか。」とよく聞かれます。"
    * 6
)


def test_whole_sentences_within_the_limit():
    summary = summarize(["Home", "12 May", ENGLISH])
    assert summary is not None and len(summary) <= MAX_SUMMARY_CHARS
    assert summary.startswith("The canal office") and summary.endswith("Mr. Brown.")


def test_japanese_sentences_end_at_their_full_stop():
    summary = summarize([JAPANESE])
    assert summary is not None and summary.endswith("。") and " " not in summary
    assert len(summary) > MAX_SUMMARY_CHARS // 2


def test_nothing_to_say_is_null():
    assert summarize([]) is None
    assert summarize(["Menu", "12 May 2026", "* * *"]) is None


def test_one_endless_sentence_is_cut_at_a_word():
    summary = summarize(["word " * 200])
    assert summary is not None and summary.endswith("word…") and len(summary) <= MAX_SUMMARY_CHARS


def test_abbreviations_end_no_sentence():
    assert list(sentences("Dr. A. Smith met Prof. B. Jones. They talked.")) == [
        "Dr. A. Smith met Prof. B. Jones.",
        "They talked.",
    ]


@given(st.text(max_size=900))
def test_a_summary_keeps_to_the_limit(text):
    assert len(summarize([text]) or "") <= MAX_SUMMARY_CHARS
