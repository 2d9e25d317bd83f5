"""The JSON Schema tool (F-56)."""

import pytest

from batuta.kernel.errors import ConfigurationError, ToolFailedError
from batuta.tools.builtin.json_schema import json_schema_tool

ORDER = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
    "required": ["sku", "quantity"],
}


async def test_a_good_document_is_valid() -> None:
    checked = await json_schema_tool({"order": ORDER}).call(schema_name="order", document={"sku": "A", "quantity": 1})

    assert checked == {"valid": True, "problems": [], "more_problems": 0}


async def test_every_problem_is_named_with_its_place() -> None:
    checked = await json_schema_tool({"order": ORDER}).call(schema_name="order", document={"quantity": 0})

    assert checked["valid"] is False
    assert [problem["path"] for problem in checked["problems"]] == ["$", "$.quantity"]


async def test_many_problems_are_counted_and_not_all_shown() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}

    checked = await json_schema_tool({"numbers": schema}).call(schema_name="numbers", document=["x"] * 30)

    assert (len(checked["problems"]), checked["more_problems"]) == (20, 10)


async def test_an_unknown_schema_is_an_error() -> None:
    with pytest.raises(ToolFailedError, match="there are: order"):
        await json_schema_tool({"order": ORDER}).call(schema_name="invoice", document={})


def test_a_schema_that_is_none_is_refused_when_the_tool_is_made() -> None:
    with pytest.raises(ConfigurationError, match="order"):
        json_schema_tool({"order": {"type": "thing"}})


async def test_se12_a_reference_is_never_fetched() -> None:
    """SE-12: a schema cannot make the tool ask an address."""
    check = json_schema_tool({"remote": {"$ref": "http://127.0.0.1:9/schema.json"}})

    with pytest.raises(Exception, match="Unresolvable"):
        await check.call(schema_name="remote", document={})
