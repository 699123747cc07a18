"""The four request shapes that agent clients speak, each with how to read a request and how to write an answer.

Anthropic Messages (Claude Code), OpenAI Responses (Codex CLI), OpenAI chat (OpenCode), Gemini (Gemini CLI).
"""

import json
import time
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from tests.e2e.clients.stub_script import Answer, Turn, flat_text, new_call_id, step_of

Json = dict[str, Any]
_USAGE = {"input_tokens": 10, "output_tokens": 5}


# ---------------------------------------------------------------- reading


def read_anthropic(body: Json) -> Turn:
    turn = Turn([tool.get("name", "") for tool in body.get("tools") or []], [], [], _opening(body.get("messages")))
    for message in body.get("messages") or []:
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if block.get("type") == "tool_use":
                turn.calls.append(str(block.get("id")))
            elif block.get("type") == "tool_result":
                turn.results.append(flat_text(block.get("content")))
    return turn


def read_responses(body: Json) -> Turn:
    items = body.get("input")
    items = items if isinstance(items, list) else []
    said = [item.get("content") for item in items if item.get("role") == "user"]
    turn = Turn(list(_responses_tools(body)), [], [], flat_text(said))
    for item in items:
        kind = str(item.get("type"))
        if kind.endswith("_call"):
            turn.calls.append(str(item.get("call_id")))
        elif kind.endswith("_call_output"):
            turn.results.append(flat_text(item.get("output")))
    return turn


def _responses_tools(body: Json) -> Iterator[str]:
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            yield from (f"{tool.get('name')}.{inner.get('name')}" for inner in tool.get("tools") or [])
        else:
            yield tool.get("name") or tool.get("type") or ""


def read_chat(body: Json) -> Turn:
    tools = [(tool.get("function") or {}).get("name", "") for tool in body.get("tools") or []]
    turn = Turn(tools, [], [], _opening(body.get("messages")))
    for message in body.get("messages") or []:
        turn.calls.extend(str(call.get("id")) for call in message.get("tool_calls") or [])
        if message.get("role") == "tool":
            turn.results.append(flat_text(message.get("content")))
    return turn


def read_gemini(body: Json) -> Turn:
    tools = [
        entry.get("name", "") for tool in body.get("tools") or [] for entry in tool.get("functionDeclarations") or []
    ]
    contents = body.get("contents") or []
    said = [content.get("parts") for content in contents if content.get("role") == "user"]
    turn = Turn(tools, [], [], flat_text(said[:1]))
    for content in contents:
        parts = content.get("parts") or []
        ids = [str((part["functionCall"] or {}).get("id")) for part in parts if "functionCall" in part]
        if ids:  # the client may drop the ids: then each turn of the model counts as one step
            turn.calls.extend([i for i in ids if step_of(i) >= 0] or [new_call_id(turn.step, 0)])
        for part in parts:
            if "functionResponse" in part:
                turn.results.append(flat_text((part["functionResponse"] or {}).get("response")))
    return turn


def _opening(messages: Any) -> str:
    return flat_text([message.get("content") for message in messages or [] if message.get("role") == "user"][:1])


# ---------------------------------------------------------------- writing: (event name or None, data)


Event = tuple[str | None, Any]


def anthropic_message(model: str, answer: Answer) -> Json:
    content: list[Json] = [{"type": "text", "text": answer.say}] if answer.say else []
    content += [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given in answer.calls]
    return {
        "id": "msg_" + uuid.uuid4().hex,  # clients merge messages that share an id
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": dict(_USAGE),
    }


def anthropic_events(message: Json) -> Iterable[Event]:
    yield "message_start", {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            empty = block | {"input": {}}
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": stop, "usage": dict(_USAGE)}
    yield "message_stop", {"type": "message_stop"}


def responses_events(model: str, answer: Answer) -> Iterable[Event]:
    head = {
        "id": "resp_" + uuid.uuid4().hex,
        "object": "response",
        "model": model,
        "status": "in_progress",
        "output": [],
    }
    yield "response.created", {"type": "response.created", "response": head}
    output: list[Json] = []
    if answer.say:
        text = [{"type": "output_text", "text": answer.say, "annotations": []}]
        message = {"type": "message", "id": "msg_" + uuid.uuid4().hex, "role": "assistant", "content": text}
        output.append(message | {"status": "completed"})
    for i, name, given in answer.calls:
        call = {"type": "function_call", "id": "fc_" + i, "call_id": i, "name": name, "arguments": json.dumps(given)}
        output.append(call | {"status": "completed"})
    for index, item in enumerate(output):
        for kind in ("response.output_item.added", "response.output_item.done"):
            yield kind, {"type": kind, "output_index": index, "item": item}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    done = head | {"status": "completed", "output": output, "usage": _USAGE | {"total_tokens": 15} | details}
    yield "response.completed", {"type": "response.completed", "response": done}


def chat_events(model: str, answer: Answer) -> Iterable[Event]:
    base = {"id": "chatcmpl-stub", "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
    delta: Json = {"role": "assistant", "content": answer.say or None}
    if answer.calls:
        delta["tool_calls"] = [
            {"index": n, "id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (i, name, given) in enumerate(answer.calls)
        ]
    reason = "tool_calls" if answer.calls else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    yield None, base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, base | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
    yield None, "[DONE]"


def gemini_body(answer: Answer) -> Json:
    parts: list[Json] = [{"text": answer.say}] if answer.say else []
    parts += [{"functionCall": {"id": i, "name": name, "args": given}} for i, name, given in answer.calls]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "stub",
    }
