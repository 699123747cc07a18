"""Real agent clients in the sealed internet, each with a home of its own, talking to the stub model.

with ClientWorld(net, programs, environment) as world:
    place = world.place()                                       # a private HOME and a project folder
    ran = place.claude([bash("echo hello")], settings={...})    # the steps the model asks for
    assert ran.results == ["hello"]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from tests.conftest import REPOSITORY
from tests.e2e.clients.programs import (
    CLAUDE_ENVIRONMENT,
    CODEX_CONFIG,
    GEMINI_SETTINGS,
    OPENCODE_CONFIG,
    OPENCODE_ENVIRONMENT,
    Programs,
)
from tests.internet.client import Result, Running, SealedInternet

Step = dict[str, Any]
RUN_LIMIT_S = 120.0  # a hang, also on a busy machine


def bash(command: str) -> Step:
    """A step that asks for one shell command, by whatever name the client's shell tool has."""
    names = ["Bash", "exec_command", "shell_command", "run_shell_command", "bash"]
    given = {"command": command, "description": "run it"}
    by_tool = {"exec_command": {"cmd": command}, "shell_command": {"command": command}}
    return {"calls": [{"tool": names, "input": given, "by_tool": by_tool}]}


def call(tool: str, **given: Any) -> Step:
    """A step that asks for one call of any tool."""
    return {"calls": [{"tool": tool, "input": given}]}


@dataclass(frozen=True)
class Ran:
    """A client's run: what it printed and everything it told the model."""

    result: Result
    requests: list[dict[str, Any]]

    @cached_property
    def results(self) -> list[str]:
        """What each tool call of the longest conversation gave back, oldest first."""
        return max((entry["results"] for entry in self.requests if "results" in entry), key=len, default=[])

    @cached_property
    def offered(self) -> set[str]:
        """Every tool that was offered in any request."""
        return {tool for entry in self.requests for tool in entry.get("tools", ())}

    @cached_property
    def sent(self) -> str:
        """All request bodies, as the model would have seen them."""
        return "\n".join(json.dumps(entry.get("body"), ensure_ascii=False) for entry in self.requests)

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The JSON lines the client printed."""
        return [json.loads(line) for line in self.result.stdout.splitlines() if line.startswith("{")]


@dataclass
class Started:
    """A client at work."""

    place: "Place"
    name: str
    running: Running

    def wait(self, timeout: float = RUN_LIMIT_S) -> Ran:
        result = self.running.wait(timeout)
        log = self.place.world.stub_folder / f"{self.name}.jsonl"
        lines = log.read_text("utf-8").splitlines() if log.exists() else []
        return Ran(result, [json.loads(line) for line in lines])


@dataclass
class Place:
    """A private HOME and a project folder, in which clients run."""

    world: "ClientWorld"
    home: Path
    project: Path
    environment: dict[str, str] = field(default_factory=dict)  # beyond the allow-list every client gets

    def write(self, path: str, content: str | Mapping[str, Any]) -> Path:
        """A file below the project, or below the home with `~/`."""
        target = self.home / path[2:] if path.startswith("~/") else self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return target

    def install(self, client: str, scope: str) -> Path:
        """Installs the skill and its rules as a person does; the installed skill folder."""
        script = str(REPOSITORY / "scripts/install")
        done = self.run(["bash", script, "--client", client, "--scope", scope, "--project", str(self.project)])
        assert done.returncode == 0, done.stderr
        base = self.home if scope == "user" else self.project
        return base / {"claude": ".claude", "codex": ".agents"}[client] / "skills/guarded-webfetch"

    def run(
        self, argv: Sequence[str], *, cwd: Path | None = None, stdin: bytes = b"", timeout: float = RUN_LIMIT_S
    ) -> Result:
        """Any command, with the environment a client gets."""
        return self.world.net.run(
            argv, cwd=cwd or self.project, env=self.base_environment(), stdin=stdin, timeout=timeout
        )

    def base_environment(self) -> dict[str, str]:
        path = os.pathsep.join(
            (os.path.dirname(shutil.which("node") or "/usr/bin/node"), "/usr/local/bin:/usr/bin:/bin")
        )
        fixed = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb"}
        return fixed | self.environment

    def start(
        self,
        argv: Sequence[str],
        script: Mapping[str, Any],
        environment: Mapping[str, str],
        *,
        files: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Started:
        """Starts a client whose model follows `script`; STUB in values and files stands for the model's URL."""
        name = self.world.add_run(script)
        url = f"{self.world.stub_url}/{name}"
        for path, content in (files or {}).items():
            self.write(path, content.replace("STUB", url))
        full = self.base_environment() | {key: value.replace("STUB", url) for key, value in environment.items()}
        words = [word.replace("STUB", url) for word in argv]
        return Started(self, name, self.world.net.start(words, cwd=cwd or self.project, env=full))

    # ------------------------------------------------------------ the clients

    def start_claude(
        self,
        steps: Sequence[Step],
        *arguments: str,
        branches: Sequence[Mapping[str, Any]] = (),
        cwd: Path | None = None,
        prompt: str = "read it",
        trusted: bool = True,
    ) -> Started:
        trust = {str(self.project): {"hasTrustDialogAccepted": True}} if trusted else {}
        if not (self.home / ".claude.json").exists():
            self.write("~/.claude.json", {"hasCompletedOnboarding": True, "projects": trust})
        argv = [self.world.programs.claude, "-p", prompt, "--output-format", "stream-json", "--verbose", *arguments]
        return self.start(argv, {"steps": list(steps), "branches": list(branches)}, CLAUDE_ENVIRONMENT, cwd=cwd)

    def claude(self, steps: Sequence[Step], *arguments: str, **options: Any) -> Ran:
        return self.start_claude(steps, *arguments, **options).wait()

    def configure_codex(self, *, sandbox: str = "workspace-write") -> None:
        """The user's config.toml, unless there is one already: an install adds its lines to it."""
        if not (self.home / ".codex/config.toml").exists():
            text = CODEX_CONFIG.replace("SANDBOX", sandbox).replace("PROJECT", str(self.project))
            self.write("~/.codex/config.toml", text)

    def start_codex(
        self, steps: Sequence[Step], *arguments: str, cwd: Path | None = None, prompt: str = "read it"
    ) -> Started:
        self.configure_codex()
        (self.home / "tmp").mkdir(exist_ok=True)
        service = 'model_providers.stub.base_url="STUB/v1"'
        argv = [self.world.programs.codex, "exec", "--json", "-c", service, *arguments, prompt]
        environment = {"STUB_KEY": "dummy", "TMPDIR": str(self.home / "tmp")}
        return self.start(argv, {"steps": list(steps)}, environment, cwd=cwd)

    def codex(self, steps: Sequence[Step], *arguments: str, **options: Any) -> Ran:
        return self.start_codex(steps, *arguments, **options).wait()

    def start_gemini(self, steps: Sequence[Step], *arguments: str, prompt: str = "read it") -> Started:
        self.write("~/.gemini/settings.json", GEMINI_SETTINGS)
        argv = [self.world.programs.gemini, "-m", "gemini-2.5-flash", "--yolo", "-p", prompt, "-o", "json", *arguments]
        environment = {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": "STUB"}
        return self.start(argv, {"steps": list(steps)}, environment)

    def start_opencode(self, steps: Sequence[Step], *arguments: str, prompt: str = "read it") -> Started:
        files = {"~/.config/opencode/opencode.json": json.dumps(OPENCODE_CONFIG)}
        argv = [self.world.programs.opencode, "run", *arguments, prompt]
        return self.start(argv, {"steps": list(steps)}, OPENCODE_ENVIRONMENT, files=files)


@dataclass(frozen=True)
class Installed:
    """A client with the skill, and with its rules unless a test leaves them out."""

    client: str
    place: Place
    skill: Path
    arguments: tuple[str, ...] = ()  # of every run

    def fetch(self, url: str, *options: str) -> Step:
        """A step that asks for one call of the launcher, spelled as SKILL.md says."""
        return bash(" ".join(("bash", f"{self.skill}/scripts/quarantine-fetch.sh", f"'{url}'", *options)))

    def start(self, steps: Sequence[Step], *arguments: str) -> Started:
        started: Started = getattr(self.place, f"start_{self.client}")(steps, *self.arguments, *arguments)
        return started

    def run(self, steps: Sequence[Step], *arguments: str) -> Ran:
        """Every step is taken: the run ends well and each has its result."""
        return complete(self.start(steps, *arguments), steps)


def run_together(ones: Sequence[Installed], steps: Callable[[Installed], list[Step]]) -> list[tuple[Installed, Ran]]:
    """The same in several clients, at the same time."""
    started = [(one, steps(one), one.start(steps(one))) for one in ones]
    return [(one, complete(running, planned)) for one, planned, running in started]


def complete(started: Started, steps: Sequence[Step]) -> Ran:
    ran = started.wait()
    assert ran.result.returncode == 0, ran.result.stderr
    assert len(ran.results) == sum(len(step.get("calls", ())) for step in steps), ran.results
    return ran


class ClientWorld:
    """The stub model inside a sealed internet, and the places in which clients run beside it."""

    def __init__(self, net: SealedInternet, programs: Programs, environment: str) -> None:
        self.net = net
        self.programs = programs
        # Not in /tmp: a sandbox may write there, which would hide that it may not write elsewhere.
        self.folder = Path(tempfile.mkdtemp(prefix="run-", dir=programs.folder.parent))
        self.stub_folder = self.folder / "stub"
        self.stub_folder.mkdir()
        self._environments = Path(environment).parents[2]
        self._runs = 0
        self._places = 0
        command = [sys.executable, "-m", "tests.e2e.clients.stub_model", str(self.stub_folder)]
        self._stub = net.start(
            command, cwd=REPOSITORY, env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}, service=True
        )
        self.stub_url = f"http://127.0.0.1:{self._port()}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stub.signal(15)
        self._stub.poll(5.0)
        shutil.rmtree(self.folder, ignore_errors=True)

    def place(self, project: str = "project") -> Place:
        """A fresh HOME that shares only the program's finished environment, and a git repository as project."""
        self._places += 1
        base = self.folder / f"place-{self._places}"
        place = Place(self, base / "home", base / project)
        (place.home / ".cache").mkdir(parents=True)
        (place.home / ".cache/guarded-webfetch").symlink_to(self._environments)
        place.project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(place.project)], check=True)
        return place

    def install(self, client: str, scope: str = "user") -> Installed:
        """A place of its own with the skill and its rules."""
        place = self.place()
        if client == "codex":
            place.configure_codex()
        return Installed(client, place, place.install(client, scope))

    def copy(self, one: Installed, *arguments: str, client: str | None = None) -> Installed:
        """The skill alone in a place of its own, without any rule."""
        place = self.place()
        inside = one.skill.relative_to(one.place.home)
        return Installed(client or one.client, place, shutil.copytree(one.skill, place.home / inside), arguments)

    def add_run(self, script: Mapping[str, Any]) -> str:
        self._runs += 1
        name = f"run-{self._runs}"
        (self.stub_folder / f"{name}.json").write_text(json.dumps(script), encoding="utf-8")
        return name

    def _port(self) -> str:
        port = self.stub_folder / "port"
        for _ in range(200):
            if port.exists():
                return port.read_text()
            time.sleep(0.05)
        raise RuntimeError("the stub model did not start")
