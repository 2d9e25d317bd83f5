"""Checks documents against schemas that the developer chose. A schema never comes from a model: it could name
addresses to fetch and patterns that take for ever.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from batuta.kernel.errors import ConfigurationError, MissingExtraError, ToolFailedError
from batuta.tools.tool import Tool, tool

try:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, ValidationError
    from jsonschema.validators import validator_for
    from referencing import Registry
except ImportError as error:
    raise MissingExtraError("tools", needed_for="the JSON Schema tool") from error

MAX_PROBLEMS = 20
MAX_MESSAGE_CHARS = 300


def json_schema_tool(schemas: Mapping[str, Mapping[str, Any]]) -> Tool:
    """A tool `check_json` for these schemas, by name. A schema that is none is a `ConfigurationError`."""
    validators = {name: _validator(name, schema) for name, schema in schemas.items()}

    @tool(kind="computation", max_argument_bytes=1_000_000)
    async def check_json(schema_name: str, document: JsonValue) -> dict[str, Any]:
        """Check a JSON document against a schema and list what is wrong with it.

        Args:
            schema_name: Which schema to use.
            document: The document.
        """
        if schema_name not in validators:
            raise ToolFailedError(f"there is no schema {schema_name[:64]!r}; there are: {', '.join(validators)}")
        problems = sorted(validators[schema_name].iter_errors(document), key=lambda problem: problem.json_path)
        shown = [_shown(problem) for problem in problems[:MAX_PROBLEMS]]
        return {"valid": not problems, "problems": shown, "more_problems": max(len(problems) - MAX_PROBLEMS, 0)}

    return check_json


def _validator(name: str, schema: Mapping[str, Any]) -> Any:
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(dict(schema))
    except SchemaError as error:
        raise ConfigurationError(f"schema {name!r} is none: {error.message}") from error
    # An explicit registry fetches nothing: a reference leads inside the schema or nowhere.
    return kind(schema, registry=Registry())


def _shown(problem: ValidationError) -> dict[str, str]:
    return {"path": problem.json_path, "message": problem.message[:MAX_MESSAGE_CHARS]}
