"""Keys of records: as text that a person, a row or an address can carry, and as the part of an address in parentheses.

    key of one property     42, ALFKI, 5d115c9c-…      -> (42), ('ALFKI'), (5d115c9c-…)
    key of several          OrderID=1,ProductID=2      -> (OrderID=1,ProductID=2)

Texts come from models and people: each part is checked against the type of its property and written as that type.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from batuta.connectors.odata.filters import typed_literal
from batuta.connectors.odata.metadata import EntityType
from batuta.kernel.errors import ConfigurationError

MAX_KEY_CHARS = 400
_PART = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>'(?:[^']|'')*'|[^,']*)(?:,|$)")


def key_text(entity: EntityType, row: Mapping[str, Any]) -> str:
    """The key of a record as text; empty where the row does not hold it."""
    if not entity.key or any(row.get(name) is None for name in entity.key):
        return ""
    if len(entity.key) == 1:
        return _plain(row[entity.key[0]])
    return ",".join(f"{name}={_part_text(entity, name, row[name])}" for name in entity.key)


def key_predicate(entity: EntityType, record_id: str) -> str:
    """A key for an address. Raises `ConfigurationError` for a text that is no key of this entity."""
    if not record_id or len(record_id) > MAX_KEY_CHARS or not entity.key:
        raise ConfigurationError(f"{record_id[:60]!r} is no key of {entity.entity_set}")
    if len(entity.key) == 1:
        return quote(f"({_literal(entity, entity.key[0], record_id)})", safe="()'-:,=")
    values = _values(entity, record_id)
    parts = ",".join(f"{name}={_literal(entity, name, values[name])}" for name in entity.key)
    return quote(f"({parts})", safe="()'-:,=")


def _values(entity: EntityType, record_id: str) -> dict[str, str]:
    values: dict[str, str] = {}
    place = 0
    while place < len(record_id):
        found = _PART.match(record_id, place)
        if found is None or found["name"] in values:
            break
        value = found["value"]
        values[found["name"]] = value[1:-1].replace("''", "'") if value.startswith("'") else value
        place = found.end()
    if place < len(record_id) or set(values) != set(entity.key):
        form = ",".join(f"{name}=…" for name in entity.key)
        raise ConfigurationError(f"{record_id[:60]!r} is no key of {entity.entity_set}; it has the form {form}")
    return values


def _literal(entity: EntityType, name: str, text: str) -> str:
    return typed_literal(text, entity.properties[name].type)


def _part_text(entity: EntityType, name: str, value: Any) -> str:
    is_text = entity.properties[name].type == "Edm.String"
    return "'" + str(value).replace("'", "''") + "'" if is_text else _plain(value)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
