"""Arguments of a tool: their JSON schema from signature and docstring, and the check before every execution.

Arguments come from a model, as JSON. They are checked as JSON, strictly: `"3"` is no integer, `3` is no string, an
unknown name is refused, NaN and infinity do not exist.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, Protocol, get_type_hints

from docstring_parser import parse as parse_docstring
from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypedDict

from batuta.kernel.errors import ConfigurationError, InvalidArgumentsError
from batuta.tools.context import ToolContext

MAX_PROBLEMS = 20

_MAPS_OF_SCHEMAS = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_VALUES = frozenset({"default", "const", "enum", "examples"})
_typed_dict: Any = TypedDict  # the functional form, with fields known only at run time
_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))
_PLAIN_WORDS = {"missing": "is required", "extra_forbidden": "is not an argument of this tool"}


class Arguments(Protocol):
    """What may be handed to a tool."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, an object."""
        ...

    def check(self, raw: str) -> dict[str, Any]:
        """The arguments of a JSON text, typed. Raises `InvalidArgumentsError` naming each one that is wrong."""
        ...


@dataclass(frozen=True, slots=True)
class FunctionArguments:
    """The arguments of a Python function."""

    schema: dict[str, Any]
    adapter: TypeAdapter[dict[str, Any]]
    context_parameter: str | None

    def check(self, raw: str) -> dict[str, Any]:
        """The arguments as the function wants them."""
        try:
            return self.adapter.validate_json(raw, strict=True)
        except ValidationError as error:
            raise _in_plain_words(error, self.schema) from None


@dataclass(frozen=True, slots=True)
class Described:
    """What a function says about itself."""

    description: str
    arguments: FunctionArguments


def describe(function: Callable[..., Any]) -> Described:
    """Read a function's signature and docstring. Raises `ConfigurationError` for what no schema can express."""
    hints = _hints_of(function)
    parameters = inspect.signature(function).parameters
    for parameter in parameters.values():
        _require_describable(function, parameter, hints)
    context = next((name for name in parameters if hints[name] is ToolContext), None)
    visible = {name: parameter for name, parameter in parameters.items() if name != context}
    adapter = _adapter_of(function, visible, hints)
    docs = parse_docstring(inspect.getdoc(function) or "")
    schema = _without_titles(adapter.json_schema())
    _add_facts(schema, visible, {doc.arg_name: doc.description or "" for doc in docs.params})
    words = "\n\n".join(part.strip() for part in (docs.short_description, docs.long_description) if part)
    return Described(
        description=words or function.__name__.replace("_", " "),
        arguments=FunctionArguments(schema, adapter, context),
    )


def as_json(args: Mapping[str, Any]) -> str:
    """Arguments as JSON text. Raises `InvalidArgumentsError` for what JSON cannot say (NaN, infinity, objects)."""
    try:
        return _ENCODER.encode(args)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"the arguments are no JSON: {error}"
        raise InvalidArgumentsError(message, problems={"": str(error)}) from None


def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        name = getattr(function, "__name__", str(function))
        raise ConfigurationError(f"tool {name}: {error}; annotate with names of the module") from error


def _require_describable(function: Callable[..., Any], parameter: inspect.Parameter, hints: Mapping[str, Any]) -> None:
    where = f"tool {function.__name__}: parameter {parameter.name!r}"
    if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
        raise ConfigurationError(f"{where} cannot be given by name; use plain parameters")
    if parameter.name not in hints:
        raise ConfigurationError(f"{where} has no annotation; the schema is built from it")


def _adapter_of(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]
) -> TypeAdapter[dict[str, Any]]:
    fields = {
        name: hints[name] if parameter.default is inspect.Parameter.empty else NotRequired[hints[name]]
        for name, parameter in parameters.items()
    }
    # A typed dictionary, unlike a model, lets an argument have any name and leaves defaults to the function.
    shape = _typed_dict(function.__name__, fields)
    shape.__pydantic_config__ = ConfigDict(extra="forbid")
    try:
        return TypeAdapter(shape)
    except PydanticUserError as error:
        raise ConfigurationError(f"tool {function.__name__}: {error.message}") from error


def _add_facts(schema: dict[str, Any], parameters: Mapping[str, inspect.Parameter], docs: Mapping[str, str]) -> None:
    """Put descriptions and defaults where they belong; what an annotation says already stays."""
    schema.setdefault("properties", {})
    for name, parameter in parameters.items():
        facts = schema["properties"][name]
        if docs.get(name):
            facts.setdefault("description", docs[name].strip())
        if parameter.default is not inspect.Parameter.empty:
            _add_default(facts, parameter.default)


def _add_default(facts: dict[str, Any], default: Any) -> None:
    try:
        facts.setdefault("default", to_jsonable_python(default))
    except PydanticSerializationError:
        return  # an object only Python knows: the model cannot send it, so it need not see it


def _without_titles(schema: Any) -> Any:
    """The schema without generated titles; an argument named `title` stays."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _titles_removed_below(key, value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


def _titles_removed_below(key: str, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _MAPS_OF_SCHEMAS:
        return {name: _without_titles(part) for name, part in value.items()}
    return _without_titles(value)


def _in_plain_words(error: ValidationError, schema: Mapping[str, Any]) -> InvalidArgumentsError:
    problems: dict[str, str] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(str(part) for part in item["loc"])
        problems.setdefault(name, _PLAIN_WORDS.get(item["type"], item["msg"]))
    shown = [f"{name or 'arguments'}: {words}" for name, words in list(problems.items())[:MAX_PROBLEMS]]
    if len(problems) > MAX_PROBLEMS:
        shown.append(f"and {len(problems) - MAX_PROBLEMS} more")
    takes = ", ".join(schema["properties"]) or "no arguments"
    return InvalidArgumentsError(f"{'; '.join(shown)} (the tool takes: {takes})", problems=problems)
