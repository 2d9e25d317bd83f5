"""The JSON Schema of the events as they are stored and sent, with every field present."""

import json
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from batuta.events import ROUTES, CanonicalEvent, Event
from batuta.events.envelope import EVENT_TYPES
from batuta.events.view import SessionView
from batuta.kernel.id_fields import UPPER_UUID

_STORED_UUID = "^[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}$"


class _WholeSchema(GenerateJsonSchema):
    """What we write has all its fields."""

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        return True

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def catalogue() -> dict[str, type[Event]]:
    """The product's own event models by name, in the order of the table."""
    union, _ = get_args(CanonicalEvent)
    own = set(get_args(union))
    models = [EVENT_TYPES[event_type] for event_type in ROUTES if event_type in EVENT_TYPES]
    return {model.__name__: model for model in models if model in own}


def event_schema() -> dict[str, Any]:
    """One schema for all events; `$defs` holds each by its model's name."""
    schema = _schema_of(CanonicalEvent)
    schema.pop("discriminator")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:batuta:events",
        "title": "Batuta events",
        **_in_stored_case(schema),
    }


def view_schema() -> dict[str, Any]:
    """The schema of a folded session."""
    return _schema_of(SessionView)


def schema_text() -> str:
    """The schema of the events as a file."""
    return json.dumps(event_schema(), indent=2, ensure_ascii=False) + "\n"


def _schema_of(what: Any) -> dict[str, Any]:
    return TypeAdapter(what).json_schema(mode="serialization", schema_generator=_WholeSchema)


def _in_stored_case(node: Any) -> Any:
    """Ids are read in any case and written in upper case."""
    if isinstance(node, dict):
        if node.get("pattern") == UPPER_UUID.pattern:
            node = node | {"pattern": _STORED_UUID}
        return {key: _in_stored_case(value) for key, value in node.items()}
    return [_in_stored_case(value) for value in node] if isinstance(node, list) else node
