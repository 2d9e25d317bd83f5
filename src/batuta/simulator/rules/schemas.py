"""What the providers refuse in the schema of a structured answer, by their published limits of strict schemas."""

import re
from collections.abc import Iterator
from typing import Any

from batuta.simulator.answers import Json
from batuta.simulator.rules.common import quoted
from batuta.simulator.wire.asked import as_list, dicts, mapping

_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
_NOT_PERMITTED = (
    "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "prefixItems",
    "patternProperties", "propertyNames", "contains", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
)  # fmt: skip
_NUMBER_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LENGTH_LIMITS = ("minLength", "maxLength")
_LIST_LIMITS = ("maxItems", "uniqueItems", "prefixItems")
_LOOKAROUND = re.compile(r"\(\?<?[=!]")


def openai_strict(schema: Any, where: str) -> Iterator[str]:
    """OpenAI's strict mode: every object closed, every property required, and a part of JSON Schema only."""
    for path, node in _nodes(schema, where):
        yield from _closed(path, node)
        yield from _every_property_required(path, node)
        yield from _known_to_openai(path, node)


def openai_root(schema: Any, where: str) -> Iterator[str]:
    """A whole answer is an object, strict or not."""
    kind = mapping(schema).get("type")
    if kind != "object":
        yield f"{where}: schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'"


def anthropic_output(schema: Any, where: str) -> Iterator[str]:
    """Anthropic's structured outputs: closed objects, no limits of values, no recursion."""
    for path, node in _nodes(schema, where):
        yield from _closed(path, node)
        for limits, kind in ((_NUMBER_LIMITS, "number"), (_LENGTH_LIMITS, "string"), (_LIST_LIMITS, "array")):
            given = [name for name in limits if name in node]
            if given:
                yield f"{path}: For '{kind}' type, properties {quoted(given)} are not supported"
        if node.get("minItems", 0) not in (0, 1):
            yield f"{path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
        if "oneOf" in node:
            yield f"{path}: 'oneOf' is not supported"
    for name in _circles(mapping(schema)):
        yield f"{where}.$defs.{name}: circular references are not supported"


def _closed(path: str, node: Json) -> Iterator[str]:
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        yield f"{path}: 'additionalProperties' must be supplied and false in a strict schema"


def _every_property_required(path: str, node: Json) -> Iterator[str]:
    missing = [name for name in mapping(node.get("properties")) if name not in as_list(node.get("required"))]
    if missing:
        yield f"{path}: 'required' must name every property in a strict schema; missing {quoted(missing)}"


def _known_to_openai(path: str, node: Json) -> Iterator[str]:
    for name in _NOT_PERMITTED:
        if name in node:
            yield f"{path}: '{name}' is not permitted in a strict schema"
    beside = sorted(node.keys() - {"$ref", "$defs"})
    if "$ref" in node and beside:
        yield f"{path}: $ref cannot have keywords {quoted(beside)}"
    if not node.keys() & {"type", "anyOf", "$ref", "enum", "const", *_NOT_PERMITTED}:
        yield f"{path}: schema must have a 'type' key"
    if str(node.get("format", "date")) not in _FORMATS:
        yield f"{path}: '{node['format']}' is not a valid format"
    if _LOOKAROUND.search(str(node.get("pattern", ""))):
        yield f"{path}: pattern: look-around is not supported"


def _nodes(node: Any, path: str) -> Iterator[tuple[str, Json]]:
    if not isinstance(node, dict):
        return
    yield path, node
    for group in ("properties", "$defs"):
        for name, child in mapping(node.get(group)).items():
            yield from _nodes(child, f"{path}.{group}.{name}")
    yield from _nodes(node.get("items"), f"{path}.items")
    for index, child in enumerate(dicts(node.get("anyOf"))):
        yield from _nodes(child, f"{path}.anyOf.{index}")


def _circles(schema: Json) -> Iterator[str]:
    definitions = mapping(schema.get("$defs"))
    for name in definitions:
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            targets = re.findall(r"'\$ref': '#/\$defs/([^']+)'", str(definitions.get(ahead.pop())))
            ahead += [target for target in targets if target not in seen]
            seen.update(targets)
        if name in seen:
            yield name
