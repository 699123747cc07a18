"""A quote counts where it stands in the text that was read; spaces and width may differ, words may not."""

import pytest

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.quotes import Claim, find_quotes, read_claims

TEXTS = {"result-1.json": "The gates\n opened  at noon.", "result-2.json": "水門は１２時に　開いた。ｶﾅ表記"}


def place(quote: str) -> tuple[str, str | None, int | None]:
    return find_quotes([Claim("c", quote)], TEXTS)[0][:3]


def test_found_with_its_place() -> None:
    assert place("gates opened at noon") == ("found", "result-1.json", 4)
    assert place(" opened\tat\nnoon. ") == ("found", "result-1.json", 11)
    assert place("水門は12時に 開いた") == ("found", "result-2.json", 0)
    assert place("開いた。カナ表記") == ("found", "result-2.json", 8)


def test_the_place_is_that_of_the_record() -> None:
    (found,) = find_quotes([Claim("c", "gates opened at noon")], TEXTS)
    assert found.record and found.offset is not None and found.chars
    assert TEXTS[found.record][found.offset : found.offset + found.chars] == "gates\n opened  at noon"


@pytest.mark.parametrize(
    "quote", ["the gates opened", "gates opened at noon!", "gates closed at noon", "水門は12時に閉じた"]
)
def test_other_words_are_missing(quote: str) -> None:
    assert place(quote) == ("missing", None, None)


@pytest.mark.parametrize("quote", ["", "at", "   opened   "])
def test_too_short_to_prove_anything(quote: str) -> None:
    assert place(quote)[0] == "too_short"


@pytest.mark.parametrize(
    "answer",
    [{}, [], {"claims": []}, {"claims": [1]}, {"claims": [{"claim": 1}]}, {"claims": [{"claim": "x", "quote": 1}]}],
)
def test_other_shapes(answer: object) -> None:
    with pytest.raises(Refusal) as refused:
        read_claims(answer)
    assert refused.value.code == "answer_invalid"


def test_claims_without_a_quote_are_claims() -> None:
    assert read_claims({"claims": [{"claim": "x"}]}) == [Claim("x", "")]
