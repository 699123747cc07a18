"""Every reason code has a class, and only what no site or URL can cause is `internal`."""

import pytest

from guarded_webfetch.core.reasons import REASONS
from guarded_webfetch.sources.outcomes import _BY_REASON, INTERNAL, OUTCOMES, outcome_of

OURS = {
    "child_crashed", "child_frame_invalid", "record_schema_invalid", "internal_error", "sandbox_unavailable", "store_unavailable",
    "prerequisite_missing", "config_invalid", "usage_invalid", "option_not_allowed", "path_invalid", "record_unknown",
    "record_unusable", "link_unknown", "section_unknown", "held_back", "store_invalid", "draft_invalid", "answer_invalid",
    "too_few_sources", "fail_on_verdict", "own_fetch_needed", "needs_review",
}  # fmt: skip


@pytest.mark.parametrize("code", REASONS)
def test_every_reason_has_its_class(code: str) -> None:
    assert outcome_of(code) in OUTCOMES
    assert (outcome_of(code) == INTERNAL) == (code in OURS)


def test_no_class_names_a_reason_that_is_none_or_twice() -> None:
    named = " ".join(_BY_REASON.values()).split()
    assert len(named) == len(set(named))
    assert set(named) <= set(REASONS)
