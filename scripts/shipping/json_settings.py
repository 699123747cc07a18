"""Adding to a person's JSON settings, and taking exactly that away again.

An addition is a JSON object of the same shape: objects are merged, list entries appended where they are missing, values set
where there is none. What is there stays; a value that differs is reported and left.
"""

import json
import re
from typing import Any

Json = dict[str, Any]


class Unreadable(Exception):
    """The file is no JSON object, or holds a name twice, which would be lost by writing it again."""


def read(text: str) -> Json:
    """Raises Unreadable."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise Unreadable from error
    if not isinstance(found, dict):
        raise Unreadable
    return found


def write(settings: Json, like: str) -> str:
    """The text of `settings`, indented as `like` is."""
    indent = re.search(r"^([ \t]+)\S", like, re.MULTILINE)
    return json.dumps(settings, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"


def merge(settings: Json, addition: Json) -> tuple[Json, Json, list[str]]:
    """(settings with the addition, what of it was really added, dotted names of values left as they were)"""
    merged, added, left = dict(settings), {}, []
    for name, new in addition.items():
        old = settings.get(name)
        if name not in settings:
            merged[name] = added[name] = new
        elif isinstance(old, dict) and isinstance(new, dict):
            merged[name], inner, below = merge(old, new)
            left += [f"{name}.{one}" for one in below]
            if inner:
                added[name] = inner
        elif isinstance(old, list) and isinstance(new, list):
            missing = [entry for entry in new if entry not in old]
            merged[name] = old + missing
            if missing:
                added[name] = missing
        elif old != new:
            left.append(name)
    return merged, added, left


def remove(settings: Json, added: Json) -> Json:
    """`settings` without what `merge` added; what a person changed since stays."""
    kept = dict(settings)
    for name, new in added.items():
        old = kept.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            kept[name] = remove(old, new)
        elif isinstance(old, list) and isinstance(new, list):
            kept[name] = [entry for entry in old if entry not in new]
        elif name not in kept or old != new:
            continue
        else:
            del kept[name]
            continue
        if not kept[name]:
            del kept[name]
    return kept


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found
