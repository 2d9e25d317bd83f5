"""Read a session or a trace back from the log: as events, as the view a user had, as a timeline with its sum.

From the log alone: nothing here asks a model, a tool or a clock.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple, Protocol

from batuta.events.conversation import AssistantMessage, Thinking
from batuta.events.envelope import Event
from batuta.events.fold import fold
from batuta.events.log import PAGE_SIZE, EventLog, Record
from batuta.events.runtime import LlmResponse
from batuta.events.telemetry import AgentExecutionStarted, is_retry
from batuta.events.view import SessionView
from batuta.events.wire import Delivered
from batuta.kernel.ids import SessionId
from batuta.kernel.usage import NO_USAGE, Usage, add_costs

ERRORS = frozenset({"error", "agent.execution.failed"})


class TracePlace(NamedTuple):
    """Where in the log the events of a trace are."""

    session_id: SessionId
    first_seq: int
    last_seq: int


class TraceIndex(Protocol):
    """Whoever knows where traces are; every `ProjectionStore` does."""

    async def trace(self, trace_id: str) -> Sequence[TracePlace]:
        """The places of a trace; none if it is unknown."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a timeline."""

    at: datetime
    offset: timedelta
    """Since the first event."""
    session_id: str | None
    seq: int | None
    type: str
    agent: str | None
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What an execution came to. Cost is `None` where a call's price is unknown."""

    total_events: int
    agents_executed: tuple[str, ...]
    total_time: timedelta
    errors: int
    retries: int
    llm_calls: int
    usage: Usage
    cost: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """An execution, line by line, and its sum."""

    entries: tuple[Entry, ...]
    summary: Summary


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


def timeline(events: Iterable[Event]) -> Timeline:
    """The events as lines with their distance from the first, and their sum (T-25). Order is the log's, not time's."""
    told = list(events)
    start = min((event.timestamp for event in told), default=None)
    entries = tuple(_entry(event, start) for event in told if start is not None)
    return Timeline(entries=entries, summary=summary(told))


def summary(events: Sequence[Event]) -> Summary:
    """What the events come to."""
    times = [event.timestamp for event in events]
    calls = [event for event in events if isinstance(event, LlmResponse)]
    answered = [call for call in calls if call.success]
    spent = _spent(answered or [event for event in events if isinstance(event, (AssistantMessage, Thinking))])
    return Summary(
        total_events=len(events),
        agents_executed=_agents(events),
        total_time=max(times) - min(times) if times else timedelta(),
        errors=sum(event.type in ERRORS for event in events),
        retries=sum(map(is_retry, events)),
        llm_calls=len(calls),
        usage=spent[0],
        cost=spent[1],
    )


def _entry(event: Event, start: datetime) -> Entry:
    return Entry(
        at=event.timestamp,
        offset=event.timestamp - start,
        session_id=event.session_id,
        seq=event.sequence_number,
        type=event.type,
        agent=_agent(event),
        event=event,
    )


def _agents(events: Sequence[Event]) -> tuple[str, ...]:
    """In the order they began; where no execution was told, those who said something."""
    begun = [event.agent_name for event in events if isinstance(event, AgentExecutionStarted)]
    spoke = [event.source_agent_id for event in events if event.source_agent_id is not None]
    return tuple(dict.fromkeys(begun or spoke))


def _agent(event: Event) -> str | None:
    return event.source_agent_id or getattr(event, "agent_name", None)


def _spent(calls: Sequence[LlmResponse | AssistantMessage | Thinking]) -> tuple[Usage, Decimal | None]:
    usage, cost = NO_USAGE, Decimal(0) if calls else None
    for call in calls:
        usage += call.usage or NO_USAGE
        cost = add_costs(cost, call.cost)
    return usage, cost
