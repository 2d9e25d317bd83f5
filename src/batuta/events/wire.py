"""The forms an event takes outside: on the socket, under its name in the log, and in the telemetry contract.

    event -> to_wire -> socket -> from_wire -> Delivered(event, epoch, previous_sequence)

    read_stored -> opened      every record as an event
                -> events_in   those of some types or of one turn; the others are not read
                -> wire_of     a record as the socket sends it; wire_of_new: one that was written a moment ago

A record that needs lifting to a newer version, or that is not exactly what its model writes today, is read as an event
first: a caller cannot tell which way it took.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, from_json, to_json

from batuta.events.admission import revive
from batuta.events.catalogue import decode_any, encode
from batuta.events.envelope import EVENT_TYPES, Event
from batuta.events.log import Page, Record, Stored, StoredPage
from batuta.events.routing import BY_STORE, BY_WIRE, ROUTES, Persistence, is_internal
from batuta.events.telemetry import CONTRACT_VERSION
from batuta.kernel.errors import EventRefusedError, UndecodableEventError
from batuta.kernel.ids import SessionId, canonical_id

_DELIVERY_FIELDS = ("epoch", "previous_sequence")


@dataclass(frozen=True, slots=True)
class Delivered:
    """An event as one audience was given it: with the epoch of the log and the number of the one given before."""

    event: Event
    epoch: int
    previous_sequence: int | None = None


def to_wire(event: Event, *, epoch: int, previous_sequence: int | None) -> dict[str, Any]:
    """An event as the socket sends it, under its wire name. Raises `EventRefusedError` for what users may not see."""
    if not event.is_visible:
        raise EventRefusedError(f"a {event.type!r} event is internal and never sent; leave it out of the delivery")
    fields = event.model_dump(mode="json")
    return fields | {"type": _wire_name(event), "epoch": epoch, "previous_sequence": previous_sequence}


def to_wire_json(event: Event, *, epoch: int, previous_sequence: int | None) -> str:
    """The same as JSON, several times as fast: the fields of an event are written once and never held."""
    opening = f'{{"type":"{event.type}",'
    try:
        own = encode(event).decode()
    except PydanticSerializationError:  # half a character, as a stream may cut it
        own = ""
    if not event.is_visible or not own.startswith(opening):
        return json.dumps(to_wire(event, epoch=epoch, previous_sequence=previous_sequence), separators=(",", ":"))
    previous = "null" if previous_sequence is None else previous_sequence
    rest = own[len(opening) : -1]
    return f'{{"type":"{_wire_name(event)}",{rest},"epoch":{epoch},"previous_sequence":{previous}}}'


def from_wire(fields: Mapping[str, Any]) -> Delivered:
    """A delivered event read back; an unknown type becomes an `UnknownEvent`."""
    try:
        epoch, previous = fields["epoch"], fields["previous_sequence"]
    except KeyError as error:
        raise UndecodableEventError(f"a delivered event carries no {error.args[0]!r}") from error
    own = {name: value for name, value in fields.items() if name not in _DELIVERY_FIELDS}
    route = BY_WIRE.get(str(own.get("type")))
    return Delivered(decode_any(own | {"type": route.type} if route else own), epoch, previous)


def _wire_name(event: Event) -> str:
    route = ROUTES.get(event.type)
    return event.type if route is None or route.wire is None else route.wire


def store_name(event_type: str) -> str:
    """The name of an event type in the log. Raises `EventRefusedError` for what is never stored."""
    route = ROUTES.get(event_type)
    if route is None or route.persistence is Persistence.TRANSIENT or route.store is None:
        raise EventRefusedError(f"{event_type!r} has no name in the log: it is never stored")
    return route.store


def canonical_of_store(name: str) -> str:
    """The event type behind a name in the log; a name the table does not hold stands for itself."""
    route = BY_STORE.get(name)
    return name if route is None else route.type


def to_contract(event: Event) -> dict[str, Any]:
    """An event in the spelling of the telemetry contract: prefixed ids, `event_type`, `event_version`."""
    fields = event.model_dump(mode="json")
    payload = {name: value for name, value in fields.items() if name not in Event.model_fields}
    head = {
        "event_id": fields["event_id"],
        "event_type": event.type,
        "event_version": CONTRACT_VERSION,
        "timestamp": fields["timestamp"],
        "trace_id": event.trace_id,
        "request_id": event.correlation_id,
    }
    present = {name: value for name, value in head.items() if value is not None}
    return {name: _contract_value(name, value) for name, value in (present | payload).items()}


_CONTRACT_SPELLING: dict[str, Callable[[Any], Any]] = {
    "event_id": lambda value: _prefixed("evt_", value),
    "trace_id": lambda value: _prefixed("trc_", value),
    "parent_trace_id": lambda value: _prefixed("trc_", value),
    "request_id": lambda value: _prefixed("req_", value),
    "decision_id": lambda value: _prefixed("dec_", value),
    "llm_cost_usd": float,
}


def _contract_value(name: str, value: Any) -> Any:
    spell = _CONTRACT_SPELLING.get(name)
    return value if spell is None or value is None else spell(value)


def _prefixed(prefix: str, value: str) -> str:
    return value if value.startswith(prefix) else prefix + value


_OPENING = '{"type":"'
"""How the JSON of every event begins that this program wrote."""
_NO_POSITION = '"sequence_number":null,'


def opened(page: StoredPage) -> Page:
    """The page with every record read. Raises `UndecodableEventError` for the first that cannot be."""
    records = tuple([Record(record.epoch, record.seq, _revived(page, record)) for record in page.records])
    return Page(records=records, head=page.head)


def events_in(page: StoredPage, *, types: Collection[str], turn_id: str) -> list[Event]:
    """The events of these types, and all events of a turn. What is neither is not read."""
    turn = canonical_id(turn_id)
    wanted = [record for record in page.records if _may_be(record.payload, types, turn)]
    events = [event for record in wanted if (event := _revived(page, record)) is not None]
    return [event for event in events if event.type in types or event.turn_id == turn]


def wire_of(session_id: SessionId, record: Stored, *, epoch: int, previous_sequence: int | None) -> bytes | None:
    """A record as JSON in the form of `to_wire`; nothing if it was erased or users may not see it.

    Raises `UndecodableEventError` for what `EventLog.read` could not read.
    """
    if record.payload is None:
        return None
    fields = _plain_fields(session_id, record)
    if fields is None:
        event = revive(session_id, record.seq, record.event_id, record.payload)
        sent = to_wire(event, epoch=epoch, previous_sequence=previous_sequence) if event.is_visible else None
        return None if sent is None else to_json(sent)
    if is_internal(fields["type"], tool_name=fields.get("tool_name"), is_marked=fields["is_internal"]):
        return None
    fields["type"] = EVENT_TYPES[fields["type"]].route.wire or fields["type"]
    fields |= {"sequence_number": record.seq, "epoch": epoch, "previous_sequence": previous_sequence}
    return to_json(fields)


def with_position(payload: str, seq: int) -> str | None:
    """The JSON of an event that its model has just written, at a position; nothing if it holds no place for one.

    Everything before the position is a single value, and within a text every quote is escaped: what is found first is
    the position of the event.
    """
    head, position, rest = payload.partition(_NO_POSITION)
    return f'{head}"sequence_number":{seq},{rest}' if position else None


def wire_of_new(event: Event, payload: str, *, seq: int, epoch: int, previous_sequence: int | None) -> str | None:
    """The JSON of an event that its model has just written, in the form of `to_wire`; nothing if it has to be read.

    Only what is not kept is put in. Everything before the position is a single value, and within a text every quote is
    escaped: what is found first is the position of the event.
    """
    opening = f'{_OPENING}{event.type}",'
    head, position, rest = payload.partition(_NO_POSITION)
    if not (position and head.startswith(opening) and rest.endswith("}")):
        return None
    wire, previous = event.route.wire or event.type, "null" if previous_sequence is None else previous_sequence
    return (
        f'{_OPENING}{wire}",{head[len(opening) :]}"sequence_number":{seq},{rest[:-1]}'
        f',"epoch":{epoch},"previous_sequence":{previous}}}'
    )


def _revived(page: StoredPage, record: Stored) -> Event | None:
    if record.payload is None:
        return None
    return revive(page.session_id, record.seq, record.event_id, record.payload)


def _may_be(payload: str | bytes | None, types: Collection[str], turn: str) -> bool:
    """Whether a record has to be read to know. Ids are kept in upper case, and no character of them is ever escaped.

    What does not look like our JSON is read, so that a damaged record is noticed and not passed over.
    """
    if payload is None:
        return False
    text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else payload
    if not (text.startswith(_OPENING) and text.endswith("}")):
        return True
    return turn in text or text[len(_OPENING) : text.index('"', len(_OPENING))] in types


def _plain_fields(session_id: SessionId, record: Stored) -> dict[str, Any] | None:
    """The fields of a record that is exactly what its model writes today; nothing for any other."""
    assert record.payload is not None
    fields = _fields_of(record.payload)
    model = EVENT_TYPES.get(str(fields.get("type")))
    if model is None or fields.keys() != model.model_fields.keys() or fields["version"] != model.route.version:
        return None
    if (fields["event_id"], fields["session_id"]) != (record.event_id, session_id):
        return None
    return None if any(fields[name] for name in _composite(model)) else fields


def _fields_of(payload: str | bytes) -> dict[str, Any]:
    """The JSON object; an empty one for anything else, which fails when it is read as an event."""
    try:
        fields = from_json(payload)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


@cache
def _composite(model: type[Event]) -> tuple[str, ...]:
    """The fields that hold models of their own: these may have changed while the version of the event did not."""
    return tuple(name for name, field in model.model_fields.items() if _holds_model(field.annotation))


def _holds_model(annotation: Any) -> bool:
    if isinstance(annotation, type):
        return issubclass(annotation, BaseModel) or is_dataclass(annotation)
    return any(map(_holds_model, get_args(annotation)))
