"""Reads what the answer of a provider's interface says about fetching. Plain JSON, no SDK; every status by an exact table.

Shapes as in google-genai 3.6 (candidates and interactions), anthropic 2.14 and openai 3.57. Nothing here raises on odd
values: what does not have the expected shape is no evidence.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from guarded_webfetch.evidence.evidence import CITED, PROVIDER_FETCHED, PROVIDER_TOUCHED, Evidence, Status

_GEMINI: Final[dict[str, Status]] = {
    "URL_RETRIEVAL_STATUS_SUCCESS": "success",
    "URL_RETRIEVAL_STATUS_ERROR": "error",
    "URL_RETRIEVAL_STATUS_PAYWALL": "paywall",
    "URL_RETRIEVAL_STATUS_UNSAFE": "unsafe",
}
_GEMINI_STEP: Final[dict[str, Status]] = {
    "success": "success",
    "error": "error",
    "paywall": "paywall",
    "unsafe": "unsafe",
}
_ANTHROPIC: Final[dict[str, Status]] = {
    "invalid_tool_input": "error",
    "url_too_long": "error",
    "url_not_allowed": "not_allowed",
    "url_not_in_prior_context": "not_allowed",
    "url_not_accessible": "error",
    "unsupported_content_type": "unsupported",
    "too_many_requests": "rate_limited",
    "max_uses_exceeded": "rate_limited",
    "unavailable": "unavailable",
    "content_too_large": "too_large",
}


class Answer(NamedTuple):
    """The provider's name and everything its answer says about URLs."""

    provider: str
    evidence: list[Evidence]


def read_answer(response: Any, provider: str) -> Answer | None:
    """`provider` is auto, gemini, anthropic or openai. None when the response is of none of these shapes."""
    for name, (fits, read) in _PROVIDERS.items():
        if provider in ("auto", name) and isinstance(response, dict) and fits(response):
            return Answer(name, list(read(response)))
    return None


def either(value: Any, camel: str) -> Any:
    """value[camel], or the same field in snake_case, as SDKs dump it."""
    if not isinstance(value, dict):
        return None
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in camel)
    return value.get(camel, value.get(snake))


def dicts(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a list; nothing for anything else."""
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _is_gemini(response: dict[str, Any]) -> bool:
    return isinstance(response.get("candidates"), list) or isinstance(response.get("steps"), list)


def _gemini(response: dict[str, Any]) -> Iterator[Evidence]:
    """The first candidate is the answer. Metadata of the whole response counts only where it can belong to no other."""
    candidates = list(dicts(response.get("candidates")))
    holders = candidates[:1] + ([response] if len(candidates) == 1 else [])
    for holder in holders:
        for row in dicts(either(either(holder, "urlContextMetadata"), "urlMetadata")):
            status = _GEMINI.get(text(either(row, "urlRetrievalStatus")), "unknown_status")
            yield Evidence(text(either(row, "retrievedUrl")), PROVIDER_FETCHED, status)
        for chunk in dicts(either(either(holder, "groundingMetadata"), "groundingChunks")):
            yield Evidence(text(either(chunk.get("web"), "uri")), CITED, "success")
    for step in dicts(response.get("steps")):
        if step.get("type") == "url_context_result":
            failed = either(step, "isError") not in (None, False)
            for row in dicts(step.get("result")):
                status = _GEMINI_STEP.get(text(row.get("status")), "unknown_status")
                yield Evidence(
                    text(row.get("url")), PROVIDER_FETCHED, "error" if failed and status == "success" else status
                )


def _is_anthropic(response: dict[str, Any]) -> bool:
    return response.get("type") == "message" and isinstance(response.get("content"), list)


def _anthropic(response: dict[str, Any]) -> Iterator[Evidence]:
    """Fetch results of the server's tool, each with the URL that its call asked for."""
    asked: dict[str, str] = {}
    for block in dicts(response.get("content")):
        kind = block.get("type")
        if kind == "server_tool_use" and block.get("name") == "web_fetch":
            asked[text(block.get("id"))] = text(either(block.get("input"), "url"))
        elif kind == "web_fetch_tool_result":
            yield _anthropic_fetch(block.get("content"), asked.get(text(block.get("tool_use_id")), ""))
        elif kind == "web_search_tool_result":
            yield from (
                Evidence(text(row.get("url")), PROVIDER_TOUCHED, "success") for row in dicts(block.get("content"))
            )
        elif kind == "text":
            yield from (Evidence(text(row.get("url")), CITED, "success") for row in dicts(block.get("citations")))


def _anthropic_fetch(content: Any, asked: str) -> Evidence:
    """A result without a document proves nothing: responses can leave their result blocks out."""
    kind = either(content, "type")
    if kind == "web_fetch_result":
        document = content.get("content")
        source = either(document, "source")
        known = either(document, "type") == "document" and either(source, "type") in ("text", "base64")
        whole = known and bool(text(either(source, "data")).strip())
        return Evidence(text(content.get("url")), PROVIDER_FETCHED, "success" if whole else "unknown_status", asked)
    if kind == "web_fetch_tool_result_error":
        return Evidence(asked, PROVIDER_FETCHED, _ANTHROPIC.get(text(either(content, "errorCode")), "unknown_status"))
    return Evidence(asked, PROVIDER_FETCHED, "unknown_status")


def _is_openai(response: dict[str, Any]) -> bool:
    return isinstance(response.get("output"), list)


def _openai(response: dict[str, Any]) -> Iterator[Evidence]:
    """No status of a single page is given, so nothing here is more than touched."""
    for item in dicts(response.get("output")):
        if item.get("type") == "web_search_call":
            action = item.get("action")
            status: Status = "success" if item.get("status") == "completed" else "error"
            yield Evidence(text(either(action, "url")), PROVIDER_TOUCHED, status)
            yield from (
                Evidence(text(row.get("url")), PROVIDER_TOUCHED, status) for row in dicts(either(action, "sources"))
            )
        elif item.get("type") == "message":
            for part in dicts(item.get("content")):
                yield from (Evidence(text(row.get("url")), CITED, "success") for row in dicts(part.get("annotations")))


_Provider = tuple[Callable[[dict[str, Any]], bool], Callable[[dict[str, Any]], Iterator[Evidence]]]
_PROVIDERS: Final[dict[str, _Provider]] = {
    "gemini": (_is_gemini, _gemini),
    "anthropic": (_is_anthropic, _anthropic),
    "openai": (_is_openai, _openai),
}
