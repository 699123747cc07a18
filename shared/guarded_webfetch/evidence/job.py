"""A job of the gate: a question, the sources its answer must rest on, and the key under which there is one answer. Pure."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from guarded_webfetch import __version__
from guarded_webfetch.core.limits import RETRY_FIRST_S, RETRY_LAST_S
from guarded_webfetch.core.url_policy import Url
from guarded_webfetch.evidence.gate import Policy

SCHEMA: Final = "guarded-webfetch/answer@1"

Way = Literal["provider", "own_fetch"]
# Why there is no answer: the status of a required source (evidence.Status), or one of these.
NO_ANSWER: Final[Mapping[str, str]] = {
    "interrupted": "The run ended before it had an answer.",
    "model_failed": "The model gave no answer.",
    "sanitizer_failed": "The answer could not be sanitized.",
    "client_open": "The model's client could not be closed in.",
    "source_changed": "A record changed while it was being used.",
    "answer_flagged": "The answer holds text that looks like an attack.",
    "quote_missing": "A claim's quote stands in none of the pages.",
    "no_quotes": "Quotes were asked for and the answer has none.",
}
# A person has to do something first; trying again by itself changes nothing.
FOR_PEOPLE: Final = frozenset({"unsafe", "paywall", "flagged", "not_allowed", "client_open", "answer_flagged"})


class Job(NamedTuple):
    """`question`: what the model is asked. `answered_by`: codex, claude or command:NAME. `as_quotes`: only claims with quotes count."""

    question: str
    required: Sequence[Url]
    policy: Policy
    answered_by: str
    as_quotes: bool

    @property
    def key(self) -> str:
        """64 hexadecimal digits: the same for the same question, sources, policy and version, whatever the order of the sources."""
        parts = {
            "schema": SCHEMA,
            "tool_version": __version__,
            "question": hashlib.sha256(self.question.encode()).hexdigest(),
            "urls": sorted(url.text for url in self.required),
            "policy": [*self.policy, self.answered_by, self.as_quotes],
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Answer(NamedTuple):
    """What a job came to. `sources` are rows for people; `content` are the hashes the answer is bound to, by URL."""

    way: Way | None
    reason: str | None  # None for an answer that counts
    text: str | None
    claims: Sequence[Mapping[str, Any]] | None
    sources: Sequence[Mapping[str, Any]]
    content: Mapping[str, str]


def next_try(reason: str, attempts: int, now_s: float) -> float | None:
    """When the job is due again, in seconds since the epoch; None when a person comes first."""
    if reason in FOR_PEOPLE:
        return None
    return now_s + min(RETRY_FIRST_S * 2.0 ** min(attempts - 1, 10), RETRY_LAST_S)
