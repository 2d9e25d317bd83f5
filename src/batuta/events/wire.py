"""The forms an event takes outside: on the socket, under its name in the log, and in the telemetry contract.

event -> to_wire -> socket -> from_wire -> Delivered(event, epoch, previous_sequence)
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticSerializationError

from batuta.events.catalogue import decode_any, encode
from batuta.events.envelope import Event
from batuta.events.routing import BY_STORE, BY_WIRE, ROUTES, Persistence
from batuta.events.telemetry import CONTRACT_VERSION
from batuta.kernel.errors import EventRefusedError, UndecodableEventError

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
