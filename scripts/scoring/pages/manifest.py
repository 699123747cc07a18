"""Folders with a manifest.jsonl beside the files it names."""

import gzip
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    """The rows of a folder's manifest, or of one JSONL file."""
    file = path / "manifest.jsonl" if path.is_dir() else path
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def body_of(folder: Path, row: Row) -> bytes:
    """The bytes of a row's file as a server would send them, without its compression."""
    data = (folder / row["file"]).read_bytes()
    return gzip.decompress(data) if row["file"].endswith(".gz") else data


def is_doubtful(row: Row) -> bool:
    return bool(row.get("doubtful"))
