"""The smallest value a JSON schema allows, so that the default scenario can fill any structured answer."""

from collections.abc import Mapping
from typing import Any

from batuta.simulator.wire.asked import as_list, dicts, mapping

MAX_DEPTH = 12
PLAIN: dict[str, Any] = {"boolean": False, "null": None}
STRING_FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "someone@example.com",
    "uri": "https://example.com/",
}


def sample(schema: Mapping[str, Any]) -> Any:
    """A value for the schema; a recursive schema ends in ``None`` at a fixed depth."""
    return _sample(schema, schema, MAX_DEPTH)


def _sample(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    if depth == 0:
        return None
    schema = _resolved(schema, root)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if choices := as_list(schema.get("enum")):
        return choices[0]
    for key in ("anyOf", "oneOf", "allOf"):
        if variants := dicts(schema.get(key)):
            return _sample(variants[0], root, depth - 1)
    return _of_type(schema, root, depth)


def _of_type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = _type_name(schema)
    if kind == "object":
        fields = mapping(schema.get("properties"))
        wanted = map(str, as_list(schema["required"])) if "required" in schema else fields
        return {name: _sample(mapping(fields.get(name)), root, depth - 1) for name in wanted}
    if kind == "array":
        item = _sample(mapping(schema.get("items")), root, depth - 1)
        return [item] * _size(schema, "minItems")
    if kind in ("integer", "number"):
        return _number(schema)
    return PLAIN[kind] if kind in PLAIN else _string(schema)


def _type_name(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type") or ("object" if "properties" in schema else "string")
    return str(next(iter(as_list(kind)), kind)).lower()


def _number(schema: Mapping[str, Any]) -> float | int:
    bounds = {name: value for name, value in schema.items() if isinstance(value, int | float)}
    if "minimum" in bounds:
        return bounds["minimum"]
    if "exclusiveMinimum" in bounds:
        return bounds["exclusiveMinimum"] + 1
    return min(0, bounds.get("maximum", 0))


def _size(schema: Mapping[str, Any], name: str) -> int:
    """A size limit; Google's schemas write numbers as strings."""
    limit = schema.get(name)
    return int(limit) if isinstance(limit, int) or (isinstance(limit, str) and limit.isdecimal()) else 0


def _string(schema: Mapping[str, Any]) -> str:
    text = STRING_FORMATS.get(str(schema.get("format")), "text")
    return text.ljust(_size(schema, "minLength"), "x")[: _size(schema, "maxLength") or None]


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    target: Any = schema
    for _ in range(MAX_DEPTH):
        reference = target.get("$ref") if isinstance(target, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        target = _follow(root, reference)
    return target if isinstance(target, Mapping) else {}


def _follow(root: Any, reference: str) -> Any:
    target = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        target = target.get(step, {}) if isinstance(target, Mapping) and step else target
    return target
