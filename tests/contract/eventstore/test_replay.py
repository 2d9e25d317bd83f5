"""Sessions and traces read back from the log, on every store."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from batuta.events.conversation import AssistantMessage, ErrorOccurred
from batuta.events.envelope import Event
from batuta.events.fold import fold
from batuta.events.runtime import LlmResponse
from batuta.events.telemetry import AgentExecutionStarted, AgentRetryAttempted
from batuta.eventstore.replay import records_of, session_events, session_view, trace_events
from batuta.kernel.ids import new_id
from batuta.kernel.usage import Usage
from batuta.testing.eventlog import noted, said
from tests.support.stores import Store

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
TRACE = "b" * 32


def after(seconds: float, **more: Any) -> dict[str, Any]:
    return {"timestamp": AT + timedelta(seconds=seconds), "trace_id": TRACE, **more}


def call(number: int, cost: str | None, **envelope: Any) -> LlmResponse:
    price = None if cost is None else Decimal(cost)
    return LlmResponse(
        call_id=f"c{number}",
        path="p",
        provider="x",
        model="m",
        duration_ms=1,
        usage=Usage(input=10, output=number),
        cost=price,
        **envelope,
    )


def an_execution() -> list[Event]:
    return [
        said("how many?", **after(0)),
        AgentExecutionStarted(
            agent_name="counter", agent_version="1", input_type="str", input_summary="", input_size_bytes=1, **after(1)
        ),
        call(1, "0.001", **after(2)),
        AgentRetryAttempted(
            agent_name="counter",
            retry_attempt=1,
            original_error="no number",
            retry_reason="error",
            retry_strategy="fixed_delay",
            delay_seconds=0,
            next_retry_at=AT,
            **after(3),
        ),
        call(2, "0.002", **after(4)),
        AssistantMessage(content="seven", source_agent_id="counter", **after(4.5)),
        ErrorOccurred(code="X", message="late", category="transient", **after(5)),
    ]


async def test_a_session_is_read_back_in_order_however_many_pages_it_takes(store: Store) -> None:
    session = new_id()
    for start in range(0, 1200, 400):
        await store.log.append(session, [noted(str(number)) for number in range(start, start + 400)])
    events = await session_events(store.log, session)
    assert [event.sequence_number for event in events] == list(range(1, 1201))


async def test_a_range_of_a_session_ends_where_it_should(store: Store) -> None:
    session = new_id()
    await store.log.append(session, [noted(str(number)) for number in range(6)])
    assert [record.seq async for record in records_of(store.log, session, after=2, until=4)] == [3, 4]


async def test_a_trace_is_found_among_other_events_of_its_session(store: Store) -> None:
    session = new_id()
    await store.log.append(session, [noted("other", trace_id="c" * 32)])
    await store.log.append(session, an_execution()[:3])
    await store.log.append(session, [noted("between", trace_id="c" * 32)])
    await store.log.append(session, an_execution()[3:])
    await store.projector.catch_up()
    found = await trace_events(store.log, store.projections, TRACE)
    assert [event.sequence_number for event in found] == [2, 3, 4, 6, 7, 8, 9]


async def test_an_unknown_trace_has_no_events(store: Store) -> None:
    assert await trace_events(store.log, store.projections, "d" * 32) == []


async def test_the_view_of_a_session_is_that_of_the_fold(store: Store) -> None:
    """E-20: reloaded = live."""
    session = new_id()
    await store.log.append(session, an_execution())
    view = await session_view(store.log, session)
    assert view.turns == fold(await session_events(store.log, session)).turns
    assert view.epoch == 1
