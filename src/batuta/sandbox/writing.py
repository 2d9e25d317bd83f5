"""Writing: a request body becomes typed values, is checked against the rules, and goes through the behaviour.

    writer = RecordWriter(records, behaviour, quirks)
    row = writer.create(entity, payload, linked={"documentId": order_id})

A body may carry children under their navigation names (deep insert); they are stored after their parent, in the order
of the body. Everything happens in the transaction of the caller.
"""

from collections.abc import Mapping
from typing import Any, Final

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.errors import BadRequestError, SandboxError
from batuta.sandbox.json_values import read_value
from batuta.sandbox.quirks import Quirks
from batuta.sandbox.records import Records
from batuta.sandbox.schema import BoundAction, EdmProperty, EntitySet
from batuta.sandbox.values import Row, Value
from batuta.sandbox.write_rules import WriteRules

MOST_CHILDREN: Final = 1_000
"""Records that one deep insert may store."""
DEEPEST_INSERT: Final = 4


class RecordWriter:
    """Writes of one request in one company."""

    def __init__(self, records: Records, behaviour: Behaviour, quirks: Quirks) -> None:
        self._records = records
        self._behaviour = behaviour
        self._quirks = quirks
        self._rules = WriteRules(records, quirks)
        self._written = 0

    def create(self, entity: EntitySet, payload: Mapping[str, Any], linked: Row, level: int = 1) -> Row:
        """Store a record and its children; the row as it stands when all are there."""
        self._written += 1
        if self._written > MOST_CHILDREN or level > DEEPEST_INSERT:
            raise BadRequestError(f"A deep insert stores at most {MOST_CHILDREN} records on {DEEPEST_INSERT} levels.")
        values, children = self._read(entity, payload)
        row = self._behaviour.create(self._records, entity.name, self._rules.for_insert(entity, values, linked))
        for name, items in children.items():
            self._create_children(entity, row, name, items, level)
        key = self._records.key_of(entity.name, row)
        return self._records.get(entity.name, *key) or row if children else row

    def change(self, entity: EntitySet, row: Row, payload: Mapping[str, Any]) -> Row:
        values, children = self._read(entity, payload)
        if children:
            self._quirks.meet("deep_patch", next(iter(children)))
        return self._behaviour.change(self._records, entity.name, row, self._rules.for_update(entity, row, values))

    def remove(self, entity: EntitySet, row: Row) -> None:
        self._behaviour.remove(self._records, entity.name, row)

    def act(self, entity: EntitySet, action: BoundAction, row: Row, payload: Mapping[str, Any]) -> None:
        """Call a bound action with the parameters of the body."""
        given: dict[str, Value] = {}
        for name, value in payload.items():
            if name not in action.parameters:
                raise BadRequestError(f"The action '{action.name}' has no parameter '{name[:60]}'.")
            given[name] = read_value(_parameter(name, action.parameters[name]), value)
        self._behaviour.act(self._records, entity.name, action.name, row, given)

    def _create_children(self, entity: EntitySet, row: Row, name: str, items: Any, level: int) -> None:
        way = entity.navigation[name]
        target = self._records.store.schema.set(way.target)
        if not way.is_contained or not way.link:
            raise BadRequestError(f"'{name}' cannot be stored together with {entity.type_name}.")
        if "POST" not in target.methods:
            raise SandboxError(
                f"Records of {target.name} cannot be created.", code="BadRequest_MethodNotAllowed", status=405
            )
        listed = items if way.is_many else [items]
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise BadRequestError(f"'{name}' has to be a list of objects.")
        linked = {theirs: row[own] for own, theirs in way.link.items()}
        for each in listed:
            self.create(target, each, linked, level + 1)

    def _read(self, entity: EntitySet, payload: Mapping[str, Any]) -> tuple[Row, dict[str, Any]]:
        """The typed values of a body, and its children by navigation name."""
        values: Row = {}
        children: dict[str, Any] = {}
        for name, given in payload.items():
            if "@" in name:
                continue  # annotations such as @odata.etag, which clients send back
            if name in entity.navigation:
                children[name] = given
            elif name in entity.properties:
                values[name] = self._value(entity.properties[name], given)
            else:
                raise BadRequestError(
                    f"The property '{name[:60]}' does not exist on type 'Microsoft.NAV.{entity.type_name}'."
                )
        return values, children

    def _value(self, prop: EdmProperty, given: Any) -> Value:
        if not prop.is_stored:
            raise BadRequestError(f"The content of '{prop.name}' is sent to its own address, not in the body.")
        return read_value(prop, given)


def _parameter(name: str, kind: str) -> EdmProperty:
    return EdmProperty(name=name, type={"DateTime": "Edm.DateTimeOffset"}.get(kind, f"Edm.{kind}"))
