"""Mutation score of the sanitizer: mutmut changes one operator, constant or call at a time in a copy of the package, and runs the
fast unit tests that reach the changed function. A change no test notices is a survivor.

Tables at module level are left alone by mutmut; they are held by the data tests and by scripts/score. Writes references/mutation.md
when every module was measured.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "references" / "mutation.md"
TEXT: Final = (
    "active", "bare_urls", "byte_codes", "code_stretches", "edits", "encoded", "graphemes", "invisible", "lexicon", "literals", "marks",
    "percent", "reading", "shape", "smuggled", "spelled", "turns", "unicode",
)  # fmt: skip
SANITIZER: Final = ("body", "cutting", "placeholders", "printer", "sanitize", "side_texts", "tally")
MODULES: Final = (*(f"text/{name}" for name in TEXT), *(f"sanitizer/{name}" for name in SANITIZER))
TESTS: Final = (
    "active", "bare_urls", "code_stretches", "edits", "encoded", "graphemes", "literals", "marks", "quick_looks", "reading", "shape",
    "unicode",
)  # fmt: skip
SELECTED: Final = (
    *(f"tests/text/test_{name}.py" for name in TESTS),
    *(
        f"tests/sanitizer/test_{name}.py"
        for name in ("body", "cutting", "findings", "placeholders", "printer", "sanitize", "side_texts", "tally")
    ),
)
UNFIT: Final = (  # slow, or of other modules
    "not in_time and not every_character and not only_dropped and not plain_characters and not no_mutation and not takes_no_longer"
)
NOTICED: Final = frozenset({"killed", "timeout", "suspicious", "caught by type check"})
CONFIG: Final = """\
[tool.mutmut]
source_paths = ["src"]
only_mutate = {modules}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-q", "-p", "no:cacheprovider", "-k", "{unfit}"]
also_copy = ["src", "tests", "pyproject.toml"]
[tool.pytest.ini_options]
pythonpath = ["src", "."]
addopts = "--import-mode=importlib"
"""
_RESULT: Final = re.compile(r"^\s*(?P<name>guarded_webfetch\.\S+?)__mutmut_\d+: (?P<state>[a-z ]+)$", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/mutation")
    parser.add_argument("modules", nargs="*", choices=[*MODULES, []], metavar="MODULE", help=", ".join(MODULES))
    parser.add_argument(
        "--sample", type=int, metavar="N", help="at most N changes of each module, chosen by a fixed seed"
    )
    parser.add_argument("--without", default="", metavar="NAMES", help="tests to leave out, as in pytest -k")
    parser.add_argument("--survivors", action="store_true", help="also print each change that no test noticed")
    arguments = parser.parse_args()
    modules = arguments.modules or list(MODULES)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), modules, f"{UNFIT} and not ({arguments.without})" if arguments.without else UNFIT)
        said = mutate(Path(folder), arguments.sample)
        if arguments.survivors:
            print(survivors(Path(folder), said))
    counts = count(said)
    if not any(found["noticed"] for found in counts.values()):
        print("nothing was measured: see what mutmut said above", file=sys.stderr)
        return 1
    page = table(counts, arguments.sample)
    print(page)
    if not arguments.modules:
        PAGE.write_text(page, encoding="utf-8")
    return 0


def prepare(folder: Path, modules: Sequence[str], chosen: str) -> None:
    """A copy of package and tests in the layout mutmut expects, with its configuration."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "shared" / "guarded_webfetch", folder / "src" / "guarded_webfetch", ignore=ignored)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
    files = [f"src/guarded_webfetch/{module}.py" for module in modules]
    config = CONFIG.format(modules=files, tests=[path for path in SELECTED if (ROOT / path).exists()], unfit=chosen)
    markers = re.search(r"^markers = \[.*?^\]$", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (folder / "pyproject.toml").write_text(config + (markers[0] if markers else "") + "\n", encoding="utf-8")


def mutate(folder: Path, sample: int | None) -> str:
    """One line for each mutant. The data sets are hidden: their tests are slow, and what they notice no unit test explains."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GUARDED_WEBFETCH_DATA": str(folder / "none")}
    run = [sys.executable, "-m", "mutmut", "run", "--max-children", "2"]
    if sample:  # a run of one change writes the list of all
        subprocess.run([*run, "*x_none*"], cwd=folder, env=environment, stdout=sys.stderr, check=False)
        run += chosen_changes(folder, sample)
    subprocess.run(run, cwd=folder, env=environment, stdout=sys.stderr, check=False)
    results = [sys.executable, "-m", "mutmut", "results", "--all", "true"]
    return subprocess.run(results, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def chosen_changes(folder: Path, sample: int) -> list[str]:
    """Names of at most `sample` changes of each module, from the lists mutmut keeps beside its copies."""
    names: list[str] = []
    for file in sorted((folder / "mutants").rglob("*.meta")):
        found = sorted(json.loads(file.read_text("utf-8"))["exit_code_by_key"])
        names += random.Random(file.name).sample(found, min(sample, len(found)))
    return names


def survivors(folder: Path, said: str) -> str:
    """The change of each mutant that survived."""
    shown = []
    for line in said.splitlines():
        name, _, state = line.strip().partition(": ")
        if state == "survived":
            command = [sys.executable, "-m", "mutmut", "show", name]
            shown.append(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout)
    return "\n".join(shown)


def count(said: str) -> dict[str, Counter[str]]:
    """{module: {noticed, survived, unreached}}"""
    counts: dict[str, Counter[str]] = {}
    for match in _RESULT.finditer(said):
        module = match["name"].removeprefix("guarded_webfetch.").rpartition(".")[0].replace(".", "/")
        if match["state"] == "not checked":
            continue
        state = "noticed" if match["state"] in NOTICED else "survived" if match["state"] == "survived" else "unreached"
        counts.setdefault(module.partition("/x")[0], Counter())[state] += 1
    return counts


def table(counts: dict[str, Counter[str]], sample: int | None) -> str:
    """The page: a row for each module and one for all."""
    total = sum(counts.values(), Counter())
    lines = [
        "# Mutation score of the sanitizer\n",
        f"Written by scripts/mutation on {datetime.now(UTC):%Y-%m-%d}: mutmut changes functions one place at a time, and the fast",
        "unit tests run (without the data sets). Noticed: a test failed, or the run no longer ended. Unreached: no test runs the",
        "function." + (f" A sample: at most {sample} changes of each module." if sample else "") + "\n",
        "| module | changes | noticed | survived | unreached | score |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for module, found in [*sorted(counts.items()), ("all", total)]:
        changes = sum(found.values())
        row = (
            module,
            changes,
            found["noticed"],
            found["survived"],
            found["unreached"],
            f"{100 * found['noticed'] / changes:.1f} %",
        )
        lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
