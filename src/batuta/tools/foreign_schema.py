"""Arguments that a foreign JSON schema describes, checked in bounded time whatever the schema says.

A check runs on the event loop, and the schema comes from a server that may be careless or hostile. So patterns run on
an engine whose time grows with the text alone, and references are followed a limited number of times. What cannot be
checked that way is left to the server, which checks its arguments itself.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError as PatternError
from pydantic_core import SchemaValidator, core_schema
from pydantic_core import ValidationError as MismatchError

from batuta.kernel.errors import InvalidArgumentsError, MissingExtraError

try:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend, validator_for
    from referencing import Registry
except ImportError as error:
    raise MissingExtraError("mcp", needed_for="tools of MCP servers") from error

MAX_PROBLEMS = 20
MAX_REFERENCES = 10_000
"""How often one check follows references: a schema of a few lines can ask for more than ever ends."""
MAX_PATTERN_CHARS = 1_000

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class _TooManyReferencesError(Exception):
    """A check that would not end soon."""


@dataclass(slots=True)
class _Work:
    """What one check did so far."""

    references: int = 0


@dataclass(frozen=True, slots=True)
class SchemaArguments:
    """Arguments that a foreign JSON schema describes."""

    schema: dict[str, Any]
    validator: Any
    work: _Work = field(default_factory=_Work)

    @classmethod
    def of(cls, schema: dict[str, Any]) -> "SchemaArguments":
        """Raises jsonschema's `SchemaError` if the schema is none."""
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        work = _Work()
        # An explicit registry fetches nothing: a reference leads inside the schema or nowhere.
        return cls(schema, _bounded(kind, work)(schema, registry=Registry()), work)

    def check(self, raw: str) -> dict[str, Any]:
        """The arguments as they are, if they fit."""
        args: dict[str, Any] = json.loads(raw)
        self.work.references = 0
        try:
            problems = {error.json_path: error.message[:200] for error in self.validator.iter_errors(args)}
        except (_TooManyReferencesError, RecursionError):
            problems = {"$": "the schema of this tool refers to itself without end; its server has to mend it"}
        if problems:
            shown = [f"{path}: {message}" for path, message in list(problems.items())[:MAX_PROBLEMS]]
            raise InvalidArgumentsError("; ".join(shown), problems=problems)
        return args


def _bounded(kind: Any, work: _Work) -> Any:
    """The validator of a draft, with those keywords replaced that may take for ever."""
    keywords = {name: _counted(kind.VALIDATORS[name], work) for name in _REFERENCES if name in kind.VALIDATORS}
    return extend(  # type: ignore[no-untyped-call] # jsonschema has no types for it
        kind,
        {
            **keywords,
            "pattern": _pattern,
            "patternProperties": _left_to_the_server,
            "unevaluatedProperties": _left_to_the_server,
            "additionalProperties": _beside_no_patterns(kind.VALIDATORS["additionalProperties"]),
        },
    )


def _counted(follow: Any, work: _Work) -> Any:
    def counted(validator: Any, reference: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        work.references += 1
        if work.references > MAX_REFERENCES:
            raise _TooManyReferencesError
        yield from follow(validator, reference, instance, schema) or ()

    return counted


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    engine = _engine(pattern)
    if engine is None:
        return
    try:
        engine.validate_python(instance)
    except MismatchError:
        yield ValidationError(f"{instance[:64]!r} does not match {pattern[:100]!r}")


@lru_cache(maxsize=512)
def _engine(pattern: str) -> SchemaValidator | None:
    """The pattern, if the engine knows it: one that never looks back or around needs no more than one pass."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return None
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except PatternError:
        return None


def _left_to_the_server(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    return iter(())


def _beside_no_patterns(check: Any) -> Any:
    """Which properties are additional depends on the patterns beside, if there are any."""

    def checked(validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
        if "patternProperties" not in schema:
            yield from check(validator, allowed, instance, schema) or ()

    return checked
