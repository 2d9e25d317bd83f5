"""Read a session or a trace back from the log: as events, or as the view a user had.

From the log alone: nothing here asks a model, a tool or a clock. Events become a timeline with its sum by
`batuta.observability.timeline`.
"""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, Protocol

from batuta.events.envelope import Event
from batuta.events.fold import fold
from batuta.events.log import PAGE_SIZE, EventLog, Record
from batuta.events.view import SessionView
from batuta.events.wire import Delivered
from batuta.kernel.ids import SessionId


class TracePlace(NamedTuple):
    """Where in the log the events of a trace are."""

    session_id: SessionId
    first_seq: int
    last_seq: int


class TraceIndex(Protocol):
    """Finds the session of a trace; every `ProjectionStore` can."""

    async def trace(self, trace_id: str) -> Sequence[TracePlace]:
        """The places of a trace; none if it is unknown."""
        ...


async def records_of(log: EventLog, session: str, *, after: int = 0, until: int | None = None) -> AsyncIterator[Record]:
    """The records of a session in order, page by page; `until` is the last position wanted."""
    while True:
        page = await log.read(session, after=after, limit=PAGE_SIZE)
        for record in page.records:
            if until is not None and record.seq > until:
                return
            yield record
        if page.is_last:
            return
        after = page.records[-1].seq


async def session_events(log: EventLog, session: str) -> list[Event]:
    """All events of a session, in order."""
    return [record.event async for record in records_of(log, session) if record.event is not None]


async def trace_events(log: EventLog, index: TraceIndex, trace_id: str) -> list[Event]:
    """All events of a trace: session by session as they began, each in order."""
    return [
        record.event
        for place in await index.trace(trace_id)
        async for record in records_of(log, place.session_id, after=place.first_seq - 1, until=place.last_seq)
        if record.event is not None and record.event.trace_id == trace_id
    ]


async def session_view(log: EventLog, session: str) -> SessionView:
    """What the session looks like, made by the same fold as the live view."""
    records = [record async for record in records_of(log, session)]
    return fold(Delivered(record.event, record.epoch) for record in records if record.event is not None)
