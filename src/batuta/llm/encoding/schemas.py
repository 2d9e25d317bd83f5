"""Schemas of answers as the strict modes of the providers take them, which is narrower than JSON Schema.

Every object is closed and needs all of its properties. What a provider would refuse and only narrows a value (a
range, a length, a pattern) is left out: the answer is judged by the whole schema afterwards. What cannot be said
without changing the shape makes the schema `None`, and the parser alone has to do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

_DEFINITIONS = ("$defs", "definitions")
_SHAPE = frozenset({"type", "enum", "const", "title", "description"})
_ANSWERS_WHAT = frozenset({"type", "enum", "const", "anyOf", "$ref"})
_INEXPRESSIBLE = frozenset(
    {"prefixItems", "patternProperties", "not", "if", "then", "else", "contains", "propertyNames", "dependentRequired"}
    | {"dependentSchemas", "unevaluatedItems", "unevaluatedProperties"}
)
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_LOOKAROUND = re.compile(r"\(\?[=!<]")
_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mode:
    """What one provider's strict mode takes beyond shapes."""

    constraints: frozenset[str]
    formats: frozenset[str]
    is_recursive: bool


_OPENAI = _Mode(
    constraints=frozenset(
        {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "pattern"}
    ),
    formats=_FORMATS,
    is_recursive=True,
)
_ANTHROPIC = _Mode(constraints=frozenset(), formats=_FORMATS | {"uri"}, is_recursive=False)


class _CannotSayError(Exception):
    """The schema holds something that a strict mode has no word for."""


def openai_schema(schema: Json) -> Json | None:
    """A schema for OpenAI's strict mode."""
    return _strict(schema, _OPENAI)


def anthropic_schema(schema: Json) -> Json | None:
    """A schema for Anthropic's `output_config.format`."""
    return _strict(schema, _ANTHROPIC)


def is_object(schema: Json) -> bool:
    """Whether an answer of this schema is an object: OpenAI takes no other as a whole answer."""
    return _root(schema).get("type") == "object"


def openai_format(name: str, schema: Json) -> Json | None:
    """The fields that both of OpenAI's APIs want; strict where the schema can be said so."""
    if not is_object(schema):
        return None
    strict = openai_schema(schema)
    named = _NAME.sub("_", name)[:_LONGEST_NAME] or "answer"
    return {"name": named, "schema": strict or schema, "strict": strict is not None}


def _strict(schema: Json, mode: _Mode) -> Json | None:
    if not mode.is_recursive and _is_recursive(schema):
        return None
    try:
        strict: Json = _node(_root(schema), mode)
    except _CannotSayError:
        return None
    return strict


def _root(schema: Json) -> Json:
    """The schema with the definition in place that stands for the whole of it, as recursive models have it."""
    target = str(schema.get("$ref", "")).rpartition("/")[2]
    if not target:
        return schema
    kept = {name: schema[name] for name in _DEFINITIONS if name in schema}
    return {**next((kept[name][target] for name in kept if target in kept[name]), {}), **kept}


def _node(node: Any, mode: _Mode) -> Json:
    if not isinstance(node, dict) or node.keys() & _INEXPRESSIBLE:
        raise _CannotSayError
    if len(node.get("allOf", ())) == 1:
        return _node({**node["allOf"][0], **{key: node[key] for key in node if key != "allOf"}}, mode)
    definitions = {name: _each(node[name], mode) for name in _DEFINITIONS if name in node}
    if "$ref" in node:
        return {"$ref": node["$ref"], **definitions}
    result = {key: value for key, value in node.items() if key in _SHAPE or _is_taken(key, value, mode)}
    result.update(definitions)
    if "anyOf" in node or "oneOf" in node:
        result["anyOf"] = [_node(child, mode) for child in (*node.get("anyOf", ()), *node.get("oneOf", ()))]
    if "items" in node:
        result["items"] = _node(node["items"], mode)
    if node.get("type") == "object" or "properties" in node:
        result.update(_closed(node, mode))
    if not result.keys() & _ANSWERS_WHAT or "allOf" in node:
        raise _CannotSayError
    return result


def _each(children: Json, mode: _Mode) -> Json:
    return {name: _node(child, mode) for name, child in children.items()}


def _is_taken(key: str, value: Any, mode: _Mode) -> bool:
    if key == "format":
        return value in mode.formats
    if key == "pattern" and _LOOKAROUND.search(str(value)):
        return False
    return key in mode.constraints


def _closed(node: Json, mode: _Mode) -> Json:
    if node.get("additionalProperties") not in (None, False) or "properties" not in node:
        raise _CannotSayError
    properties = _each(node["properties"], mode)
    return {"properties": properties, "required": list(properties), "additionalProperties": False}


def _is_recursive(schema: Json) -> bool:
    """Whether a definition leads back to itself."""
    definitions = {name: child for group in _DEFINITIONS for name, child in schema.get(group, {}).items()}
    leads = {name: set(_references(child)) for name, child in definitions.items()}
    for _ in leads:
        leads = {name: to.union(*(leads.get(next_name, set()) for next_name in to)) for name, to in leads.items()}
    return any(name in to for name, to in leads.items())


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rpartition("/")[2]
        for child in node.values():
            yield from _references(child)
    elif isinstance(node, list):
        for child in node:
            yield from _references(child)
