"""scripts/score KIND [PATH] [--peers] [--json]: prints failing rows and a table; --json ends with one line holding one object.

One module a kind, named like it (hidden-html is hidden_html.py), each with `score(path, peers) -> Score`. Exit 1 when nothing
was inspected, so that a scorer pointed at the wrong folder cannot look like a perfect score.
"""

import argparse
import json
import os
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "shared"), str(ROOT / "scripts")]

from scoring.score import Score  # noqa: E402

KINDS = tuple(
    sorted(
        path.stem.replace("_", "-") for path in Path(__file__).parent.glob("*.py") if path.stem not in ("main", "score")
    )
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/score")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("path", nargs="?", help="a file or folder of the form found in the data folder")
    parser.add_argument("--peers", action="store_true", help="also other installed tools, in the same run")
    parser.add_argument("--json", action="store_true", help="end with one line holding one JSON object")
    arguments = parser.parse_args()
    data = Path(os.environ.get("GUARDED_WEBFETCH_DATA", ROOT.parent / "shared" / "data"))
    module = import_module(f"scoring.{arguments.kind.replace('-', '_')}")
    path = Path(arguments.path) if arguments.path else data / module.DEFAULT
    if not path.exists():
        print(f"scripts/score: nothing at {path.name}; set GUARDED_WEBFETCH_DATA or name a path", file=sys.stderr)
        return 1
    score: Score = module.score(path, arguments.peers)
    print(score.text())
    if arguments.json:
        print(json.dumps(score.keys))
    return 0 if score.inspected else 1


if __name__ == "__main__":
    sys.exit(main())
