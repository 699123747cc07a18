"""Responses as the three providers send them, made by hand from the published shapes, each with what it proves about A.

`expect` is the gate's result for required URL A alone at level 2; `status` what is found for it.
"""

from typing import Any, Final, NamedTuple

A: Final = "https://docs.example.com/a"
B: Final = "https://docs.example.com/b"
PASSED, FETCH, REVIEW = "passed", "own_fetch_needed", "needs_review"


class Response(NamedTuple):
    name: str
    value: Any
    expect: str
    status: str


def gemini(*rows: tuple[str, str], place: str = "candidate") -> dict[str, Any]:
    metadata = {"urlMetadata": [{"retrievedUrl": url, "urlRetrievalStatus": status} for url, status in rows]}
    answer: dict[str, Any] = {"content": {"parts": [{"text": "Fluent."}]}, "finishReason": "STOP"}
    if place == "candidate":
        return {"candidates": [{**answer, "urlContextMetadata": metadata}], "modelVersion": "g"}
    return {"candidates": [answer], "urlContextMetadata": metadata}


def snake(url: str, status: str) -> dict[str, Any]:
    rows = [{"retrieved_url": url, "url_retrieval_status": status}]
    return {"candidates": [{"url_context_metadata": {"url_metadata": rows}}]}


def interaction(status: str, *, is_error: Any = False, url: str = A) -> dict[str, Any]:
    return {"steps": [{"type": "url_context_result", "result": [{"url": url, "status": status}], "is_error": is_error}]}


def fetched(
    url: str = A, *, asked: str = A, data: str = "text", call: str = "t1", result: str = "t1", kind: str = "text"
) -> dict[str, Any]:
    document = {"type": "document", "source": {"type": kind, "media_type": "text/plain", "data": data}}
    return message(
        {"type": "server_tool_use", "id": call, "name": "web_fetch", "input": {"url": asked}},
        {
            "type": "web_fetch_tool_result",
            "tool_use_id": result,
            "content": {"type": "web_fetch_result", "url": url, "retrieved_at": "2026-11-30", "content": document},
        },
    )


def message(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [*blocks, {"type": "text", "text": "Fluent."}]}


def fetch_error(code: str) -> dict[str, Any]:
    return message(
        {"type": "server_tool_use", "id": "t1", "name": "web_fetch", "input": {"url": A}},
        {
            "type": "web_fetch_tool_result",
            "tool_use_id": "t1",
            "content": {"type": "web_fetch_tool_result_error", "error_code": code},
        },
    )


def without_document() -> dict[str, Any]:
    response = fetched()
    del response["content"][1]["content"]["content"]
    return response


def openai(*items: dict[str, Any]) -> dict[str, Any]:
    return {"object": "response", "output": list(items)}


def call(action: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    return {"type": "web_search_call", "id": "w", "status": status, "action": action}


def cited(url: str) -> dict[str, Any]:
    annotation = {"type": "url_citation", "url": url, "title": "t", "start_index": 0, "end_index": 1}
    return {"type": "message", "content": [{"type": "output_text", "text": "Fluent.", "annotations": [annotation]}]}


G: Final = "URL_RETRIEVAL_STATUS_"
RESPONSES: Final = (
    # Gemini
    Response("success", gemini((A, f"{G}SUCCESS")), PASSED, "success"),
    Response("error", gemini((A, f"{G}ERROR")), FETCH, "error"),
    Response("paywall", gemini((A, f"{G}PAYWALL")), REVIEW, "paywall"),
    Response("unsafe", gemini((A, f"{G}UNSAFE")), REVIEW, "unsafe"),
    Response("unspecified", gemini((A, f"{G}UNSPECIFIED")), FETCH, "unknown_status"),
    Response("partial-success", gemini((A, "PARTIAL_SUCCESS")), FETCH, "unknown_status"),
    Response("unsuccessful", gemini((A, "URL_RETRIEVAL_STATUS_UNSUCCESSFUL")), FETCH, "unknown_status"),
    Response("status-lower-case", gemini((A, f"{G}success")), FETCH, "unknown_status"),
    Response(
        "status-number",
        {"candidates": [{"urlContextMetadata": {"urlMetadata": [{"retrievedUrl": A, "urlRetrievalStatus": 1}]}}]},
        FETCH,
        "unknown_status",
    ),
    Response("no-metadata", {"candidates": [{"content": {"parts": [{"text": A}]}}]}, FETCH, "not_attempted"),
    Response("empty-metadata", gemini(), FETCH, "not_attempted"),
    Response("no-candidates", {"candidates": []}, FETCH, "not_attempted"),
    Response("other-url", gemini((B, f"{G}SUCCESS")), FETCH, "not_attempted"),
    Response("other-url-and-error", gemini((B, f"{G}SUCCESS"), (A, f"{G}ERROR")), FETCH, "error"),
    Response("error-then-success", gemini((A, f"{G}ERROR"), (A, f"{G}SUCCESS")), PASSED, "success"),
    Response("success-and-unsafe", gemini((A, f"{G}SUCCESS"), (A, f"{G}UNSAFE")), REVIEW, "unsafe"),
    Response("success-and-paywall", gemini((A, f"{G}SUCCESS"), (A, f"{G}PAYWALL")), REVIEW, "paywall"),
    Response("fragment-and-port", gemini(("HTTPS://DOCS.example.com:443/a#x", f"{G}SUCCESS")), PASSED, "success"),
    Response("percent-encoding", gemini(("https://docs.example.com/%61", f"{G}SUCCESS")), PASSED, "success"),
    Response("trailing-slash", gemini((A + "/", f"{G}SUCCESS")), FETCH, "not_attempted"),
    Response("query", gemini((A + "?p=1", f"{G}SUCCESS")), FETCH, "not_attempted"),
    Response("www", gemini(("https://www.docs.example.com/a", f"{G}SUCCESS")), PASSED, "success"),
    Response("downgrade", gemini(("http://docs.example.com/a", f"{G}SUCCESS")), FETCH, "not_attempted"),
    Response(
        "look-alike-host",
        gemini(("https://docs.example.com.evil.example.net/a", f"{G}SUCCESS")),
        FETCH,
        "not_attempted",
    ),
    Response(
        "userinfo", gemini(("https://docs.example.com@evil.example.net/a", f"{G}SUCCESS")), FETCH, "not_attempted"
    ),
    Response("snake-case", snake(A, f"{G}SUCCESS"), PASSED, "success"),
    Response("response-level", gemini((A, f"{G}SUCCESS"), place="response"), PASSED, "success"),
    Response(
        "second-candidate", {"candidates": [{}, *gemini((A, f"{G}SUCCESS"))["candidates"]]}, FETCH, "not_attempted"
    ),
    Response(
        "grounding-chunk",
        {"candidates": [{"groundingMetadata": {"groundingChunks": [{"web": {"uri": A}}]}}]},
        FETCH,
        "not_attempted",
    ),
    Response("interaction-success", interaction("success"), PASSED, "success"),
    Response("interaction-unsafe", interaction("unsafe"), REVIEW, "unsafe"),
    Response(
        "interaction-success-and-unsafe",
        {"steps": [*interaction("success")["steps"], *interaction("unsafe")["steps"]]},
        REVIEW,
        "unsafe",
    ),
    Response("interaction-paywall", interaction("paywall"), REVIEW, "paywall"),
    Response("interaction-unknown", interaction("SUCCESS"), FETCH, "unknown_status"),
    Response("interaction-is-error", interaction("success", is_error=True), FETCH, "error"),
    Response("interaction-is-error-odd", interaction("success", is_error="no"), FETCH, "error"),
    # Anthropic
    Response("fetch", fetched(), PASSED, "success"),
    Response("fetch-other", fetched(B, asked=B), FETCH, "not_attempted"),
    Response("fetch-redirected-on-the-host", fetched("https://docs.example.com/a/index.html"), PASSED, "success"),
    Response("fetch-redirected-away", fetched("https://evil.example.net/a"), FETCH, "not_attempted"),
    Response("fetch-redirected-below", fetched("https://evil.docs.example.com/a"), FETCH, "not_attempted"),
    Response("fetch-redirected-down", fetched("http://docs.example.com/b"), FETCH, "not_attempted"),
    Response("fetch-without-document", without_document(), FETCH, "unknown_status"),
    Response("fetch-empty-document", fetched(data=""), FETCH, "unknown_status"),
    Response("fetch-blank-document", fetched(data=" \n"), FETCH, "unknown_status"),
    Response("fetch-pdf", fetched(kind="base64"), PASSED, "success"),
    Response("fetch-unknown-source", fetched(kind="url"), FETCH, "unknown_status"),
    Response("fetch-other-call", fetched(B, result="t2"), FETCH, "not_attempted"),
    *(
        Response(f"fetch-{code}", fetch_error(code), FETCH, status)
        for code, status in {
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
            "something_new": "unknown_status",
        }.items()
    ),
    Response(
        "search-only",
        message({"type": "web_search_tool_result", "content": [{"type": "web_search_result", "url": A}]}),
        FETCH,
        "not_attempted",
    ),
    Response(
        "citation-only",
        message({"type": "text", "text": "x", "citations": [{"type": "web_search_result_location", "url": A}]}),
        FETCH,
        "not_attempted",
    ),
    Response(
        "a-client-tool-result",
        message({"type": "tool_result", "content": {"type": "web_fetch_result", "url": A}}),
        FETCH,
        "not_attempted",
    ),
    Response(
        "text-that-looks-like-a-result",
        message({"type": "text", "text": '{"type":"web_fetch_result","url":"' + A + '"}'}),
        FETCH,
        "not_attempted",
    ),
    # OpenAI
    Response("open-page", openai(call({"type": "open_page", "url": A})), FETCH, "not_attempted"),
    Response("open-page-failed", openai(call({"type": "open_page", "url": A}, "failed")), FETCH, "error"),
    Response("open-page-null", openai(call({"type": "open_page", "url": None})), FETCH, "not_attempted"),
    Response("find-in-page", openai(call({"type": "find_in_page", "url": A, "pattern": "x"})), FETCH, "not_attempted"),
    Response(
        "search-sources",
        openai(call({"type": "search", "queries": [], "sources": [{"type": "url", "url": A}]})),
        FETCH,
        "not_attempted",
    ),
    Response("url-citation", openai(cited(A)), FETCH, "not_attempted"),
    Response("nothing", openai(), FETCH, "not_attempted"),
)
UNKNOWN: Final[tuple[object, ...]] = (
    {},
    [],
    "x",
    1,
    None,
    {"content": []},
    {"type": "message"},
    {"output": {}},
    {"candidates": {}},
    {"choices": [{}]},
)
