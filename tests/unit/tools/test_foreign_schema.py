"""Arguments of a foreign schema are checked, and no schema holds the event loop up (F-50, F-55)."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest

from batuta.kernel.errors import InvalidArgumentsError
from batuta.tools.foreign_schema import SchemaArguments


def schema_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def fits(schema: dict[str, Any], args: dict[str, Any]) -> bool:
    try:
        return SchemaArguments.of(schema).check(json.dumps(args)) == args
    except InvalidArgumentsError:
        return False


@pytest.mark.parametrize(
    ("pattern", "text", "fit"),
    [
        (r"^[A-Z]{2}-\d+$", "AB-12", True),
        (r"^[A-Z]{2}-\d+$", "ab-12", False),
        ("b", "abc", True),
        ("^b", "abc", False),
        (r"^(?=.*x)", "no lookaround here: the server's own affair", True),
    ],
)
def test_a_pattern_is_searched_for_as_json_schema_says(pattern: str, text: str, *, fit: bool) -> None:
    assert fits(schema_of(code={"type": "string", "pattern": pattern}), {"code": text}) is fit


def test_what_does_not_fit_is_named_with_its_place() -> None:
    arguments = SchemaArguments.of(schema_of(code={"type": "string", "pattern": "^a"}, count={"type": "integer"}))
    with pytest.raises(
        InvalidArgumentsError, match=r"\$\.code: 'b' does not match '\^a'; \$\.count: 'x' is not of type"
    ):
        arguments.check('{"code": "b", "count": "x"}')


def test_additional_properties_are_refused_unless_patterns_may_allow_them() -> None:
    assert not fits(schema_of(a={}), {"a": 1, "b": 2})
    assert fits({**schema_of(a={}), "patternProperties": {"^(b+)+$": {}}}, {"a": 1, "b" * 40 + "!": 2})


def _doubling(levels: int) -> dict[str, Any]:
    definitions = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": {}}}


ENDLESS: dict[str, dict[str, Any]] = {
    "a pattern that backtracks": schema_of(text={"pattern": "^(a+)+$"}),
    "one in the names of properties": {"propertyNames": {"pattern": "^(a+)+$"}, **schema_of(text={})},
    "patterns of properties": {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
    "unevaluated properties": {"patternProperties": {"^(t|te|x)+$": {}}, "unevaluatedProperties": False},
    "references that double": schema_of(text=_doubling(40)["$defs"]["d0"]) | {"$defs": _doubling(40)["$defs"]},
    "a reference to itself": schema_of(text={"$ref": "#/properties/text"}),
    "a dynamic one": schema_of(text={"$dynamicRef": "#/properties/text"}),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_no_schema_takes_for_ever(what: str) -> None:
    """With the engine of Python the first would take years."""
    arguments = SchemaArguments.of(ENDLESS[what])
    started = time.process_time()
    for name in ("text", "a" * 60 + "!"):
        with suppress(InvalidArgumentsError):
            arguments.check(json.dumps({name: "a" * 60 + "!"}))
    assert time.process_time() - started < 5


@pytest.mark.parametrize("what", ["references that double", "a reference to itself"])
def test_a_schema_that_never_ends_refuses_the_call_and_says_whose_fault_it_is(what: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="its server has to mend it"):
        SchemaArguments.of(ENDLESS[what]).check('{"text": "a"}')


def test_an_ordinary_schema_with_references_is_followed() -> None:
    schema = {**schema_of(items={"type": "array", "items": {"$ref": "#/$defs/n"}}), "$defs": {"n": {"type": "integer"}}}
    assert fits(schema, {"items": list(range(2_000))})
    assert not fits(schema, {"items": [1, "two"]})
