"""Conditions as a model writes them, turned into filters by the types of the fields they name."""

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Literal

from pydantic import BaseModel, ConfigDict

from batuta.connectors.business_central.catalogue import CatalogueEntity, CatalogueProperty
from batuta.connectors.odata.filters import AllOf, Compare, Filter, FilterValue, Matches, OneOf
from batuta.kernel.errors import ConfigurationError

ConditionOperator = Literal["eq", "ne", "gt", "ge", "lt", "le", "contains", "startswith", "endswith", "one_of"]


class FieldCondition(BaseModel):
    """A field compared with a value."""

    model_config = ConfigDict(frozen=True)

    field: str
    operator: ConditionOperator = "eq"
    value: str | int | float | bool | list[str]


def as_filter(entity: CatalogueEntity, conditions: Iterable[FieldCondition]) -> Filter | None:
    """The conditions as one filter. Raises `ConfigurationError` that says what does not fit."""
    parts = [_part(entity, one) for one in conditions]
    return AllOf(*parts) if parts else None


def _part(entity: CatalogueEntity, condition: FieldCondition) -> Filter:
    known = entity.properties.get(condition.field)
    if known is None:
        raise ConfigurationError(
            f"{entity.entity_set} has no field {condition.field!r}; it has {', '.join(list(entity.properties)[:40])}"
        )
    values = condition.value if isinstance(condition.value, list) else [condition.value]
    match condition.operator:
        case "one_of":
            return OneOf(known.name, tuple(_typed(known, value) for value in values))
        case "contains" | "startswith" | "endswith":
            return Matches(known.name, condition.operator, str(values[0]))
        case _:
            return Compare(known.name, condition.operator, _typed(known, values[0]))


def _typed(known: CatalogueProperty, value: str | float | bool) -> FilterValue:
    """A value in its field's type, so that a date is sent as a date."""
    if known.values:
        return _member(known, str(value))
    try:
        match known.type:
            case "Date":
                return date.fromisoformat(str(value))
            case "DateTimeOffset":
                return datetime.fromisoformat(str(value))
            case "Decimal":
                return Decimal(str(value))
            case "Int32" | "Int64":
                return int(str(value))
            case "Boolean":
                return value if isinstance(value, bool) else str(value).lower() == "true"
            case _:
                return str(value)
    except (ValueError, InvalidOperation) as error:
        raise ConfigurationError(f"{known.name} is {known.type}, and {value!r} is none") from error


def _member(known: CatalogueProperty, value: str) -> str:
    """A member by its encoded name or as people write it: `Credit Memo` or `Credit_x0020_Memo`."""
    for member in known.values:
        if value.casefold() in (member.casefold(), member.replace("_x0020_", " ").casefold().strip()):
            return member
    raise ConfigurationError(f"{known.name} has no value {value!r}; it has {', '.join(known.values)}")
