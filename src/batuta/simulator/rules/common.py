"""Helpers the rule books share."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from batuta.simulator.answers import Json

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
