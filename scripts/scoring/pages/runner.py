"""runner.py TOOL FOLDER OUT: reads every page of a folder, each in a forked child, and leaves one JSON file a row in OUT.

A program of its own, so that each tool starts from a process that holds nothing else: the peak memory of a child begins with
what it was forked from. Exit 3 when the tool is not installed.
"""

import gc
import json
import os
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
MAX_CPU_S = 60
MISSING = 3


def main() -> int:
    name, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sys.path[:0] = [str(ROOT / "shared"), str(ROOT / "scripts")]
    from scoring.pages.manifest import Row, body_of, rows_of
    from scoring.pages.tools import Tool, load

    try:
        tool = load(name)
    except ImportError:
        return MISSING

    def read(tool: Tool, row: Row, target: Path) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
        body = body_of(folder, row)
        before = time.process_time()
        try:
            result = tool(body, row.get("url") or "")
        except Exception as error:
            result = {"reason": type(error).__name__}
        result["cpu_ms"] = (time.process_time() - before) * 1000
        result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        target.write_text(json.dumps(result), "utf-8")

    gc.disable()  # as the parser process does
    for number, row in enumerate(rows_of(folder)):
        child = os.fork()
        if child == 0:
            try:
                read(tool, row, out / f"{number}.json")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
