"""Phase two: the read models follow the log, on every store."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from batuta.events.conversation import AssistantMessage, Complete, TitleChanged
from batuta.events.envelope import Event
from batuta.events.plans import AgentChanged, AgentIdentity
from batuta.events.runtime import BudgetRefused, LlmResponse, ToolRefused
from batuta.events.tools import ApprovalRequested, ApprovalResolved, ToolRequest, ToolResponse
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.projectors import MAX_FAILURES
from batuta.eventstore.readmodels import READ_MODELS
from batuta.kernel.ids import SessionId, new_id
from batuta.kernel.usage import Usage
from batuta.testing.eventlog import everything, noted, said
from tests.support.stores import Opener, Store

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_turn(session: str) -> list[Event]:
    """A whole turn: asked, thought, two model calls, a tool, an approval answered twice, an end."""
    by: dict[str, Any] = {
        "source_agent_id": "erp",
        "turn_id": new_id(),
        "session_id": session,
        "timestamp": AT,
        "trace_id": "a" * 32,
    }
    call = {"path": "p", "provider": "x", "model": "m", "duration_ms": 5.0}
    approval = {"approval_id": "a1", "tool_use_id": "t1", "tool_name": "pay"}
    return [
        said("pay the invoice", turn_id=by["turn_id"], timestamp=AT),
        LlmResponse(call_id="c1", usage=Usage(input=10, output=4), cost=Decimal("0.0000125"), **call, **by),
        ToolRequest(tool_use_id="t1", tool_name="pay", args={"bc_company_id": "CRONUS", "amount": 7}, **by),
        ToolRequest(tool_use_id="t2", tool_name="transfer_to_rag", **by),
        ApprovalRequested(args={"amount": 7}, reason="money", expires_at=AT + timedelta(days=1), **approval, **by),
        ApprovalResolved(approval_id="a1", decision="approved", by="ana", timestamp=AT),
        ApprovalResolved(approval_id="a1", decision="rejected", by="bob", reason="too late", timestamp=AT),
        ToolResponse(tool_use_id="t1", tool_name="pay", content="paid", success=True, duration_ms=3.5, **by),
        ToolRefused(tool_use_id="t3", tool_name="drop", path="p", reason="not granted", user_id="ana", **by),
        BudgetRefused(scope="user", limit="1", needed="2", left="0", **by),
        LlmResponse(call_id="c2", usage=None, cost=None, success=False, error="busy", **call, **by),
        AgentChanged(
            previous_agent=AgentIdentity(agent_id="erp", agent_name="ERP"),
            current_agent=AgentIdentity(agent_id="rag", agent_name="RAG"),
            **by,
        ),
        AssistantMessage(content="done", model="m", usage=Usage(input=3, output=2, thinking=1), **by),
        TitleChanged(title="Invoices", **by),
        Complete(status="success", **by),
    ]


async def tables(store: Store) -> dict[str, list[Mapping[str, Any]]]:
    """Every read model, row by row."""
    return {table: [dict(row) for row in await store.projections.rows(table)] for table in READ_MODELS}


async def projected(store: Store, session: str) -> dict[str, list[Mapping[str, Any]]]:
    await store.log.append(session, a_turn(session))
    await store.projector.catch_up()
    return await tables(store)


async def test_messages_hold_what_a_user_may_see_and_enough_to_rebuild_it(store: Store) -> None:
    """S-20: internal ones are there and marked, so that a query leaves them out."""
    session = new_id()
    rows = (await projected(store, session))["messages"]
    assert [(row["seq"], row["type"], bool(row["is_internal"])) for row in rows] == [
        (1, "user_message", False),
        (3, "tool_request", False),
        (4, "tool_request", True),
        (5, "approval_requested", False),
        (6, "approval_resolved", False),
        (7, "approval_resolved", False),
        (8, "tool_response", False),
        (13, "assistant_message", False),
        (14, "title_changed", False),
        (15, "complete", False),
    ]
    page = await store.log.read(session)
    bodies = {row["seq"]: row["body"] for row in rows}
    assert bodies[13] == page.events[12].model_dump_json()
    assert (rows[1]["bc_company_id"], rows[7]["thinking_tokens"], rows[7]["agent_id"]) == ("CRONUS", 1, "erp")


async def test_every_model_call_is_counted_once_with_its_cost(store: Store) -> None:
    """I11: unknown usage and cost stay unknown."""
    rows = (await projected(store, new_id()))["usage"]
    assert [(row["call_id"], row["input_tokens"], row["cost_nanos"], bool(row["is_success"])) for row in rows] == [
        ("c1", 10, 12_500, True),
        ("c2", None, None, False),
    ]


async def test_a_tool_execution_is_one_row_from_request_to_answer(store: Store) -> None:
    rows = (await projected(store, new_id()))["tool_executions"]
    assert [(row["tool_use_id"], row["status"], row["requested_seq"], row["completed_seq"]) for row in rows] == [
        ("t1", "succeeded", 3, 8),
        ("t2", "requested", 4, None),
        ("t3", "refused", None, 9),
    ]
    assert (rows[0]["result"], rows[0]["duration_ms"]) == ("paid", 3.5)


async def test_the_first_decision_about_an_approval_counts(store: Store) -> None:
    """O-30: each answer counts once, however often it is sent."""
    (row,) = (await projected(store, new_id()))["approvals"]
    assert (row["status"], row["decided_by"], row["decision_reason"], row["resolved_seq"]) == (
        "approved",
        "ana",
        None,
        6,
    )


async def test_the_first_decision_counts_also_when_the_second_comes_later(store: Store) -> None:
    session = new_id()
    await projected(store, session)
    await store.log.append(session, [ApprovalResolved(approval_id="a1", decision="rejected", by="eve")])
    await store.projector.catch_up()
    (row,) = await store.projections.rows("approvals")
    assert row["decided_by"] == "ana"


async def test_a_session_is_summed_up_in_one_row(store: Store) -> None:
    (row,) = (await projected(store, new_id()))["sessions"]
    assert {name: row[name] for name in ("last_seq", "title", "status", "active_agent", "message_count")} == {
        "last_seq": 15,
        "title": "Invoices",
        "status": "success",
        "active_agent": "rag",
        "message_count": 2,
    }
    assert (row["llm_calls"], row["input_tokens"], row["cost_nanos"], row["unpriced_calls"]) == (2, 10, 12_500, 1)


async def test_se38_the_audit_trail_names_who_did_what(store: Store) -> None:
    """SE-38."""
    rows = (await projected(store, new_id()))["audit"]
    assert [(row["action"], row["actor"], row["target"]) for row in rows if row["action"] != "turn.completed"] == [
        ("tool.requested", "erp", "pay"),
        ("tool.requested", "erp", "transfer_to_rag"),
        ("approval.requested", "erp", "pay"),
        ("approval.resolved", "ana", "a1"),
        ("approval.resolved", "bob", "a1"),
        ("tool.refused", "ana", "drop"),
        ("budget.refused", "erp", "user"),
    ]


async def test_a_trace_knows_where_its_events_are(store: Store) -> None:
    session = new_id()
    (row,) = (await projected(store, session))["traces"]
    assert (row["trace_id"], row["session_id"], row["first_seq"], row["last_seq"]) == ("a" * 32, session, 2, 15)


async def test_read_models_rebuilt_from_zero_are_the_same(store: Store) -> None:
    """S-2."""
    for session in (new_id(), new_id()):
        await store.log.append(session, a_turn(session))
        await store.projector.catch_up()
        await store.log.append(session, a_turn(session))
    await store.projector.catch_up()
    before = await tables(store)
    assert all(before.values())
    assert await store.projector.rebuild() == 60
    assert await tables(store) == before


async def test_writers_that_never_stop_hold_nobody_who_rebuilds(store: Store) -> None:
    """What the log held at the beginning is in the read models; what came since is left to who works all the time."""
    sessions = [new_id() for _ in range(3)]
    for session in sessions:
        await store.log.append(session, a_turn(session))

    async def write(session: str) -> None:
        while True:
            await store.log.append(session, a_turn(session))
            await asyncio.sleep(0)

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        writers = [group.create_task(write(session)) for session in sessions * 2]
        heads = {session: (await store.log.head(session)).last_seq for session in sessions}
        passed = await store.projector.rebuild()
        await store.projector.catch_up()
        for writer in writers:
            writer.cancel()
    assert passed >= 15 * len(sessions)
    for session, head in heads.items():
        (row,) = await store.projections.rows("sessions", SessionId(session))
        assert row["last_seq"] >= head


async def test_a_long_log_is_projected_to_its_end(store: Store) -> None:
    """Also where a session holds more than is projected at once, and there are more sessions than that."""
    long, others = new_id(), [new_id() for _ in range(70)]
    for _ in range(70):
        await store.log.append(long, a_turn(long))
    for session in others:
        await store.log.append(session, [said("hello")])
    assert await store.projector.rebuild() == 70 * 15 + 70
    assert await store.projector.catch_up() == 0


async def test_one_session_can_be_rebuilt_alone(store: Store) -> None:
    one, other = new_id(), new_id()
    await projected(store, one)
    before = await projected(store, other)
    assert await store.projector.rebuild([one.lower()]) == 15
    assert await tables(store) == before


async def test_or03_projecting_in_any_portions_gives_the_same_rows(store: Store) -> None:
    """OR-03: the size of a step, and steps that find nothing, leave no trace."""
    session = SessionId(new_id())
    events = a_turn(session)
    await store.log.append(session, events)
    await store.projector.catch_up()
    whole = await tables(store)
    await store.projections.reset()
    for portion in (1, 1, 4, 2, 50, 50):
        await store.projections.project([session], max_events=portion)
    assert await tables(store) == whole


async def test_two_projectors_share_the_work_without_doubling_it(opener: Opener) -> None:
    """Counters would show an event that was applied twice."""
    async with opener() as one, opener() as other:
        sessions = [new_id() for _ in range(6)]
        for session in sessions:
            await one.log.append(session, a_turn(session))
        await asyncio.gather(*(store.projector.catch_up() for store in (one, other) * 3))
        await one.projector.catch_up()
        rows = await one.projections.rows("sessions")
        assert [row["llm_calls"] for row in rows] == [2] * 6


async def test_ft22_a_session_that_fails_delays_no_other_and_ends_in_the_dead_letters(store: Store) -> None:
    """FT-22: after five deliveries, with an alarm, and the session goes on behind the bad event."""
    bad, good = new_id(), new_id()
    too_many = LlmResponse(
        call_id="c", path="p", provider="x", model="m", duration_ms=1.0, usage=Usage(input=2**70, output=0)
    )
    await store.log.append(bad, [said("before")])
    await store.log.append(bad, [_poison(store, too_many)])
    await store.log.append(bad, [said("after")])
    await store.log.append(good, [said("fine")])
    await _spoil(store, bad)
    await store.projector.run_once()
    assert [row["content"] for row in await store.projections.rows("messages", SessionId(good))] == ["fine"]
    await store.projector.ensure(bad, 3)
    assert [row["content"] for row in await store.projections.rows("messages", SessionId(bad))] == ["before", "after"]
    (letter,) = await store.projections.dead_letters(10)
    assert (letter.session_id, letter.seq, letter.failures) == (bad, 2, MAX_FAILURES)
    assert [alarm.kind for alarm in store.alarms] == ["dead_letter"]


async def test_bi05_text_with_the_character_nul_is_projected(store: Store) -> None:
    """BI-05: a model's answer or a tool's result may hold it; the log keeps it as it is, rows everywhere alike."""
    session = new_id()
    call = ToolRequest(tool_use_id="call\x001", tool_name="book", source_agent_id="clerk")
    await store.log.append(session, [said("before\x00after"), call])
    await store.projector.catch_up()
    (ran,) = await store.projections.rows("tool_executions", SessionId(session))
    assert ran["tool_use_id"] == "call\ufffd1"
    rows = await store.projections.rows("messages", SessionId(session))
    assert rows[0]["content"] == "before\ufffdafter"
    assert await store.projections.dead_letters(10) == []
    record = (await everything(store.log, session))[0]
    assert getattr(record.event, "content", None) == "before\x00after"


async def test_a_failing_session_rests_before_it_is_tried_again(store: Store) -> None:
    session = new_id()
    await store.log.append(session, [said("bad")])
    await store.projections.reset()
    await store.projections.failed(SessionId(session), pause=timedelta(hours=1))
    assert await store.projections.due(10) == []
    assert await store.projector.run_once() == 0
    await store.projections.failed(SessionId(session), pause=timedelta())
    assert await store.projections.due(10) == [session]


async def test_lag_is_nothing_when_all_is_projected(store: Store) -> None:
    """T-23: log-to-database lag."""
    await projected(store, new_id())
    assert await store.projections.lag() == timedelta()


async def test_lag_grows_while_something_waits(store: Store) -> None:
    if isinstance(store.log, MemoryEventLog):
        assert await store.projections.lag() == timedelta()
        return
    await store.log.append(new_id(), [noted("a")])
    await store.settle()
    await store.projections.reset()
    assert await store.projections.lag() > timedelta()


@pytest.mark.parametrize("table", ["message_events", "turns; DROP TABLE turns", ""])
async def test_se14_only_read_models_can_be_asked_for(store: Store, table: str) -> None:
    """SE-14."""
    if isinstance(store.log, MemoryEventLog):
        assert await store.projections.rows(table) == []
        return
    with pytest.raises(ValueError, match="no read model"):
        await store.projections.rows(table)


def _poison(store: Store, too_many: Event) -> Event:
    """An event the log takes and the read models cannot: a number no database column holds. Memory holds any."""
    return said("spoilt") if isinstance(store.log, MemoryEventLog) else too_many


async def _spoil(store: Store, session: str) -> None:
    """In memory every number fits; there the stored text is damaged instead."""
    if isinstance(store.log, MemoryEventLog):
        store.log.store.sessions[SessionId(session)].rows[1].payload = "{"
