"""references/scheduled/workflow.yml: well formed, true to its rules, and its steps run in order with a client that misbehaves."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import REPOSITORY
from tests.e2e.conftest import environment  # noqa: F401 - a fixture
from tests.internet.client import SealedInternet

FILE = REPOSITORY / "references/scheduled/workflow.yml"
LINT = REPOSITORY / "tests/scheduled/lint-workflow"
WRITING = {"contents": "write", "pull-requests": "write"}
URLS = (
    "https://example.com/", "https://news.canal-journal.com/articles/lock-gates", "https://news.canal-journal.com/injected",
    "https://status.canal-journal.com/404",
)  # fmt: skip

# Fakes of the programs a runner has. The client does what a taken-over agent might, with the tools a process has.
GIT = (
    '#!/bin/bash\ncase "$*" in *checkout*) rmdir program && ln -s "$CHECKOUT" program ;; init*) mkdir program ;; esac\n'
)
NPM = '#!/bin/bash\nmkdir -p "$RUNNER_TEMP/client/node_modules/.bin"\ncp "$FAKES/client" "$RUNNER_TEMP/client/node_modules/.bin/claude"\n'
CLIENT = r"""#!/usr/bin/env python3
import json, os, sys
given = sys.argv[1:]
index = json.load(open("index.json"))
read = [open(row["file"]).read() for row in index["sources"] if row["file"]]
json.dump({"arguments": given, "names": sorted(os.environ), "files": sorted(os.listdir(".")), "read": len(read)},
          open(os.environ["FAKES"] + "/seen.json", "w"))
print("# Draft\n$(touch taken) `touch taken` ${{ github.token }}\n'; touch taken; echo '\n::set-output name=x::y")
print(read[0][:300], file=sys.stderr)
"""


def jobs(text: str) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(text)["jobs"]
    return found


def broken_rules(text: str) -> list[str]:
    """Which of the rules of references/scheduled/README.md a workflow breaks."""
    whole, both = YAML(typ="safe").load(text), jobs(text)
    draft, propose = both["draft"], both["propose"]
    steps = [*draft["steps"], *propose["steps"]]
    runs = [step["run"] for step in steps if "run" in step]
    uses = [step["uses"] for step in steps if "uses" in step]
    writing = next(step["run"] for step in draft["steps"] if step.get("name") == "Write")
    deleting = next(step for step in draft["steps"] if "purge --bodies" in step.get("run", ""))
    upload = next(step for step in draft["steps"] if "upload-artifact" in step.get("uses", ""))
    rules = {
        "no permissions by default": whole["permissions"] == {} and draft["permissions"] == {},
        "only the last job writes": [name for name, job in both.items() if job["permissions"] == WRITING] == ["propose"],
        "no credential of the repository": "github.token" not in json.dumps(draft) and "checkout@" not in json.dumps(draft),
        "no expression in a command": not any("${{" in run for run in runs),
        "actions by commit": all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one) for one in uses),
        "reading tools only": "--tools Read,Glob,Grep " in writing and "--allowed" not in writing,
        "no words in the log": ">/dev/null" in deleting["run"] and "2>/dev/null" in writing,
        "deleted in any case": deleting["if"] == "always()",
        "kept one day": upload["with"]["retention-days"] == 1,
        "two files by name": upload["with"]["path"].split() == [
            "${{", "runner.temp", "}}/job/draft.md", "${{", "runner.temp", "}}/job/sources/index.json"],
        "a size limit": "-le 200000" in propose["steps"][-1]["run"] and "! -L" in propose["steps"][-1]["run"],
    }  # fmt: skip
    return [rule for rule, holds in rules.items() if not holds]


TWINS = {
    "no permissions by default": ("    timeout-minutes: 20\n    permissions: {}", "    permissions:\n      contents: read"),
    "only the last job writes": ("      pull-requests: write\n", "      pull-requests: write\n      actions: write\n"),
    "no credential of the repository": ("ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}", "GH_TOKEN: ${{ github.token }}"),
    "no expression in a command": ("cp -- \"$draft\"", "echo '${{ needs.draft.outputs.title }}'; cp -- \"$draft\""),
    "actions by commit": ("@11bd71901bbe5b1630ceea73d27597364c9af683", "@v4"),
    "reading tools only": ("--tools Read,Glob,Grep ", "--tools Read,Glob,Grep,Bash "),
    "no words in the log": ("2>/dev/null </dev/null", "</dev/null"),
    "deleted in any case": ("if: always()", "if: success()"),
    "kept one day": ("retention-days: 1", "retention-days: 14"),
    "two files by name": ("}}/job/draft.md", "}}/job/"),
    "a size limit": (" && $(stat -c %s -- \"$file\") -le 200000", ""),
}  # fmt: skip


def test_the_rules_hold() -> None:
    assert broken_rules(FILE.read_text("utf-8")) == []


@pytest.mark.parametrize("rule", TWINS)
def test_a_twin_that_breaks_a_rule_is_told(rule: str) -> None:
    text = FILE.read_text("utf-8")
    assert TWINS[rule][0] in text
    assert rule in broken_rules(text.replace(*TWINS[rule], 1))


@pytest.mark.client
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("contents: write", "contents: all"),
        ("runner.temp", "runer.temp"),
        ("runs-on:", "run-on:"),
        ("steps:", "stpes:"),
    ],
)
def test_actionlint(tmp_path: Path, old: str, new: str) -> None:
    copy = tmp_path / "workflow.yml"
    copy.write_text(FILE.read_text("utf-8").replace(old, new, 1) if old else FILE.read_text("utf-8"), encoding="utf-8")
    done = subprocess.run(["bash", str(LINT), str(copy)], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (old == ""), done.stdout + done.stderr


# ---------------------------------------------------------------- its steps, in order


Steps = Callable[..., str]


@pytest.fixture
def steps(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> Steps:  # noqa: F811
    """`steps(job)`: runs the commands of a job as a runner does and returns what they printed; AssertionError when one fails."""
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    for name, text in (
        ("git", GIT),
        ("npm", NPM),
        ("client", CLIENT),
        ("gh", '#!/bin/bash\nprintf "%s\\n" "$@" >>"$FAKES/gh.log"\n'),
    ):
        (fakes / name).write_text(text)
        (fakes / name).chmod(0o755)
    (tmp_path / "temp").mkdir(mode=0o700)

    def run(job: str, folder: Path = tmp_path, fail: bool = False) -> str:
        found, said = jobs(FILE.read_text("utf-8"))[job], ""
        path = os.environ["PATH"] if job == "propose" else f"{fakes}:{os.environ['PATH']}"
        if job == "propose":
            (fakes / "git").unlink(missing_ok=True)
            path = f"{fakes}:{path}"
        base = {
            "HOME": str(Path.home()), "PATH": path, "RUNNER_TEMP": str(tmp_path / "temp"), "FAKES": str(fakes), "CHECKOUT": str(REPOSITORY),
            "XDG_STATE_HOME": str(tmp_path / "state"),
        }  # fmt: skip
        failed = False
        for step in found["steps"]:
            if "run" not in step or (failed and step.get("if") != "always()"):
                continue
            env = {
                **base,
                **found.get("env", {}),
                **step.get("env", {}),
                "SOURCES": "".join(f"{url}\n" for url in URLS),
            }
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = sealed_internet.run(command, cwd=folder, env=env, timeout=120)
            said += done.stdout + done.stderr
            failed |= done.returncode != 0
        assert failed is fail, said
        return said

    return run


@pytest.mark.sealed
def test_the_draft_is_written_without_a_tool_and_leaves_no_page(steps: Steps, tmp_path: Path) -> None:
    said = steps("draft")
    seen = json.loads((tmp_path / "fakes/seen.json").read_text())
    work = tmp_path / "temp/job"
    rows = json.loads((work / "sources/index.json").read_bytes())["sources"]
    assert [row["outcome"] for row in rows] == ["ok", "ok", "flagged", "not_found"]
    assert seen["read"] == 3
    shown = [name for name in seen["files"] if not name.startswith(".")]
    assert shown == [*sorted(row["file"] for row in rows if row["file"]), "index.json"]
    assert seen["arguments"][:3] == ["--print", "--tools", "Read,Glob,Grep"]
    assert not {"GH_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN"} & {*seen["names"]}
    assert not list(work.rglob("*.txt")) and (work / "draft.md").stat().st_size
    assert said == "sources/index.json\n"  # no word of a page, none of the client
    assert not list(tmp_path.rglob("taken"))


def origin(folder: Path) -> Path:
    """A repository with a clone of it, as the checkout step leaves one."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for command in (
        ["git", "init", "--quiet", "--bare", "origin"],
        ["git", "clone", "--quiet", "origin", "clone"],
        [*git, "-C", "clone", "commit", "--quiet", "--allow-empty", "-m", "first"],
        ["git", "-C", "clone", "push", "--quiet", "origin", "HEAD"],
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "clone"


DRAFT = "# Draft\n$(touch taken) `touch taken` ${{ github.token }}\n'; touch taken; echo '\n"


@pytest.mark.sealed
@pytest.mark.parametrize("kind", ["small", "large", "link"])
def test_the_last_job_takes_two_small_files_and_runs_no_word_of_them(steps: Steps, tmp_path: Path, kind: str) -> None:
    clone, draft = origin(tmp_path), tmp_path / "temp/draft"
    (draft / "sources").mkdir(parents=True)
    (draft / "sources/index.json").write_text("{}")
    (draft / "extra.sh").write_text("touch taken")
    if kind == "link":
        (draft / "draft.md").symlink_to("/etc/hostname")
    else:
        (draft / "draft.md").write_text(DRAFT if kind == "small" else "x" * 200_001)
    steps("propose", clone, fail=kind != "small")
    listed = ["git", "-C", str(tmp_path / "origin"), "ls-tree", "-r", "--name-only", "draft-from-sources"]
    done = subprocess.run(listed, capture_output=True, text=True, check=False)
    assert done.stdout.split() == (["drafts/draft.md", "drafts/index.json"] if kind == "small" else [])
    assert (tmp_path / "fakes/gh.log").exists() is (kind == "small")
    if kind == "small":
        assert (clone / "drafts/draft.md").read_text() == DRAFT
        assert "touch taken" not in (tmp_path / "fakes/gh.log").read_text()
    assert not list(tmp_path.rglob("taken"))
