"""Ids as fields of pydantic models; apart from `ids`, because a pipeline needs those and no models."""

from typing import Annotated

from pydantic import Field, StringConstraints, WithJsonSchema

from batuta.kernel.ids import UUID_PATTERN

UPPER_UUID = StringConstraints(to_upper=True, pattern=UUID_PATTERN)
"""Pydantic constraint for a UUID: accepted in any case, kept in upper case."""

UuidStr = Annotated[str, UPPER_UUID]
"""A UUID in a field: accepted in any case, kept in upper case."""

LOWER_HEX_32 = StringConstraints(pattern=r"^[0-9a-f]{32}$")
"""Pydantic constraint for a W3C trace id."""

AnyId = Annotated[
    Annotated[str, UPPER_UUID] | str, Field(union_mode="left_to_right"), WithJsonSchema({"type": "string"})
]
"""An id of ours in a field: a UUID is kept in upper case, a name as it is. Not for ids that a provider wants back."""
