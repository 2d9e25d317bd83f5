"""The forms of an event outside: socket, log name, telemetry contract."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from batuta.events import (
    ROUTES,
    AgentDecisionRecorded,
    AgentExecutionCompleted,
    AgentExecutionStarted,
    AssistantMessage,
    Audience,
    ContentDelta,
    Event,
    ToolRequest,
)
from batuta.events.envelope import EVENT_TYPES, UnknownEvent
from batuta.events.wire import canonical_of_store, from_wire, store_name, to_contract, to_wire, to_wire_json
from batuta.kernel.errors import EventRefusedError, UndecodableEventError
from tests.unit.events.strategies import events
from tools.internals import INTERNAL_EVENTS

EXTERNAL = [route.type for route in ROUTES.values() if route.audience is Audience.EXTERNAL]
VISIBLE = (
    st.sampled_from(EXTERNAL).flatmap(lambda name: events(EVENT_TYPES[name])).filter(lambda event: event.is_visible)
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VISIBLE, st.integers(0, 9), st.none() | st.integers(1, 99))
def test_a_delivered_event_is_read_back_as_it_was_sent(event: Event, epoch: int, previous: int | None) -> None:
    sent = to_wire(event, epoch=epoch, previous_sequence=previous)
    received = from_wire(sent)
    assert sent["type"] == event.route.wire
    assert (received.event, received.epoch, received.previous_sequence) == (event, epoch, previous)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VISIBLE, st.integers(0, 9), st.none() | st.integers(1, 99))
def test_the_json_of_a_delivered_event_says_the_same(event: Event, epoch: int, previous: int | None) -> None:
    sent = from_wire(json.loads(to_wire_json(event, epoch=epoch, previous_sequence=previous)))
    assert (sent.event, sent.epoch, sent.previous_sequence) == (event, epoch, previous)


@pytest.mark.parametrize(
    "event",
    [
        ContentDelta(delta="half \ud83d", source_agent_id="a"),
        UnknownEvent.model_validate({"type": 'a "weather"', "sky": "rain"}),
        AssistantMessage(content="línea\nDrop\u2028", source_agent_id="a", sequence_number=3),
    ],
    ids=["half a character", "a name that needs escaping", "lines"],
)
def test_json_that_cannot_be_written_the_fast_way_is_written_all_the_same(event: Event) -> None:
    sent = to_wire_json(event, epoch=2, previous_sequence=None)
    assert "\n" not in sent
    assert json.loads(sent) == to_wire(event, epoch=2, previous_sequence=None)


@pytest.mark.parametrize(("model", "fields"), INTERNAL_EVENTS, ids=lambda value: getattr(value, "__name__", ""))
def test_an_internal_event_is_never_sent(model: type[Event], fields: dict[str, object]) -> None:
    """E-5: persisted, never emitted to the user."""
    with pytest.raises(EventRefusedError, match="internal"):
        to_wire(model.model_validate(fields), epoch=1, previous_sequence=None)
    with pytest.raises(EventRefusedError, match="internal"):
        to_wire_json(model.model_validate(fields), epoch=1, previous_sequence=None)


@pytest.mark.parametrize(
    "event",
    [
        AssistantMessage(content="back to supervisor", is_internal=True),
        ToolRequest(tool_use_id="t", tool_name="transfer_to_erp"),
        ToolRequest.model_construct(type="tool_request", tool_use_id="t", tool_name="transfer_to_erp"),
        UnknownEvent(type="secret_weather", is_internal=True),
    ],
    ids=["marked", "routing tool", "routing tool, unmarked", "unknown, marked"],
)
def test_what_is_hidden_for_another_reason_is_never_sent_either(event: Event) -> None:
    for spell in (to_wire, to_wire_json):
        with pytest.raises(EventRefusedError):
            spell(event, epoch=1, previous_sequence=None)


def test_an_unknown_event_travels_under_its_own_name() -> None:
    event = UnknownEvent.model_validate({"type": "weather", "sky": "rain"})
    sent = to_wire(event, epoch=1, previous_sequence=4)
    assert (sent["type"], sent["sky"]) == ("weather", "rain")
    assert from_wire(sent).event == event


@pytest.mark.parametrize("missing", ["epoch", "previous_sequence"])
def test_a_delivered_event_without_its_place_is_told_so(missing: str) -> None:
    sent = to_wire(AssistantMessage(content="hi"), epoch=1, previous_sequence=None)
    del sent[missing]
    with pytest.raises(UndecodableEventError, match=missing):
        from_wire(sent)


@pytest.mark.parametrize("event_type", [route.type for route in ROUTES.values() if route.store is not None])
def test_a_name_in_the_log_leads_back_to_its_type(event_type: str) -> None:
    assert canonical_of_store(store_name(event_type)) == event_type


@pytest.mark.parametrize("event_type", ["content_delta", "session_start", "nonsense"])
def test_what_is_never_stored_has_no_name_in_the_log(event_type: str) -> None:
    with pytest.raises(EventRefusedError, match="never stored"):
        store_name(event_type)


def test_a_name_the_table_does_not_hold_stands_for_itself() -> None:
    assert canonical_of_store("weather_observed") == "weather_observed"


def test_the_contract_spells_ids_with_their_prefixes() -> None:
    """T-1: evt_, trc_, req_ and the contract's version."""
    event = AgentExecutionStarted(
        agent_name="parser",
        agent_version="1.0.0",
        input_type="str",
        input_summary="hi",
        input_size_bytes=2,
        trace_id="0" * 32,
        parent_trace_id="1" * 32,
        correlation_id="order-7",
    )
    told = to_contract(event)
    assert told["event_id"] == f"evt_{event.event_id}"
    assert (told["trace_id"], told["parent_trace_id"]) == (f"trc_{'0' * 32}", f"trc_{'1' * 32}")
    assert told["request_id"] == "req_order-7"
    assert (told["event_type"], told["event_version"]) == ("agent.execution.started", "1.0.0")


@pytest.mark.parametrize("given", ["d1", "dec_d1"])
def test_a_decision_is_prefixed_once(given: str) -> None:
    event = AgentDecisionRecorded(agent_name="a", decision_id=given, decision_type="t", decision_category="c")
    assert to_contract(event)["decision_id"] == "dec_d1"


def test_the_contract_leaves_out_an_absent_request_and_keeps_absent_answers() -> None:
    event = AgentExecutionCompleted(
        agent_name="a",
        agent_version="1",
        execution_time_ms=1,
        execution_time_seconds=0.001,
        output_type="str",
        output_summary="",
        output_size_bytes=0,
        llm_cost_usd=Decimal("0.00042"),
    )
    told = to_contract(event)
    assert "request_id" not in told
    assert told["confidence"] is None
    assert told["llm_cost_usd"] == 0.00042


@pytest.mark.parametrize(("model", "fields"), INTERNAL_EVENTS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_exported_event_carries_the_common_fields(model: type[Event], fields: dict[str, object]) -> None:
    told = to_contract(model.model_validate(fields))
    assert re.fullmatch(r"evt_[0-9A-F-]{36}", told["event_id"])
    assert told["event_type"] == model.route.type
    assert not {"type", "version", "session_id", "is_internal", "persistence"} & told.keys()
