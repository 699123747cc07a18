"""Writes a record anew with its model's summary: files beside it, ledger line, record, each whole or not at all."""

import os
from typing import Any

from guarded_webfetch.broker.files import Revision, replace
from guarded_webfetch.broker.options import Options
from guarded_webfetch.broker.record_reader import RecordFiles
from guarded_webfetch.broker.store import Store
from guarded_webfetch.core.messages import Sanitized
from guarded_webfetch.summary import rewrite


def summary(path: str, files: RecordFiles, said: Sanitized, source: str, options: Options) -> None:
    """The record at `path` with a summary. Raises Refusal record_schema_invalid or store_unavailable; the old one then stands."""
    rewritten = rewrite.with_summary(files.record, said, source)
    beside: dict[str, Any] = {}
    if rewritten.held is not None:
        trace = files.trace or {}
        beside["held"] = rewritten.held | {"outline": trace.get("outline")}
        if trace:
            beside["trace"] = trace | {"outline": []}
    _replace(path, Revision(rewritten.record, beside, files.links_sha256), options)


def failure(path: str, files: RecordFiles, options: Options) -> None:
    """The record at `path`, saying that its summary failed."""
    _replace(path, Revision(rewrite.with_failure(files.record), {}, files.links_sha256), options)


def _replace(path: str, revision: Revision, options: Options) -> None:
    folder, name = os.path.split(path)
    replace(Store.open(folder), name.removesuffix(".json"), revision, options)
