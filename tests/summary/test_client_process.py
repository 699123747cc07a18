"""One run of a client: what it gets, what it may print, and that nothing of it stays."""

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from guarded_webfetch import boot
from guarded_webfetch.core.limits import MAX_MODEL_OUTPUT_BYTES
from guarded_webfetch.summary import client_process, clients, closed_check, login
from guarded_webfetch.summary.client_process import ClientFailed
from guarded_webfetch.summary.clients import Command, Folder
from guarded_webfetch.summary.settings import Summarizer

TASK = clients.summary_task("ja")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(str(tmp_path / "private"))
    for path in (made.path, made.home, made.work):
        os.mkdir(path, 0o700)
    return made


def python(code: str) -> Command:
    return Command([sys.executable, "-I", "-c", code], {"PATH": "/usr/bin:/bin", "ONLY": "this"})


def answered(folder: Folder, code: str, text: bytes = b"page", limit_s: float = 10.0, alive: bool = True) -> bytes:
    return client_process.run(python(code), folder, text, limit_s, lambda: alive)


def test_text_in_text_out(folder: Folder) -> None:
    assert answered(folder, "import sys; print(sys.stdin.read().upper())") == b"PAGE\n"


def test_a_long_text_never_blocks(folder: Folder) -> None:
    text = b"x" * 2_000_000
    assert answered(folder, "import sys; print(len(sys.stdin.read()))", text) == b"2000000\n"
    assert answered(folder, "print('not read')", text) == b"not read\n"


def test_it_sees_the_private_folder_and_its_own_environment(folder: Folder) -> None:
    shown = answered(
        folder, "import os; print(os.getcwd(), sorted(os.environ), os.listdir(), len(os.listdir('/proc/self/fd')))"
    )
    cwd, rest = shown.decode().split(" ", 1)
    assert cwd == os.path.realpath(folder.work)
    assert "'ONLY', 'PATH'" in rest and "HOME" not in rest and "[] 4" in rest


@pytest.mark.parametrize(
    "code", ["raise SystemExit(3)", f"print('x' * {MAX_MODEL_OUTPUT_BYTES + 1})", "import time; time.sleep(60)"]
)
def test_what_is_no_answer(folder: Folder, code: str) -> None:
    started = time.monotonic()
    with pytest.raises(ClientFailed):
        answered(folder, code, limit_s=1.0 if "sleep" in code else 10.0)
    assert time.monotonic() - started < 8


def test_a_program_that_is_not_there(folder: Folder) -> None:
    with pytest.raises(ClientFailed):
        client_process.run(Command(["/no/such/program"], {}), folder, b"", 5.0, lambda: True)


def test_it_ends_with_the_run_that_wants_it(folder: Folder) -> None:
    with pytest.raises(ClientFailed):
        answered(folder, "import time; time.sleep(60)", alive=False)


def test_nothing_of_it_is_left(folder: Folder) -> None:
    """Also what it started in a session of its own."""
    code = "import subprocess, sys; subprocess.Popen(['setsid', 'sleep', '4711']); print('done')"
    script = (
        "import sys; sys.path[:0] = sys.argv[1:2]\n"
        "from guarded_webfetch.summary import client_process\n"
        "from guarded_webfetch.summary.clients import Command, Folder\n"
        "client_process.become_subreaper()\n"
        "command = Command([sys.executable, '-I', '-c', sys.argv[3]], {'PATH': '/usr/bin:/bin'})\n"
        "try:\n    client_process.run(command, Folder(sys.argv[2]), b'', 3.0, lambda: True)\n"
        "except client_process.ClientFailed:\n    pass\n"
        "client_process.end_all(frozenset())\n"
        "print(client_process.children())\n"
    )
    shared = str(Path(client_process.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script, shared, folder.path, code],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout == "[]\n"


# ---------------------------------------------------------------- the check


CLIENT = """\
import json, os, sys, urllib.request
text = sys.stdin.read()
body = {BODY}
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode())
try:
    urllib.request.urlopen(request, timeout=5)
except OSError:
    raise SystemExit(1)
"""
BODIES = {
    "closed": ('{"messages": [text]}', True),
    "empty list": ('{"messages": [text], "tools": []}', True),
    "a tool": ('{"messages": [text], "tools": [{"name": "Bash"}]}', False),
    "a tool inside": ('{"messages": [text, {"type": "additional_tools", "tools": [{"name": "exec"}]}]}', False),
    "instructions of the folder": ('{"messages": [text, open("AGENTS.md").read()]}', False),
    "instructions above it": ('{"messages": [text, open("../CLAUDE.md").read()]}', False),
    "not the text": ('{"messages": ["hello"]}', False),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_client_is_judged_by_what_it_sends(folder: Folder, tmp_path: Path, name: str) -> None:
    body, closed = BODIES[name]
    program = tmp_path / "claude"
    program.write_text(f"#!{sys.executable}\n" + CLIENT.replace("{BODY}", body))
    program.chmod(0o755)
    summarizer = Summarizer("claude", (str(program),), (), None, None)
    assert closed_check.is_closed(summarizer, TASK, folder, 10.0, lambda: True) is closed


@pytest.mark.parametrize("code", ["#!/bin/true\n", "#!/bin/sh\nsleep 60\n"])
def test_a_client_that_asks_for_nothing_is_not_closed(folder: Folder, tmp_path: Path, code: str) -> None:
    program = tmp_path / "claude"
    program.write_text(code)
    program.chmod(0o755)
    assert not closed_check.is_closed(
        Summarizer("claude", (str(program),), (), None, None), TASK, folder, 1.0, lambda: True
    )


# ---------------------------------------------------------------- the login


def test_only_the_named_variables_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.write(writer, "KEY=a=b\0OTHER=x\0LONG=日本\0".encode())
    os.close(writer)
    monkeypatch.setenv(login.FD_VARIABLE, str(reader))
    assert login.take(("KEY", "LONG", "ABSENT")) == {"KEY": "a=b", "LONG": "日本"}
    with pytest.raises(OSError):
        os.fstat(reader)


@pytest.mark.parametrize("number", ["", "0", "2", "-1", "x", "9999", "１"])
def test_without_a_descriptor_there_is_no_login(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    monkeypatch.setenv(login.FD_VARIABLE, number)
    assert login.take(("KEY",)) == {}


def test_the_console_script_hands_over_what_the_config_file_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "guarded-webfetch/config.toml"
    file.parent.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("MY_KEY", "secret=1")
    monkeypatch.setenv("OTHER_KEY", "another")
    assert boot._hand_over_login() == {}
    file.write_text("summary = 'claude'\nlogin = [\"MY_KEY\", 'ABSENT']\n")
    handed = boot._hand_over_login()
    assert not any("secret" in word for word in (*handed, *handed.values()))
    monkeypatch.setenv(login.FD_VARIABLE, handed[login.FD_VARIABLE])
    assert login.take(("MY_KEY", "ABSENT", "OTHER_KEY")) == {"MY_KEY": "secret=1"}


def test_a_login_moves_no_home_and_no_path(folder: Folder) -> None:
    summarizer = Summarizer("claude", ("/opt/claude",), (), None, None)
    made = clients.command(summarizer, TASK, folder, {"HOME": "/elsewhere", "PATH": "/evil", "ANTHROPIC_API_KEY": "k"})
    assert (made.environment["HOME"], made.environment["ANTHROPIC_API_KEY"]) == (folder.home, "k")
    assert "/evil" not in made.environment["PATH"] and "k" not in made.argv


def test_codex_gets_its_login_and_task_in_files_of_its_own(folder: Folder) -> None:
    summarizer = Summarizer("codex", ("/opt/codex",), (), "m-1", "ja")
    made = clients.command(summarizer, TASK, folder, {"OPENAI_BASE_URL": 'https://u:p@host/"v1', "OPENAI_API_KEY": "k"})
    path = Path(folder.home, ".codex/config.toml")
    config = tomllib.loads(path.read_text("utf-8"))
    assert path.stat().st_mode & 0o077 == 0
    assert config["model_providers"]["summary"]["base_url"] == 'https://u:p@host/"v1'
    assert (config["model"], set(config["features"].values())) == ("m-1", {False})
    (model,) = json.loads(Path(config["model_catalog_json"]).read_text("utf-8"))["models"]
    assert (model["slug"], model["experimental_supported_tools"]) == ("m-1", []) and "the tag ja" in model[
        "base_instructions"
    ]
    assert not any("u:p" in word for word in made.argv)
