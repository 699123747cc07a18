"""The words of an answer count only where the provider says that it is complete."""

from typing import Any

import pytest

from guarded_webfetch.evidence.provider_texts import answer_text


def gemini(finish: Any, *parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "candidates": [
            {"content": {"parts": list(parts)}, "finishReason": finish},
            {"content": {"parts": [{"text": "second"}]}},
        ]
    }


def anthropic(stop: Any, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "stop_reason": stop, "content": list(blocks)}


def openai(status: Any, *items: dict[str, Any]) -> dict[str, Any]:
    return {"status": status, "output": list(items)}


TEXT = {"text": "At noon."}
BLOCK = {"type": "text", **TEXT}
MESSAGE = {"type": "message", "content": [{"type": "output_text", **TEXT}, {"type": "refusal", "refusal": "no"}]}
STEPS = [{"type": "user_input", "content": [{"text": "When?"}]}, {"type": "model_output", "content": [TEXT]}]


@pytest.mark.parametrize(
    ("provider", "response"),
    [
        ("gemini", gemini("STOP", {"text": "let me see", "thought": True}, TEXT)),
        ("gemini", {"candidates": [{"content": {"parts": [TEXT]}, "finish_reason": "STOP"}]}),
        ("gemini", {"status": "completed", "steps": STEPS}),
        ("anthropic", anthropic("end_turn", {"type": "thinking", "thinking": "x"}, BLOCK)),
        ("openai", openai("completed", {"type": "reasoning"}, MESSAGE)),
    ],
)
def test_a_complete_answer(provider: str, response: dict[str, Any]) -> None:
    assert answer_text(response, provider) == "At noon."


@pytest.mark.parametrize(
    ("provider", "response"),
    [
        *(("gemini", gemini(finish, TEXT)) for finish in ("MAX_TOKENS", "SAFETY", "FINISH_REASON_UNSPECIFIED", "stop", None, 1)),
        ("gemini", {"candidates": []}), ("gemini", {"status": "in_progress", "steps": STEPS}), ("gemini", {"steps": STEPS}),
        *(("anthropic", anthropic(stop, BLOCK)) for stop in ("max_tokens", "pause_turn", "refusal", "tool_use", None)),
        ("anthropic", anthropic("end_turn")),
        *(("openai", openai(status, MESSAGE)) for status in ("incomplete", "failed", "cancelled", "in_progress", None)),
        ("openai", openai("completed", {"type": "message", "content": "At noon."})),
    ],
)  # fmt: skip
def test_an_answer_that_is_none(provider: str, response: dict[str, Any]) -> None:
    assert answer_text(response, provider) == ""
