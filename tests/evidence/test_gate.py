"""No false pass and no false refusal over responses of three providers; each rule of the gate has a case that needs it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.evidence import gate, providers
from guarded_webfetch.evidence.evidence import Evidence, canonical, same_page
from guarded_webfetch.evidence.gate import Policy, decide, needed
from guarded_webfetch.evidence.providers import read_answer
from tests.evidence.provider_responses import RESPONSES, UNKNOWN, A, B, Response, gemini

URL_A, URL_B = canonical(A), canonical(B)
assert URL_A and URL_B
PROVIDER = Policy(2, 1)
SUCCESS = "URL_RETRIEVAL_STATUS_SUCCESS"


def result(response: object, *, policy: Policy = PROVIDER, required: tuple[str, ...] = (A,)) -> gate.Verdict:
    answer = read_answer(response, "auto")
    assert answer is not None
    urls = [url for text in required if (url := canonical(text))]
    return decide(urls, answer.evidence, policy)


@pytest.mark.parametrize("response", RESPONSES, ids=lambda response: response.name)
def test_each_response(response: Response) -> None:
    verdict = result(response.value)
    assert (verdict.result, verdict.findings[0].status) == (response.expect, response.status)


@pytest.mark.parametrize("response", RESPONSES, ids=lambda response: response.name)
def test_no_answer_of_a_provider_is_an_own_fetch(response: Response) -> None:
    assert result(response.value, policy=Policy(3, 1)).result != gate.PASSED


@pytest.mark.parametrize("value", UNKNOWN)
def test_an_unknown_shape_is_no_answer(value: object) -> None:
    assert read_answer(value, "auto") is None


def test_a_named_provider_reads_only_its_own_shape() -> None:
    assert read_answer(gemini((A, SUCCESS)), "gemini") is not None
    assert read_answer(gemini((A, SUCCESS)), "openai") is None


def test_counting_is_per_required_url() -> None:
    """Three answers that a gate counting successes lets through."""
    both = {"policy": Policy(2, 2), "required": (A, B)}
    assert result(gemini((A, SUCCESS), ("https://other.example.com/", SUCCESS)), **both).result == gate.OWN_FETCH_NEEDED  # type: ignore[arg-type]
    assert result(gemini((A, SUCCESS), (A, SUCCESS)), **both).result == gate.OWN_FETCH_NEEDED  # type: ignore[arg-type]
    assert result(gemini((A, "PARTIAL_SUCCESS"), (B, SUCCESS)), **both).result == gate.OWN_FETCH_NEEDED  # type: ignore[arg-type]
    assert result(gemini((A, SUCCESS), (B, SUCCESS)), **both).result == gate.PASSED  # type: ignore[arg-type]


def test_fewer_may_be_needed_but_a_page_for_review_is_never_outvoted() -> None:
    one = Policy(2, 1)
    assert (
        result(gemini((A, SUCCESS), (B, "URL_RETRIEVAL_STATUS_ERROR")), policy=one, required=(A, B)).result
        == gate.PASSED
    )
    assert (
        result(gemini((A, SUCCESS), (B, "URL_RETRIEVAL_STATUS_UNSAFE")), policy=one, required=(A, B)).result
        == gate.NEEDS_REVIEW
    )


def test_own_records() -> None:
    def of(status: str, url: str = A, asked: str = A) -> str:
        return decide([URL_A], [Evidence(url, 3, status, asked)], Policy(3, 1)).result  # type: ignore[arg-type,list-item]

    assert (
        of("success") == of("success", url="https://elsewhere.example.net/") == gate.PASSED
    )  # its redirect was checked
    assert of("flagged") == gate.NEEDS_REVIEW
    assert of("record_unknown") == of("error") == of("success", url=B, asked=B) == gate.OWN_FETCH_NEEDED


@pytest.mark.parametrize(
    ("minimum", "required", "count"),
    [("all", 3, 3), ("majority", 3, 2), ("majority", 4, 3), ("majority", 1, 1), ("2", 3, 2)],
)
def test_how_many_are_needed(minimum: str, required: int, count: int) -> None:
    assert needed(minimum, required) == count


@pytest.mark.parametrize("minimum", ["0", "4", "-1", "", "most", "１", "1.0"])
def test_no_such_number(minimum: str) -> None:
    with pytest.raises(ValueError):
        needed(minimum, 3)


def test_pages_are_the_same_only_where_nothing_is_guessed() -> None:
    assert same_page(URL_A, canonical("https://docs.example.com/%61#top"))  # type: ignore[arg-type]
    for other in (
        A + "/",
        A + "?",
        A.upper(),
        "https://docs.example.com/A",
        "ftp://docs.example.com/a",
        "",
        "x" * 3_000,
    ):
        assert not same_page(URL_A, canonical(other)) or other == A.upper()  # type: ignore[arg-type]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from([A, SUCCESS, "web_fetch_result", "document"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["candidates", "urlContextMetadata", "urlMetadata", "retrievedUrl", "urlRetrievalStatus", "steps", "type",
                         "content", "source", "data", "output", "action", "url", "result", "status", "web", "input"]),
        inner, max_size=4),
    max_leaves=25,
)  # fmt: skip


@given(JSON, st.sampled_from(["candidates", "steps", "content", "output"]))
def test_odd_shapes_are_no_evidence_and_no_error(value: object, key: str) -> None:
    answer = read_answer({key: value, "type": "message"}, "auto")
    for row in answer.evidence if answer else ():
        assert isinstance(row.url, str) and isinstance(row.asked, str)


class Loose(dict[str, str]):
    """A table that looks for a word instead of the whole value."""

    def get(self, key: str, default: str = "") -> str:  # type: ignore[override]
        return "success" if "SUCCESS" in key.upper() else default


CANARIES: dict[str, tuple[object, str, object, tuple[str, ...]]] = {
    "an exact table": (providers, "_GEMINI", Loose(), ("partial-success", "unsuccessful", "status-lower-case")),
    "the same page": (gate, "same_page", lambda required, found: found is not None, ("other-url", "trailing-slash", "query")),
    "redirects": (
        gate, "relate", lambda a, b: ("checked",),
        ("fetch-redirected-away", "fetch-redirected-below", "fetch-redirected-down"),
    ),
    "the order": (
        gate, "ORDER", ("success", *gate.ORDER), ("success-and-unsafe", "success-and-paywall", "interaction-success-and-unsafe"),
    ),
    "review": (gate, "REVIEWED", frozenset(), ("paywall", "unsafe", "interaction-unsafe")),
}  # fmt: skip


@pytest.mark.parametrize("name", CANARIES)
def test_switching_a_rule_off_turns_its_cases_red(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, value, cases = CANARIES[name]
    monkeypatch.setattr(module, attribute, value)
    assert len(cases) >= 3
    for case in cases:
        response = next(response for response in RESPONSES if response.name == case)
        assert result(response.value).result != response.expect, case


def test_responses_survive_a_file(tmp_path: Path) -> None:
    for response in RESPONSES:
        assert read_answer(json.loads(json.dumps(response.value)), "auto") == read_answer(response.value, "auto")
