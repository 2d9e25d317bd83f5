"""The gate of the log: what may enter, in which form, and the way back from the stored form to an event.

Every backend uses it, so that all of them refuse the same things with the same words.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from pydantic_core import from_json

from batuta.events.catalogue import decode
from batuta.events.envelope import EVENT_TYPES, Event
from batuta.events.recording import ensure_attributed
from batuta.events.routing import ROUTES, Persistence
from batuta.kernel.errors import (
    EventRefusedError,
    EventTooLargeError,
    UndecodableEventError,
    UnknownEventTypeError,
)
from batuta.kernel.ids import SessionId, canonical_id, is_uuid, session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the gate lets through."""

    event_bytes: int = 1_048_576
    batch_events: int = 1_000
    client_key_chars: int = 255


class Admitted(NamedTuple):
    """One event in its stored form."""

    event_id: str
    type: str
    timestamp: datetime
    payload: str


class Batch(NamedTuple):
    """Events that are stored together or not at all."""

    session_id: SessionId
    events: tuple[Event, ...]
    entries: tuple[Admitted, ...]
    fence: int | None = None
    client_key: str | None = None
    content: bytes = b""
    """Digest of what the events say, without who, when and which id; only of a batch with a client key."""

    @property
    def event_ids(self) -> tuple[str, ...]:
        """The ids of its events, in order."""
        return tuple(entry.event_id for entry in self.entries)


DEFAULT_LIMITS = Limits()

ENVELOPE_OF_A_MESSAGE = frozenset(Event.model_fields) - {"type", "source_agent_id"}
"""Fields that differ between two deliveries of the same message."""

_TRANSIENT = Persistence.TRANSIENT

_BRACKETS_WORTH_A_LOOK = 150
"""The JSON reader gives up at 200 levels; fewer brackets than this cannot reach them."""


def admit(
    session: str,
    events: Sequence[Event],
    *,
    fence: int | None = None,
    client_key: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Batch:
    """The batch in its stored form. Raises `EventRefusedError` or one of its kinds; then nothing may be stored."""
    owner = session_id(session)
    _check_size_of_batch(events, client_key, limits)
    normalised = [_normalised(owner, event) for event in events]
    entries = [_stored_form(event, limits) for event in normalised]
    if len(entries) > 1 and len({entry.event_id for entry in entries}) != len(entries):
        raise EventRefusedError("two events of one batch have the same id")
    content = content_digest(events) if client_key is not None else b""
    return Batch(owner, tuple(normalised), tuple(entries), fence, client_key, content)


def admit_one(owner: SessionId, event: Event, limits: Limits = DEFAULT_LIMITS) -> tuple[Event, Admitted]:
    """One event as it may join a batch of its session, and its stored form. Raises as `admit`."""
    normalised = _normalised(owner, event)
    return normalised, _stored_form(normalised, limits)


def revive(owner: str, seq: int, event_id: str, payload: str | bytes) -> Event:
    """The event of a stored record, with its position. Raises `UndecodableEventError` with that position."""
    try:
        fields = from_json(payload)
        if not isinstance(fields, dict):
            raise TypeError(f"a JSON object is expected, not {type(fields).__name__}")  # noqa: TRY301 - reported with its place
        event = decode({**fields, "sequence_number": seq})
    except (UndecodableEventError, UnknownEventTypeError, ValueError, TypeError) as error:
        raise UndecodableEventError(f"session {owner} position {seq} cannot be read: {error}") from error
    if (event.event_id, event.session_id) != (event_id, owner):
        raise UndecodableEventError(
            f"session {owner} position {seq} cannot be read: it was stored as event {event_id} of this session, "
            f"its content says event {event.event_id} of session {event.session_id}"
        )
    return event


def content_digest(events: Sequence[Event]) -> bytes:
    """What the events say, as a digest: equal for two deliveries of one message."""
    digest = hashlib.sha256()
    for event in events:
        digest.update(event.__pydantic_serializer__.to_json(event, exclude=set(ENVELOPE_OF_A_MESSAGE)))
        digest.update(b"\n")
    return digest.digest()


def _check_size_of_batch(events: Sequence[Event], client_key: str | None, limits: Limits) -> None:
    if not events:
        raise EventRefusedError("a batch holds at least one event")
    if len(events) > limits.batch_events:
        raise EventTooLargeError(f"a batch of {len(events)} events; the log takes {limits.batch_events} at once")
    if client_key is not None and not (
        0 < len(client_key) <= limits.client_key_chars
        and client_key.isprintable()
        and not any("\ud800" <= character <= "\udfff" for character in client_key)
    ):
        raise EventRefusedError(
            f"a client key has 1 to {limits.client_key_chars} printable characters, got {client_key[:20]!r}"
        )


_is_canonical = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\Z").match


def _stored_form(event: Event, limits: Limits) -> Admitted:
    try:
        payload = event.__pydantic_serializer__.to_json(event)
        if payload.count(b"{") + payload.count(b"[") >= _BRACKETS_WORTH_A_LOOK:
            from_json(payload)
    except (ValueError, RecursionError) as error:
        raise EventRefusedError(f"a {event.type!r} event cannot be kept as JSON: {error}") from error
    if len(payload) > limits.event_bytes:
        raise EventTooLargeError(
            f"a {event.type!r} event of {len(payload)} bytes; the limit is {limits.event_bytes}: "
            "store large content as a file and refer to it"
        )
    return Admitted(event.event_id, event.type, event.timestamp, payload.decode())


_admissible: dict[type[Event], bool] = {}
"""Whether events of a class need an agent to attribute them to: of classes of which some event may be stored."""


def _check_kind(event: Event) -> None:
    """Raises if it may not be stored. If it may, nothing but what differs between two of its class is asked again."""
    if event.type not in ROUTES or event.type not in EVENT_TYPES:
        raise UnknownEventTypeError(f"the catalogue has no event type {event.type!r}: add its row and its model first")
    ensure_attributed(event)
    if _TRANSIENT in (event.route.persistence, event.persistence):
        raise EventRefusedError(f"{event.type!r} is transient: it is shown, never stored")
    if type(event) is EVENT_TYPES[event.type]:
        _admissible[type(event)] = event.route.needs_attribution


def _normalised(owner: SessionId, event: Event) -> Event:
    """Ids as they are kept, the session filled in, and no position: only the log gives one."""
    needs_attribution = _admissible.get(type(event))
    if needs_attribution is None or (needs_attribution and not event.source_agent_id) or event.is_transient:
        _check_kind(event)
    if event.session_id == owner and event.sequence_number is None and _is_canonical(event.event_id):
        return event
    named = canonical_id(event.session_id) if event.session_id is not None else owner
    if named != owner:
        raise EventRefusedError(f"event {event.event_id} belongs to session {named}, not to {owner}")
    event_id = canonical_id(event.event_id)
    if not is_uuid(event_id):
        raise EventRefusedError(f"an event id is a UUID, got {event.event_id!r}")
    wanted = {"event_id": event_id, "session_id": owner, "sequence_number": None}
    changes = {name: value for name, value in wanted.items() if getattr(event, name) != value}
    return event.model_copy(update=changes) if changes else event
