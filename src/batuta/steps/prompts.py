"""What an agent says to its model about its input: as it is, as JSON, or through a template.

    Prompt("Summarise order {sku} of {customer.name}.", Order)

Placeholders are fields of the input; one that the input does not have is an error when the agent is built.
"""

import dataclasses
import string
import typing
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from batuta.kernel.errors import PipelineTypeError
from batuta.pipelines.typecheck import type_name

WHOLE = "input"
"""The placeholder for the whole input."""

_WRITTEN_AS_THEY_ARE = (int, float, Decimal, date, time, timedelta, UUID)
"""They have a form of their own in a sentence, and a format may be asked of them: `{due:%d %B}`, `{total:.2f}`."""


class Prompt:
    """A template checked against the type of its input."""

    __slots__ = ("_template",)

    def __init__(self, template: str, input_type: Any, *, owner: str) -> None:
        for name in _placeholders(template, owner):
            _check(name, input_type, owner)
        self._template = template

    def fill(self, value: Any) -> str:
        """The template with the input's fields in place."""
        return _Filler(value).format(self._template)


def as_text(value: Any) -> str:
    """An input without a template: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseModel):
        is_attachment = getattr(value, "is_attachment", False) is True
        return f"[{getattr(value, 'type', 'file')}]" if is_attachment else value.model_dump_json()
    return TypeAdapter(Any).dump_json(value).decode()


class _Filler(string.Formatter):
    """Reads only declared fields: no indexing, no attributes of attributes beyond them, no private names."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        """Walk from the input to a field."""
        value = self._value
        if field_name != WHOLE:
            for part in field_name.split("."):
                value = value[part] if isinstance(value, dict) else getattr(value, part)
        value = value.value if isinstance(value, Enum) else value
        return (value if isinstance(value, _WRITTEN_AS_THEY_ARE) else as_text(value)), field_name


def _placeholders(template: str, owner: str) -> list[str]:
    try:
        fields = [(name, form or "") for _, name, form, _ in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise PipelineTypeError(f"{owner}: the prompt is no template: {error}; write {{{{ for a brace") from error
    return [part for name, form in fields for part in (name, *_placeholders(form, owner))]


def _check(name: str, input_type: Any, owner: str) -> None:
    if name == WHOLE:
        return
    current = input_type
    for part in name.split("."):
        fields = _fields_of(current)
        if fields is None:
            return  # nothing is known about it
        if part not in fields:
            known = ", ".join(["input", *fields])
            raise PipelineTypeError(
                f"{owner}: the prompt asks for {{{name}}}, which {type_name(input_type)} does not have; it has {known}"
            )
        current = fields[part]


def _fields_of(annotation: Any) -> dict[str, Any] | None:
    """The fields of a type with their types, or `None` where they cannot be known."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: field.annotation for name, field in annotation.model_fields.items()}
    if dataclasses.is_dataclass(annotation) or typing.is_typeddict(annotation):
        return typing.get_type_hints(annotation)
    if annotation is Any or typing.get_origin(annotation) is dict or annotation is dict:
        return None
    return {}
