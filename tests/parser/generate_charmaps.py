"""Writes parser/charmaps.json from the single-byte codecs of Python's `encodings`: `python tests/parser/generate_charmaps.py [--check]`."""

import json
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "shared"))

from guarded_webfetch.core.charset import LABELS  # noqa: E402
from guarded_webfetch.parser.charmaps import FILE  # noqa: E402


def text():
    """The file as it has to be."""
    modules = {
        name: import_module(f"encodings.{name.replace('-', '_')}")
        for name in sorted({one.codec for one in LABELS.values()})
    }
    tables = {name: module.decoding_table for name, module in modules.items() if hasattr(module, "decoding_table")}
    assert all(table[:0x80] == "".join(map(chr, range(0x80))) and len(table) == 0x100 for table in tables.values())
    return json.dumps({name: table[0x80:] for name, table in tables.items()}, indent=1) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(Path(FILE).read_text() != text())
    Path(FILE).write_text(text())
