"""The words of a provider's answer, where the answer is complete. Shapes as in `providers`."""

from typing import Any, Final

from guarded_webfetch.evidence.providers import dicts, either, text


def answer_text(response: Any, provider: str) -> str:
    """The answer's text; "" for one that was cut off, refused or blocked."""
    return _READERS[provider](response).strip()


def _gemini(response: dict[str, Any]) -> str:
    candidate = next(dicts(response.get("candidates")), None)
    if candidate is None:
        done = response.get("status") == "completed"
        outputs = [step for step in dicts(response.get("steps")) if step.get("type") == "model_output"] if done else []
        return "".join(text(part.get("text")) for step in outputs for part in dicts(step.get("content")))
    if either(candidate, "finishReason") != "STOP":
        return ""
    parts = dicts(either(candidate.get("content"), "parts"))
    return "".join(text(part.get("text")) for part in parts if not part.get("thought"))


def _anthropic(response: dict[str, Any]) -> str:
    if either(response, "stopReason") not in ("end_turn", "stop_sequence"):
        return ""
    return "".join(text(block.get("text")) for block in dicts(response.get("content")) if block.get("type") == "text")


def _openai(response: dict[str, Any]) -> str:
    if response.get("status") != "completed":
        return ""
    messages = [item for item in dicts(response.get("output")) if item.get("type") == "message"]
    parts = [part for item in messages for part in dicts(item.get("content")) if part.get("type") == "output_text"]
    return "".join(text(part.get("text")) for part in parts)


_READERS: Final = {"gemini": _gemini, "anthropic": _anthropic, "openai": _openai}
