"""The hook: the built-in fetchers are denied, and so is every command that names the launcher without being one call of it."""

import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guarded_webfetch.commands.fetch import AGENT_OPTIONS
from tests.conftest import REPOSITORY

SCRIPTS = REPOSITORY / "skills/guarded-webfetch/scripts"
BASH = shutil.which("bash") or "bash"
PATH = "/home-of/skills/guarded-webfetch/scripts/quarantine-fetch.sh"
URL = "'https://example.com/a'"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pre_tool_use", SCRIPTS / "pre_tool_use.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["pre_tool_use"] = module
    spec.loader.exec_module(module)
    return module


hook = load()


def judged(command: str, cwd: str = "/project", tool: str = "Bash", **environment: str) -> str | None:
    event = {"tool_name": tool, "tool_input": {"command": command}, "cwd": cwd}
    decision = hook.decide(event, environment)
    return decision.permission if decision else None


# The quoted spellings that must pass without a question in every client (ecosystem goal E3).
QUOTED = [
    "https://example.com/?a=1&b=2", "https://example.com/a;b", "https://example.com/a|b", "https://example.com/#part",
    "https://example.com/100%25", "https://example.com/a(b)", "https://example.com/$HOME", "https://example.com/`id`",
    "https://example.com/a>b", "https://example.com/[a]", "https://example.com/{a}", "https://example.com/*",
    "https://example.com/日本語",
]  # fmt: skip


@pytest.mark.parametrize("url", QUOTED)
def test_every_quoted_url_is_one_call(url: str) -> None:
    assert judged(f"bash {PATH} '{url}'") is None
    assert hook.CALL.fullmatch(f"bash {PATH} '{url}'")


@pytest.mark.parametrize(
    "command",
    [
        f"bash {PATH} 'http://example.com/'",
        f"bash .claude/skills/guarded-webfetch/scripts/quarantine-fetch.sh {URL}",
        f"bash quarantine-fetch.sh {URL}",
        f'bash "/home of/quarantine-fetch.sh" {URL}',
        f"bash '/home of/quarantine-fetch.sh' {URL}",
        f"bash {PATH} --from .temp/guarded-webfetch/result-0123456789abcdef.json L3",
        f"bash {PATH} --from 'a folder/result-0123456789abcdef.json' L12 --quiet",
        f"bash {PATH} {URL} --timeout 40 --links inline --summary none --no-raw-html --quiet",
        f"bash {PATH} {URL} --timeout=12.5 --redirects checked --require-isolation max --out results/today",
        f"bash {PATH} {URL} --allow-origin https://docs.example.com --allow-origin 'https://[2001:db8::1]:8443'",
        f"bash {PATH} {URL} --ca-bundle /etc/company.pem",
    ],
)  # fmt: skip
def test_a_call_is_left_to_the_clients_rules(command: str) -> None:
    assert judged(command) is None


@pytest.mark.parametrize(
    "rest",
    [
        f"{URL} | curl https://evil.example/", f"{URL}; curl https://evil.example/", f"{URL} && curl x", f"{URL} & curl x",
        f"{URL} || curl x", f"{URL}\ncurl x", f"{URL}\r\ncurl x", f"{URL} > out.txt", f"{URL} 2>&1", f"{URL} < in",
        f"{URL} $(curl x)", f"{URL} `curl x`", f"{URL} ${{IFS}}", f"{URL} --timeout $(id)", f"{URL} --out `id`",
        "https://example.com/", '"https://example.com/"', '"https://example.com/$(id)"', "'https://a.example/' 'https://b.example/'",
        "'https://example.com/a b'", "'https://example.com/a\nb'", "'https://example.com/\x1b'", "'file:///etc/passwd'", "'HTTPS://x/'",
        "''", "", f"--proxy http://x {URL}", f"{URL} --proxy http://x", f"{URL} --ports wide", f"{URL} --allow-secret",
        f"{URL} --require-isolation process", f"{URL} --summary codex", f"{URL} --out ~/x", f"{URL} --out 'a\nb'", f"{URL} --out -x",
        f"{URL} --timeout 1000", f"{URL} --from r.json L3", "--from r.json", "--from r.json L0", "--from r.json 3",
        "--from $R L3", "--from r.json L3; id", f"{URL} # note", f"{URL} ", f" {URL}",
    ],
)  # fmt: skip
def test_anything_else_that_names_the_launcher_is_denied(rest: str) -> None:
    assert judged(f"bash {PATH} {rest}") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        f"cd /tmp && bash {PATH} {URL}", f"X=1 bash {PATH} {URL}", f"GUARDED_WEBFETCH_PYTHON=/x bash {PATH} {URL}",
        f"sh {PATH} {URL}",
        f"{PATH} {URL}", f"timeout 5 bash {PATH} {URL}", f"env bash {PATH} {URL}",
        f"for u in a; do bash {PATH} {URL}; done", f"x=$(bash {PATH} {URL})",
        f"bash -c \"bash {PATH} {URL}\"", f"cat x | bash {PATH} {URL}",
        f"bash $HOME/quarantine-fetch.sh {URL}", f'bash "$D/quarantine-fetch.sh" {URL}',
        f'bash "`id`/quarantine-fetch.sh" {URL}', f"bash ~/quarantine-fetch.sh {URL}", f"echo x > {PATH}", f"cp evil {PATH}",
        f"cat {PATH}; curl x", f"git diff {PATH} | sh", f"bash  {PATH} {URL}", f"bash\t{PATH} {URL}", f"bash {PATH}\n{URL}",
    ],
)  # fmt: skip
def test_nothing_before_or_around_the_call(command: str) -> None:
    assert judged(command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        f"cat {PATH}",
        f"ls -l {PATH}",
        f"shellcheck {PATH}",
        f"git diff {PATH}",
        f"git add {PATH}",
        "curl https://x/",
        "jq . r.json",
        "ls",
    ],
)
def test_looking_at_the_file_and_other_commands_are_not_ours(command: str) -> None:
    assert judged(command) is None


@given(st.text(max_size=40).filter(lambda text: not hook.CALL.fullmatch(f"bash {PATH} {URL}{text}")))
def test_whatever_follows_a_call_makes_it_none(text: str) -> None:
    assert judged(f"bash {PATH} {URL}{text}") == "deny"


@settings(max_examples=60, deadline=None)
@given(st.from_regex(hook.CALL, fullmatch=True))
def test_a_shell_sees_one_command_and_no_expansion(command: str) -> None:
    """Whatever the pattern accepts: bash runs one command, with the words that stand there, and nothing is put in their place."""
    shown = subprocess.run(
        [BASH, "-c", f"bash() {{ printf '%s\\0' \"$@\" END; }}\n{command}"],
        capture_output=True,
        check=False,
        cwd="/proc/self",
    )
    assert shown.stderr == b""
    assert shown.stdout.decode().split("\0") == [*shlex.split(command)[1:], "END", ""]


def test_the_options_are_those_of_the_launcher() -> None:
    assert set(hook.OPTIONS) | {"--from"} == AGENT_OPTIONS


# ---------------------------------------------------------------- whose launcher it is


def place_skill(folder: Path) -> Path:
    scripts = folder / "guarded-webfetch/scripts"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    return scripts


def answer(scripts: Path, event: Any, *, cwd: Path, **environment: str) -> dict[str, str] | None:
    text = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
    done = subprocess.run(
        [BASH, str(scripts / "pre-tool-use.sh")], input=text, cwd=cwd, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd)} | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else None


def bash_event(command: str, cwd: Path, **given: Any) -> dict[str, Any]:
    return {
        "tool_name": "Bash",
        "tool_input": {"command": command, **given},
        "cwd": str(cwd),
        "hook_event_name": "PreToolUse",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a project").mkdir()
    return tmp_path / "a project"


def test_its_own_launcher_needs_no_question_in_claude_code(tmp_path: Path, project: Path) -> None:
    scripts = place_skill(tmp_path / "home")
    command = f"bash {scripts}/quarantine-fetch.sh {URL}"
    found = answer(scripts, bash_event(command, project), cwd=project, CLAUDE_PROJECT_DIR=str(project))
    assert found and found["permissionDecision"] == "allow"
    for event, environment in (
        (bash_event(command, project), {}),  # Codex
        (bash_event(command, project, dangerouslyDisableSandbox=True), {"CLAUDE_PROJECT_DIR": str(project)}),
        (bash_event(f"bash {tmp_path}/quarantine-fetch.sh {URL}", project), {"CLAUDE_PROJECT_DIR": str(project)}),
    ):
        assert answer(scripts, event, cwd=project, **environment) is None


def test_a_launcher_that_can_be_edited_is_not_allowed_unasked(project: Path) -> None:
    """A checkout worked on is no installed skill; what a client protects is."""
    for folder, expected in ((project / "skills", None), (project / ".claude/skills", "allow")):
        scripts = place_skill(folder)
        event = bash_event(f'bash "{scripts}/quarantine-fetch.sh" {URL}', project)
        found = answer(scripts, event, cwd=project, CLAUDE_PROJECT_DIR=str(project))
        assert (found and found["permissionDecision"]) == expected


def test_a_relative_path_counts_from_the_project_only(project: Path) -> None:
    scripts = place_skill(project / ".claude/skills")
    place_skill(project / "sub/.claude/skills")  # what a sandboxed command can write
    command = f"bash .claude/skills/guarded-webfetch/scripts/quarantine-fetch.sh {URL}"
    for folder, expected in ((project, "allow"), (project / "sub", "deny")):
        found = answer(scripts, bash_event(command, folder), cwd=folder, CLAUDE_PROJECT_DIR=str(project))
        assert found and found["permissionDecision"] == expected


# ---------------------------------------------------------------- the built-in fetchers


@pytest.mark.parametrize("tool", ["WebFetch", "WebSearch"])
def test_built_in_fetchers_are_denied_with_the_way_to_go(tmp_path: Path, tool: str) -> None:
    found = answer(SCRIPTS, {"tool_name": tool, "tool_input": {"url": "https://example.com/"}}, cwd=tmp_path)
    assert found and found["permissionDecision"] == "deny"
    assert "guarded-webfetch" in found["permissionDecisionReason"]
    assert f"bash {SCRIPTS}/quarantine-fetch.sh 'URL'" in found["permissionDecisionReason"]


def test_a_monitor_watches_commands_and_opens_no_websocket(tmp_path: Path) -> None:
    for call, denied in (
        ({"ws": {"url": "wss://example.com/"}}, True),
        ({"command": f"bash {PATH} {URL} | cat"}, True),
        ({"command": f"bash {PATH} {URL}"}, False),
        ({"command": "echo '\"ws\": 1'"}, False),
    ):
        found = answer(SCRIPTS, {"tool_name": "Monitor", "tool_input": call, "cwd": str(tmp_path)}, cwd=tmp_path)
        assert bool(found) == denied


@pytest.fixture
def exceptions(tmp_path: Path) -> Path:
    path = tmp_path / "config/guarded-webfetch/builtin-fetch.txt"
    path.parent.mkdir(parents=True)
    path.write_text(
        "# only with a login\nhttps://wiki.example/team\nhttps://docs.example/\nhttp://plain.example/\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("url", "passes"),
    [
        ("https://wiki.example/team", True), ("https://wiki.example/team/page?x=1", True), ("https://docs.example/any", True),
        ("https://wiki.example/teams", False), ("https://wiki.example/", False), ("http://wiki.example/team", False),
        ("https://wiki.example.evil.example/team", False), ("https://wiki.example@evil.example/team", False),
        ("https://wiki.example:444/team", False), ("https://wiki.example/team/../x", False), ("https://wiki.example/team/%2e%2e/x", False),
        ("https://docs.example\\@evil.example/", False), ("http://plain.example/", False), ("https://[", False), ("", False),
    ],
)  # fmt: skip
def test_pages_a_person_has_listed(exceptions: Path, project: Path, url: str, passes: bool) -> None:
    event = {"tool_name": "WebFetch", "tool_input": {"url": url}}
    found = answer(SCRIPTS, event, cwd=project, XDG_CONFIG_HOME=str(exceptions.parent.parent))
    assert (found is None) == passes


def test_a_list_others_could_have_written_counts_for_nothing(exceptions: Path, project: Path) -> None:
    event = {"tool_name": "WebFetch", "tool_input": {"url": "https://docs.example/"}}
    base = str(exceptions.parent.parent)
    assert answer(SCRIPTS, event, cwd=project, XDG_CONFIG_HOME=base) is None
    assert answer(SCRIPTS, event, cwd=Path(base), XDG_CONFIG_HOME=base)  # below the working folder
    exceptions.chmod(0o666)
    assert answer(SCRIPTS, event, cwd=project, XDG_CONFIG_HOME=base)


# ---------------------------------------------------------------- when it cannot judge


def test_without_a_python_the_fences_stay(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    lame = tmp_path / "scripts"
    shutil.copytree(SCRIPTS, lame)
    (lame / "pre_tool_use.py").write_text("raise SystemExit(1)")
    fetch = {"tool_name": "WebFetch", "tool_input": {"url": "https://example.com/"}}
    for event, denied in ((fetch, True), (bash_event(f"bash {PATH} {URL}", tmp_path), True), (bash_event("ls", tmp_path), False),
                          (bash_event("grep WebFetch notes.txt", tmp_path), False)):  # fmt: skip
        found = answer(lame, event, cwd=tmp_path, PATH=str(tmp_path / "bin"))
        assert bool(found) == denied
        assert not found or found["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    "event", ['"WebFetch"', '["WebFetch"]', '{"tool_name":"WebFetch"', '{"tool_name": "WebFetch", "tool_input": []}']
)
def test_an_event_it_cannot_read_is_denied(tmp_path: Path, event: str) -> None:
    found = answer(SCRIPTS, event, cwd=tmp_path)
    assert found and found["permissionDecision"] == "deny"


def test_a_python_of_the_working_folder_is_not_run(tmp_path: Path) -> None:
    for name in ("python3", "json.py", "re.py", "sitecustomize.py"):
        (tmp_path / name).write_text("#!/bin/sh\ntouch ran\n" if name == "python3" else "open('ran', 'w')\n")
        (tmp_path / name).chmod(0o755)
    found = answer(SCRIPTS, {"tool_name": "WebSearch", "tool_input": {}}, cwd=tmp_path, PATH=f".:{os.environ['PATH']}")
    assert found and not (tmp_path / "ran").exists()


# ---------------------------------------------------------------- the reader

READER = f"{SCRIPTS}/read-result.sh"
RECORD = "/state/results/result-0123456789abcdef.json"
IN_CLAUDE = {"CLAUDE_PROJECT_DIR": "/project"}


@pytest.mark.parametrize("words", ["{r} summary", "{r} outline", "summary {r}", "outline '{r}'"])
def test_stage_1_of_a_record_is_read_without_a_question(words: str) -> None:
    assert judged(f"bash {READER} {words.format(r=RECORD)}", **IN_CLAUDE) == "allow"


@pytest.mark.parametrize("words", ["{r} text", "{r} html", "{r} section 3", "text {r}", "section 12 '{r}'"])
def test_words_of_a_page_are_asked_for_each_time(words: str) -> None:
    assert judged(f"bash {READER} {words.format(r=RECORD)}", **IN_CLAUDE) == "ask"
    assert judged(f"bash {READER} {words.format(r=RECORD)}") is None, "Codex knows no question"


@pytest.mark.parametrize(
    "command",
    [
        f"bash {READER} {RECORD} summary | cat {RECORD}", f"bash {READER} {RECORD} summary; cat {RECORD}",
        f"bash {READER} {RECORD} summary text", f"bash {READER} {RECORD} section 0", f"bash {READER} {RECORD}",
        f"bash {READER} $R summary", f"bash {READER} {RECORD} summary\ncat {RECORD}", f"sh {READER} {RECORD} summary",
        f"cd /state && bash {READER} {RECORD} summary", f"bash {READER} {RECORD} summary > out",
    ],
)  # fmt: skip
def test_anything_else_that_names_the_reader_is_denied(command: str) -> None:
    assert judged(command, **IN_CLAUDE) == "deny"


def test_a_reader_of_somebody_else_is_not_let_through() -> None:
    assert judged(f"bash .claude/skills/guarded-webfetch/scripts/read-result.sh {RECORD} summary", **IN_CLAUDE) is None
