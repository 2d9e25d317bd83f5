"""What is done with records as they are kept: reading those that are wanted, and sending them on without reading.

    read_stored -> opened      every record as an event
                -> events_in   those of some types or of one turn; the others are not read
                -> wire_of     a record as the socket sends it; wire_of_new: one that was written a moment ago

A record that needs lifting to a newer version, or that is not exactly what its model writes today, is read as an event
first: a caller cannot tell which way it took.
"""

from collections.abc import Collection
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from batuta.events.admission import revive
from batuta.events.envelope import EVENT_TYPES, Event
from batuta.events.log import Page, Record, Stored, StoredPage
from batuta.events.routing import is_internal
from batuta.events.wire import to_wire
from batuta.kernel.ids import SessionId, canonical_id

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
