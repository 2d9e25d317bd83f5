"""Helpers the rule books share."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from batuta.simulator.answers import Json
from batuta.simulator.wire.asked import as_list, dicts, mapping

Check: TypeAlias = Callable[[Json], Iterator[str]]

OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def run(checks: Iterable[Check], body: Json) -> list[str]:
    """All the rules a body breaks, in the order of the checks."""
    return [problem for check in checks for problem in check(body)]


def required(body: Json, fields: dict[str, type | tuple[type, ...]]) -> Iterator[str]:
    for name, kind in fields.items():
        if body.get(name) is None:
            yield f"{name}: field required"
        elif not isinstance(body[name], kind) or isinstance(body[name], bool):
            yield f"{name}: has the wrong type {type(body[name]).__name__}"


def repeated(values: Iterable[Any]) -> list[str]:
    return [value for value, count in Counter(map(str, values)).items() if count > 1]


def quoted(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def out_of_range(body: Json, name: str, low: float, high: float) -> Iterator[str]:
    value = body.get(name)
    if isinstance(value, int | float) and not low <= value <= high:
        yield f"{name}: must be between {low:g} and {high:g}, got {value:g}"


def strict_schema(schema: Any, where: str) -> Iterator[str]:
    """OpenAI's strict mode: every object closed, and every property required."""
    for path, node in _objects(schema, where):
        properties = mapping(node.get("properties"))
        if node.get("additionalProperties") is not False:
            yield f"{path}: 'additionalProperties' must be supplied and false in a strict schema"
        missing = [name for name in properties if name not in as_list(node.get("required"))]
        if missing:
            yield f"{path}: 'required' must name every property in a strict schema; missing {quoted(missing)}"


def _objects(node: Any, path: str) -> Iterator[tuple[str, Json]]:
    if not isinstance(node, dict):
        return
    if node.get("type") == "object":
        yield path, node
    for group in ("properties", "$defs"):
        for name, child in mapping(node.get(group)).items():
            yield from _objects(child, f"{path}.{group}.{name}")
    yield from _objects(node.get("items"), f"{path}.items")
    for index, child in enumerate(dicts(node.get("anyOf"))):
        yield from _objects(child, f"{path}.anyOf.{index}")
