"""What the stub model answers: the next step of a script, worked out from the request alone.

A script is {"steps": [STEP, ...]}, where STEP is one of
  {"text": "..."}                                  say something and end the turn
  {"calls": [{"tool": "Bash", "input": {...}}]}    ask for one or more tool calls
  either may carry {"say": "..."} before the calls.
`tool` may be a list of names: the first one that the client offers is used, and `by_tool` may then map a tool's name to its input.
After the last step the answer is "script finished". A script may also hold "branches": [{"when": TEXT, "steps": [...]}]: a
conversation whose first user message contains TEXT follows that branch (subagents). A request that offers no tools (titles,
warm-ups, a closed summary client) gets the script's "side" text, "ok" by default.

In every string of a step these are replaced: {{last}}, the text of the last tool result; {{re:PATTERN}}, the first group of
PATTERN in the newest tool result in which it matches.
"""

import json
import re
import uuid
from typing import Any, NamedTuple

_CALL_ID = re.compile(r"(?:fc_)?call_(\d+)_\d+_")


class Turn(NamedTuple):
    """What a request tells. `calls`: ids of the tool calls already in the conversation; `results`: what they gave back."""

    tools: list[str]
    calls: list[str]
    results: list[str]
    opening: str  # what the user said first; tells a subagent from its parent

    @property
    def step(self) -> int:
        """How many steps are done, so retries, side requests and restarts do no harm."""
        return 1 + max((step_of(call) for call in self.calls), default=-1)


class Answer(NamedTuple):
    say: str
    calls: list[tuple[str, str, Any]]  # (id, tool, input)


def new_call_id(step: int, number: int) -> str:
    return f"call_{step}_{number}_{uuid.uuid4().hex[:8]}"


def step_of(call_id: str) -> int:
    found = _CALL_ID.match(call_id)
    return int(found[1]) if found else -1


def flat_text(content: Any) -> str:
    """Text of a content value: a string, a block, or a list of blocks."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, map(flat_text, content)))
    if isinstance(content, dict):
        for key in ("text", "content", "output", "error"):
            if key in content:
                return flat_text(content[key])
        return json.dumps(content, ensure_ascii=False)
    return str(content)


def choose(script: dict[str, Any], turn: Turn) -> Answer:
    """The answer to give."""
    if not turn.tools:
        return Answer(script.get("side", "ok"), [])
    branches = script.get("branches", [])
    steps = next((branch["steps"] for branch in branches if branch["when"] in turn.opening), script["steps"])
    if turn.step >= len(steps):
        return Answer("script finished", [])
    step = steps[turn.step]
    if "text" in step:
        return Answer(_fill(step["text"], turn.results), [])
    calls = []
    for number, call in enumerate(step["calls"]):
        names = call["tool"] if isinstance(call["tool"], list) else [call["tool"]]
        name = next((name for name in names if name in turn.tools), names[0])
        given = call.get("by_tool", {}).get(name, call.get("input", {}))
        calls.append((new_call_id(turn.step, number), name, _fill(given, turn.results)))
    return Answer(_fill(step.get("say", ""), turn.results), calls)


def _fill(value: Any, results: list[str]) -> Any:
    if isinstance(value, dict):
        return {key: _fill(entry, results) for key, entry in value.items()}
    if isinstance(value, list):
        return [_fill(entry, results) for entry in value]
    if not isinstance(value, str):
        return value

    def by_pattern(match: re.Match[str]) -> str:
        for text in reversed(results):
            if found := re.search(match[1], text):
                return found[1]
        return "NO-MATCH"

    value = value.replace("{{last}}", results[-1].strip() if results else "")
    return re.sub(r"\{\{re:(.+?)\}\}", by_pattern, value)
