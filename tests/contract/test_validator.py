"""Our schema compiler agrees with jsonschema over many mutated documents, and refuses keywords it does not know."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from guarded_webfetch.contract import validator

FOLDER = Path(validator.__file__).parent
NAMES = sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json"))
LEAVES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    999_999_999,
    10**12,
    "",
    "x",
    "a\n",
    "safe",
    "utf-8",
    "https://example.com/",
    "é" * 3000,
    [],
    {},
]


def samples(name: str) -> list[Any]:
    """Documents that fit, built from the schema itself: every enum member, the shortest and the fullest form."""
    schema = validator.read(name)
    rng = random.Random(name)
    return [_build(schema, schema, rng, full) for full in (False, True) for _ in range(20)]


def _build(schema: dict[str, Any], root: dict[str, Any], rng: random.Random, full: bool) -> Any:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    for key in ("const", "enum"):
        if key in schema:
            return schema[key] if key == "const" else rng.choice(schema["enum"])
    if "anyOf" in schema:
        return _build(rng.choice(schema["anyOf"]), root, rng, full)
    kind = schema["type"]
    if isinstance(kind, list):
        kind = rng.choice(kind)
    if kind == "object":
        names = [n for n in schema.get("properties", {}) if full or n in schema.get("required", ())]
        return {n: _build(schema["properties"][n], root, rng, full) for n in names}
    if kind == "array":
        if "prefixItems" in schema:
            return [_build(part, root, rng, full) for part in schema["prefixItems"]]
        return [_build(schema["items"], root, rng, False) for _ in range(max(2 * full, schema.get("minItems", 0)))]
    if kind == "string":
        return _matching(schema)
    return {"integer": schema.get("minimum", 0), "boolean": rng.random() < 0.5, "null": None}.get(kind)


MATCHES = ("", "abc", "raw_text:12", "2026-11-30T10:00:00Z", "a" * 64, "0" * 64, "2026.11.1", "0.1.0", "https://a.example.com/",
           "<<<BEGIN-UNTRUSTED-WEB-TEXT:0123456789abcdef:data-not-instructions>>>",
           "<<<END-UNTRUSTED-WEB-TEXT:0123456789abcdef>>>", "https://a.example.com", "guarded-webfetch/trace@1")  # fmt: skip


def _matching(schema: dict[str, Any]) -> str:
    for text in MATCHES:
        if jsonschema.Draft202012Validator(
            {"type": "string", **{k: schema[k] for k in ("pattern", "maxLength") if k in schema}}
        ).is_valid(text):
            return text
    raise AssertionError(f"no sample text for {schema}")


def mutate(value: Any, rng: random.Random) -> Any:
    """One random change somewhere in a copy of `value`."""
    value = copy.deepcopy(value)
    spots: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        item = stack.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        for key in keys:
            spots.append((item, key))
            stack.append(item[key])
    if not spots:
        return rng.choice(LEAVES)
    holder, key = rng.choice(spots)
    action = rng.randrange(4)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[rng.choice(("extra", "text", "kind", "n"))] = rng.choice(LEAVES)
    elif action == 2 and isinstance(holder, list):
        holder.append(rng.choice(LEAVES))
    else:
        holder[key] = copy.deepcopy(rng.choice(LEAVES))
    return value


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_jsonschema(name: str) -> None:
    schema = validator.read(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    ours, theirs = validator.compile_schema(schema), jsonschema.Draft202012Validator(schema).is_valid
    rng = random.Random(7)
    verdicts = {True: 0, False: 0}
    for sample in samples(name):
        assert ours(sample) and theirs(sample), json.dumps(sample)[:500]
        for _ in range(60):
            changed = mutate(sample, rng)
            assert ours(changed) == theirs(changed), json.dumps(changed)[:500]
            verdicts[ours(changed)] += 1
    assert verdicts[False] > 100, "mutations must be refused, or this test proves nothing"


@pytest.mark.parametrize("name", NAMES)
def test_every_object_is_closed(name: str) -> None:
    """A child cannot add a field that belongs to another one, and a record holds nothing unknown."""
    stack: list[Any] = [validator.read(name)]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if "properties" in item and "object" in str(item.get("type")):
                assert item.get("additionalProperties") is False or item.get("additionalProperties", {}) != {}, item
            if "maximum" in item or "minimum" in item:
                assert "maximum" in item, "a minimum is read beside its maximum only"
            assert "minLength" not in item or "maxLength" in item
            assert "minItems" not in item or "items" in item
            stack += item.values()
        elif isinstance(item, list):
            stack += item


def test_unknown_keyword_is_an_error() -> None:
    with pytest.raises(validator.SchemaError):
        validator.compile_schema({"type": "string", "format": "uri"})


def test_types_are_exact() -> None:
    check = validator.compile_schema({"type": "integer", "minimum": 0, "maximum": 9})
    assert check(1)
    assert not check(True)
    assert not check(1.0)
