"""Whatever stands at whatever place of a body, reading, judging and echoing it never breaks down."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from batuta.simulator import PROVIDERS, Provider, validate_request
from batuta.simulator.answers import Json, Pace
from batuta.simulator.echo import echo
from batuta.simulator.wire import DIALECTS
from batuta.simulator.wire.turn import WireTurn
from tests.unit.simulator.test_reading import TOOL_LOOPS

JUNK: tuple[Any, ...] = (None, True, 7, -1.5, "", "zz", [], [1], {}, {"a": 1}, [{}], [[]], [{"type": {}}])
SCHEMA = {
    "type": "object",
    "required": ["a", "b", "c", "d"],
    "properties": {
        "a": {"type": "string", "minLength": 2, "enum": ["x"]},
        "b": {"$ref": "#/$defs/count"},
        "c": {"type": "array", "items": {"type": "number", "minimum": 1}, "minItems": 1},
        "d": {"anyOf": [{"type": "null"}]},
    },
    "$defs": {"count": {"type": "integer", "maximum": 3}},
}


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def with_junk(body: Json, path: tuple[str | int, ...], junk: Any) -> Json:
    changed: Any = copy.deepcopy(body)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = junk
    return changed  # type: ignore[no-any-return]


def with_schema(body: Json) -> Json:
    """The same body with a schema that uses every keyword the sampler knows, wherever a schema stands."""
    text = {"type": "object", "properties": {"a": {"type": "integer"}}}
    changed = copy.deepcopy(body)
    for path in [path for path in places(changed) if _at(changed, path) == text]:
        changed = with_junk(changed, path, SCHEMA)
    return changed


def _at(body: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        body = body[key]
    return body


def first_turn_only(body: Json) -> Json:
    shortened = {key: body[key][:1] for key in ("messages", "input", "contents") if isinstance(body.get(key), list)}
    return {**body, **shortened}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_junk_anywhere_in_a_body_is_survived(provider: Provider) -> None:
    dialect = DIALECTS[provider]
    body = with_schema(TOOL_LOOPS[provider])

    for path in places(body):
        for junk in JUNK:
            for changed in (with_junk(body, path, junk), first_turn_only(with_junk(body, path, junk))):
                turn = WireTurn(asked=dialect.read(changed), seed=0, number=1, created=0, pace=Pace())
                answer = echo(turn.asked)
                assert isinstance(validate_request(provider, changed), list)
                assert dialect.whole(answer, turn)
                assert dialect.events(answer, turn)
