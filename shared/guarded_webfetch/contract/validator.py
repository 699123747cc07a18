"""A small compiler for the part of JSON Schema that this project's own schemas use.

jsonschema costs more to import than the whole quarantine costs to start, so the hot path checks with this and a test proves
over many mutated documents that both agree (references/adr/0003). An unknown keyword is an error, never ignored.
Source: JSON Schema draft 2020-12, Validation vocabulary. One deliberate difference: types are exact (1.0 is no integer).
"""

import json
import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

Check = Callable[[Any], bool]
Schema = dict[str, Any]

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_ANNOTATIONS: Final = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description"})


class SchemaError(Exception):
    """The schema itself uses something this compiler does not know: our bug."""


def compile_schema(schema: Schema) -> Check:
    """A function that tells whether a value fits `schema`."""
    return _compile(schema, schema, {})


@cache
def load(name: str) -> Check:
    """The compiled check of `<name>.schema.json` in this folder."""
    return compile_schema(read(name))


def read(name: str) -> Schema:
    """The schema `<name>.schema.json` of this folder as a mapping."""
    path = os.path.join(os.path.dirname(__file__), f"{name}.schema.json")
    with open(path, encoding="utf-8") as file:
        schema: Schema = json.load(file)
    return schema


def _compile(schema: Schema, root: Schema, seen: dict[str, Check]) -> Check:
    if "$ref" in schema:
        return _reference(schema["$ref"], root, seen)
    checks = [_KEYWORDS[key](schema, root, seen) for key in schema if key in _KEYWORDS]
    unknown = schema.keys() - _KEYWORDS.keys() - _ANNOTATIONS - _PARTS
    if unknown:
        raise SchemaError(f"keyword not supported: {sorted(unknown)}")
    if len(checks) == 1:
        return checks[0]
    return lambda value: all(check(value) for check in checks)


def _reference(target: str, root: Schema, seen: dict[str, Check]) -> Check:
    """A check for "#/$defs/NAME", compiled once; looked up late so that a definition may refer to itself."""
    if target not in seen:
        seen[target] = lambda value: seen[target](value)  # noqa: PLW0108 - the entry changes below
        name = target.removeprefix("#/$defs/")
        seen[target] = _compile(root["$defs"][name], root, seen)
    return seen[target]


def _type(schema: Schema, _root: Schema, _seen: dict[str, Check]) -> Check:
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    allowed = frozenset(kind for name in names for kind in _TYPES[name])
    return lambda value: type(value) in allowed


def _enum(schema: Schema, _root: Schema, _seen: dict[str, Check]) -> Check:
    allowed = [(type(item), item) for item in schema["enum"]]
    return lambda value: (type(value), value) in allowed


def _const(schema: Schema, _root: Schema, _seen: dict[str, Check]) -> Check:
    expected = schema["const"]
    return lambda value: type(value) is type(expected) and value == expected


def _pattern(schema: Schema, _root: Schema, _seen: dict[str, Check]) -> Check:
    source = schema["pattern"]
    compiled: list[re.Pattern[str]] = []

    def check(value: Any) -> bool:
        if not isinstance(value, str):
            return True
        if not compiled:
            compiled.append(re.compile(source))
        return compiled[0].search(value) is not None

    return check


def _length(schema: Schema, _root: Schema, _seen: dict[str, Check]) -> Check:
    low, high = schema.get("minLength", 0), schema.get("maxLength", float("inf"))
    return lambda value: not isinstance(value, str) or low <= len(value) <= high


def _range(schema: Schema, _root: Schema, _seen: dict[str, Check]) -> Check:
    low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    return lambda value: type(value) is not int or low <= value <= high


def _array(schema: Schema, root: Schema, seen: dict[str, Check]) -> Check:
    low, high = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
    prefix = [_compile(item, root, seen) for item in schema.get("prefixItems", [])]
    item = schema.get("items", {})
    rest = _compile(item, root, seen) if isinstance(item, dict) else (lambda _: False)

    def check(value: Any) -> bool:
        if not isinstance(value, list):
            return True
        if not low <= len(value) <= high:
            return False
        if prefix and not all(test(part) for test, part in zip(prefix, value, strict=False)):
            return False
        return all(map(rest, value[len(prefix) :]))

    return check


def _object(schema: Schema, root: Schema, seen: dict[str, Check]) -> Check:
    properties = {name: _compile(part, root, seen) for name, part in schema.get("properties", {}).items()}
    required = frozenset(schema.get("required", ()))
    closed = schema.get("additionalProperties", True) is False

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        if not required <= value.keys() or (closed and not value.keys() <= properties.keys()):
            return False
        return all(test(value[name]) for name, test in properties.items() if name in value)

    return check


def _any_of(schema: Schema, root: Schema, seen: dict[str, Check]) -> Check:
    options = [_compile(option, root, seen) for option in schema["anyOf"]]
    return lambda value: any(option(value) for option in options)


_KEYWORDS: Final[dict[str, Callable[[Schema, Schema, dict[str, Check]], Check]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "maxLength": _length,
    "maximum": _range,
    "items": _array,
    "properties": _object,
    "anyOf": _any_of,
}
# Read by the keyword beside which they must stand; a schema that has one without its keyword is refused by a test.
_PARTS: Final = frozenset(
    {"minLength", "minimum", "minItems", "maxItems", "prefixItems", "required", "additionalProperties"}
)
