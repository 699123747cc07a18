"""The stub model by itself: each dialect carries a conversation through its script."""

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clients import stub_model

SCRIPT = {
    "steps": [
        {"calls": [{"tool": ["exec_command", "Bash"], "input": {"command": "fetch"}}]},
        {"calls": [{"tool": ["exec_command", "Bash"], "input": {"command": r"jq {{re:(/\S+\.json)}}"}}]},
        {"text": "bye"},
    ],
    "branches": [{"when": "SUBAGENT", "steps": [{"text": "from the branch"}]}],
    "side": "a title",
}
Post = Callable[[str, dict[str, Any]], str]


@pytest.fixture
def post(tmp_path: Path) -> Iterator[Post]:
    (tmp_path / "run-1.json").write_text(json.dumps(SCRIPT))
    server = stub_model.StubServer(tmp_path)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def send(path: str, body: dict[str, Any]) -> str:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{server.url}/run-1{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.read().decode()

    yield send
    server.shutdown()
    server.server_close()


def events(text: str) -> list[dict[str, Any]]:
    data = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in data if line != "[DONE]"]


def log(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "run-1.jsonl").read_text().splitlines()]


def test_an_anthropic_conversation(post: Post):
    messages: list[dict[str, Any]] = [{"role": "user", "content": "read it"}]
    seen = []
    for result in ["saved to /x/r.json\n", "{}", None]:
        body = {"model": "m", "tools": [{"name": "Bash"}], "messages": messages}
        reply = json.loads(post("/v1/messages", body))
        seen.append(reply["content"][0])
        if reply["stop_reason"] == "tool_use":
            answer = {"type": "tool_result", "tool_use_id": reply["content"][0]["id"], "content": result}
            messages += [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": [answer]}]
    assert [block.get("input") for block in seen[:2]] == [{"command": "fetch"}, {"command": "jq /x/r.json"}]
    assert seen[2] == {"type": "text", "text": "bye"}


def test_a_stream_of_responses(post: Post):
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    body: dict[str, Any] = {"tools": [{"type": "function", "name": "exec_command"}], "input": [said]}
    first = events(post("/v1/responses", body))
    kinds = ["response.created", "response.output_item.added", "response.output_item.done", "response.completed"]
    assert [event["type"] for event in first] == kinds
    called = first[2]["item"]
    body["input"] += [called, {"type": "function_call_output", "call_id": called["call_id"], "output": "/a/b.json"}]
    again = events(post("/v1/responses", body))[2]["item"]
    assert json.loads(again["arguments"]) == {"command": "jq /a/b.json"}


def test_a_stream_of_chat(post: Post):
    tools = [{"type": "function", "function": {"name": "Bash"}}]
    found = events(post("/v1/chat/completions", {"tools": tools, "messages": [{"role": "user", "content": "hi"}]}))
    assert found[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] == "Bash"
    assert found[1]["choices"][0]["finish_reason"] == "tool_calls"


def test_a_stream_of_gemini_without_call_ids(post: Post):
    path = "/v1beta/models/x:streamGenerateContent"
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "hi"}]}]
    body = {"tools": [{"functionDeclarations": [{"name": "Bash"}]}], "contents": contents}
    first = events(post(path, body))[0]["candidates"][0]["content"]["parts"][0]["functionCall"]
    response = {"name": "Bash", "response": {"output": "/c.json"}}
    contents += [
        {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": response}]},
    ]
    second = events(post(path, body))[0]["candidates"][0]["content"]["parts"][0]["functionCall"]
    assert (first["args"], second["args"]) == ({"command": "fetch"}, {"command": "jq /c.json"})


def test_a_subagent_follows_its_branch(post: Post):
    body = {"tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "SUBAGENT go"}]}
    assert json.loads(post("/v1/messages", body))["content"][0]["text"] == "from the branch"


def test_a_request_without_tools_takes_no_step(post: Post):
    reply = json.loads(post("/v1/messages", {"messages": [{"role": "user", "content": "title?"}]}))
    assert reply["content"][0]["text"] == "a title"


def test_message_ids_differ(post: Post):
    body = {"messages": [{"role": "user", "content": "x"}]}
    assert len({json.loads(post("/v1/messages", body))["id"] for _ in range(3)}) == 3


def test_the_log_holds_tools_and_body(post: Post, tmp_path: Path):
    post("/v1/messages", {"tools": [{"name": "Bash"}], "messages": []})
    assert (log(tmp_path)[-1]["tools"], log(tmp_path)[-1]["body"]["messages"]) == (["Bash"], [])


def test_a_client_that_asks_for_ever_is_ended(post: Post, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stub_model, "MAX_REQUESTS", 2)
    replies = [post("/v1/messages", {"tools": [{"name": "Bash"}], "messages": []}) for _ in range(3)]
    assert ["too many requests" in reply for reply in replies] == [False, False, True]
