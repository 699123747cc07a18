"""`gate run` by the real Codex and Claude Code: the question and the fenced page, no tool, nothing else."""

import json

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.clients.client_run import ClientWorld, Place
from tests.e2e.clients.test_model_summary import ARTICLE, CANARY, INJECTED, KINDS, PLANTED

pytestmark = [pytest.mark.client, pytest.mark.sealed]

QUESTION = "How are leaking gates repaired?"
ANSWERS = {
    ARTICLE: (0, "passed", None, "With new timber."),
    INJECTED: (11, "needs_review", "flagged", None),
}


@pytest.mark.parametrize("url", ANSWERS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_closed_to_the_page(place: Place, world: ClientWorld, kind: str, url: str) -> None:
    key, base = (f"{'ANTHROPIC' if kind == 'claude' else 'OPENAI'}_{name}" for name in ("API_KEY", "BASE_URL"))
    program = getattr(world.programs, kind)
    config = f'summary_model = "gpt-6.2-sol"\nlogin = ["{key}", "{base}"]\n[programs]\n{kind} = "{program}"\n'
    place.write("~/.config/guarded-webfetch/config.toml", config)
    for path, content in PLANTED.items():
        place.write(path, content)
    place.write("question.txt", QUESTION)
    command = ["bash", str(REPOSITORY / "scripts/guarded-webfetch"), "gate", "run", "--prompt", "question.txt"]
    command += ["--answer-with", kind, "--require", url]
    environment = {key: "dummy-key", base: "STUB" if kind == "claude" else "STUB/v1"}
    script = {"side": "With new timber.", "steps": [{"text": "With new timber."}]}
    ran = place.start(command, script, environment).wait()
    answer = json.loads((place.project / ran.result.stdout.strip()).read_text("utf-8"))
    assert (ran.result.returncode, answer["result"], answer["reason"], answer["answer"]) == ANSWERS[url]
    posts = [entry for entry in ran.requests if entry["method"] == "POST"]
    assert bool(posts) == (url == ARTICLE)
    assert not ran.offered and not any(entry["body"].get("tools") for entry in posts)
    assert CANARY not in ran.sent and "dummy-key" not in ran.sent
    if posts:
        assert QUESTION in ran.sent and "BEGIN-UNTRUSTED-WEB-TEXT" in ran.sent and "Summarise" not in ran.sent
