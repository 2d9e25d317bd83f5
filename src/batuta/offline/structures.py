"""A valid value of any JSON schema, with what a message offers put where it fits.

It is honest about its certainty: a field called `confidence` says that the value was filled in by rules.
"""

import re
from collections.abc import Mapping
from typing import Any

from batuta.language.folding import fold, stems_of

CONFIDENCE = 0.3
MAX_DEPTH = 12

_FORMATS = {
    "date-time": "1970-01-01T00:00:00Z",
    "date": "1970-01-01",
    "time": "00:00:00Z",
    "duration": "P0D",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "email": "nobody@example.com",
    "uri": "https://example.com/",
}
Schema = Mapping[str, Any]


class Structure:
    """Builds values of one schema from one text."""

    def __init__(self, schema: Schema, text: str) -> None:
        self._root = schema
        self._text = text

    def value(self) -> Any:
        """A value of the whole schema."""
        return self._of(self._root, "", 0)

    def _of(self, schema: Any, name: str, depth: int) -> Any:
        if not isinstance(schema, Mapping):
            return None
        if "$ref" in schema and depth < MAX_DEPTH:
            return self._of({**self._referred(schema["$ref"]), **_without(schema, "$ref")}, name, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._member(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self._of(_simplest(schema[key], depth), name, depth + 1)
        if "allOf" in schema:
            merged = {k: v for part in schema["allOf"] for k, v in self._resolved(part).items()}
            return self._of({**merged, **_without(schema, "allOf")}, name, depth + 1)
        return self._typed(schema, name, depth)

    def _typed(self, schema: Schema, name: str, depth: int) -> Any:
        kind = schema.get("type")
        kind = next(iter(kind), None) if isinstance(kind, list) else kind
        if kind is None:
            kind = "object" if "properties" in schema else "string"
        makers = {"object": self._object, "array": self._array, "string": self._string}
        if kind in makers:
            return makers[kind](schema, name, depth)
        if kind in ("integer", "number"):
            return _number(schema, name, is_whole=kind == "integer")
        return False if kind == "boolean" else None

    def _object(self, schema: Schema, name: str, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        wanted = [key for key in properties if key in required or key == "confidence"]
        wanted += [key for key in required if key not in properties]
        return {key: self._of(properties.get(key, {}), key, depth + 1) for key in wanted}

    def _array(self, schema: Schema, name: str, depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        firsts = schema.get("prefixItems", [])
        items = [self._of(first, name, depth + 1) for first in firsts]
        if len(items) < least and depth < MAX_DEPTH:
            items += [self._of(schema.get("items", {}), name, depth + 1)] * (least - len(items))
        return items

    def _string(self, schema: Schema, name: str, depth: int) -> str:
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        words = self._text or name or "-"
        words = words[: schema["maxLength"]] if "maxLength" in schema else words
        return words.ljust(schema.get("minLength", 0), ".")

    def _member(self, members: list[Any]) -> Any:
        """The member a text names, or shares most with."""
        plain, asked = fold(self._text), stems_of(self._text)
        named = [m for m in members if isinstance(m, str) and re.search(rf"\b{re.escape(fold(m))}\b", plain)]
        if named:
            return named[0]
        return max(members, key=lambda member: len(stems_of(str(member).replace("_", " ")) & asked))

    def _referred(self, reference: str) -> Schema:
        found: Any = self._root
        for part in reference.lstrip("#/").split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
        return found if isinstance(found, Mapping) else {}

    def _resolved(self, schema: Schema) -> Schema:
        return self._referred(schema["$ref"]) if "$ref" in schema else schema


def _simplest(choices: list[Schema], depth: int) -> Schema:
    """Something rather than nothing, and no reference where that could go on for ever."""
    real = [choice for choice in choices if choice.get("type") != "null"]
    plain = [choice for choice in real if "$ref" not in choice]
    null = [choice for choice in choices if choice.get("type") == "null"]
    candidates = (null or plain or real) if depth > MAX_DEPTH // 2 else (real or null)
    return candidates[0]


def _number(schema: Schema, name: str, *, is_whole: bool) -> float:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    value: float = CONFIDENCE if name == "confidence" and not is_whole else 0
    if least is not None and (value < least or (value == least and "exclusiveMinimum" in schema)):
        value = least + (1 if is_whole else _above(least, most)) if "exclusiveMinimum" in schema else least
    if most is not None and (value > most or (value == most and "exclusiveMaximum" in schema)):
        value = most - 1 if "exclusiveMaximum" in schema else most
    step = schema.get("multipleOf")
    if step:
        value = -(-value // step) * step
    return int(value) if is_whole else value


def _above(least: float, most: float | None) -> float:
    return 1.0 if most is None or least + 1 < most else (most - least) / 2


def _without(schema: Schema, key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}
