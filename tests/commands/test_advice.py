"""Every reason code has one sentence that tells a person what to do."""

import re

import pytest

from guarded_webfetch.commands.advice import ADVICE
from guarded_webfetch.core.reasons import REASONS

# Contract section 1: no message an agent can see names an option that lowers protection.
LOWERING = (
    "--proxy",
    "--resolver-profile",
    "fake-ip",
    "--ports",
    "wide",
    "--allow-secret",
    "--require-isolation",
    "--robots",
    "config.toml",
)


def test_every_code_has_its_advice() -> None:
    assert list(ADVICE) == list(REASONS)


@pytest.mark.parametrize("code", ADVICE)
def test_advice_is_one_short_sentence_and_lowers_nothing(code: str) -> None:
    advice = ADVICE[code]
    assert re.fullmatch(r"[A-Z][ -~]{20,130}\.", advice)
    assert not any(word in advice for word in LOWERING)
