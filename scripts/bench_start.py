"""What the launcher costs before the program starts, and what a first run takes.

Warm: the skill's launcher and the program started directly, in turns, both with an option that is refused at once, so that nothing is
fetched; the difference is the launcher. `python -I -S` that does nothing stands beside them for scale.
First run: the set-up script with an empty cache folder, which fetches the packages of the lock from the package index.
"""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

REFUSED = ["https://example.com/", "--no-such-option"]
REFUSED_EXIT = 2


def costs(
    runs: int, python: str, launcher: Path, root: Path, measure: Callable[..., Any]
) -> dict[str, dict[str, float]]:
    """{"start": {launcher_wall_ms, launcher_cpu_ms, program_wall_ms, program_cpu_ms, python_wall_ms, python_cpu_ms, n}}; medians."""
    commands = {
        "launcher": (["bash", str(launcher), *REFUSED], (REFUSED_EXIT,)),
        "program": (
            [python, "-I", "-S", str(root / "shared/guarded_webfetch/boot.py"), "agent", *REFUSED],
            (REFUSED_EXIT,),
        ),
        "python": ([python, "-I", "-S", "-c", ""], (0,)),
    }
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs + 2):  # the first two warm caches
            one = {name: measure(command, folder, codes) for name, (command, codes) in commands.items()}
            if number >= 2:
                rounds.append(one)
    found: dict[str, float] = {}
    for name in ("launcher", "program", "python"):
        before = "program" if name == "launcher" else None
        for field in ("wall_ms", "cpu_ms"):
            values = [getattr(one[name], field) - (getattr(one[before], field) if before else 0) for one in rounds]
            found[f"{name}_{field}"] = round(statistics.median(values), 1)
    return {"start": {**found, "n": len(rounds)}}


def first_run_s(script: Path) -> float:
    """Seconds to build the environment of a fetch from nothing; CalledProcessError where the package index cannot be reached."""
    with tempfile.TemporaryDirectory() as cache:
        os.chmod(cache, 0o700)
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        environment.pop("GUARDED_WEBFETCH_PYTHON", None)
        started = time.perf_counter()
        subprocess.run(["bash", "-p", str(script), "runtime"], env=environment, stdout=subprocess.DEVNULL, check=True)
        return round(time.perf_counter() - started, 1)
