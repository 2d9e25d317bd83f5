"""Events as values: frozen, canonical in their ids and times, and the same after a trip through JSON."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from batuta.events import (
    ROUTES,
    AgentIdentity,
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Event,
    FeedbackGiven,
    JobProgress,
    PlanStepStarted,
    StepStarted,
    ToolRequest,
    TurnPaused,
    UserMessage,
    decode,
    encode,
    upcast,
)
from batuta.events.catalogue import UPCASTS, decode_any
from batuta.events.envelope import EVENT_TYPES, UnknownEvent, trusted
from batuta.kernel.errors import UndecodableEventError, UnknownEventTypeError
from batuta.kernel.ids import SessionId, is_uuid, new_id
from tests.unit.events.strategies import events
from tools.schema import event_schema

LOWER = "019a8fd0-12ab-7cde-8fab-0123456789ab"
UPPER = LOWER.upper()

ANY_EVENT = st.sampled_from(list(ROUTES)).flatmap(lambda event_type: events(EVENT_TYPES[event_type]))
CAREFUL = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
VALIDATOR = jsonschema.Draft202012Validator(event_schema())


@CAREFUL
@given(ANY_EVENT)
def test_every_event_comes_back_from_json_as_it_was(event: Event) -> None:
    """E-1: what the log stores is the event itself."""
    assert decode(encode(event)) == event


@CAREFUL
@given(ANY_EVENT)
def test_every_event_comes_back_from_a_json_object(event: Event) -> None:
    assert decode(json.loads(encode(event))) == event


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANY_EVENT)
def test_every_event_validates_against_the_generated_schema(event: Event) -> None:
    """E-1: the schema is written from the same models."""
    VALIDATOR.validate(json.loads(encode(event)))


@pytest.mark.parametrize("event_type", list(ROUTES))
def test_every_event_is_frozen(event_type: str) -> None:
    """E-1: an event is a fact."""
    event = EVENT_TYPES[event_type].model_construct(type=event_type)
    with pytest.raises(ValidationError, match="frozen"):
        event.original_index = 7  # type: ignore[misc]


@pytest.mark.parametrize("field", ["event_id", "session_id", "turn_id", "message_id", "caused_by", "correlation_id"])
def test_an_id_of_the_envelope_is_kept_in_upper_case(field: str) -> None:
    """E-3: accepted in any case, normalised at once."""
    fields: dict[str, Any] = {field: LOWER}
    event = UserMessage(content="hi", **fields)
    assert getattr(event, field) == UPPER
    assert getattr(decode(encode(event).replace(UPPER.encode(), LOWER.encode())), field) == UPPER


@pytest.mark.parametrize(
    ("event_type", "field", "fields"),
    [
        (UserMessage, "client_message_id", {"content": "hi"}),
        (UserMessage, "target_agent_id", {"content": "hi"}),
        (TurnPaused, "approval_id", {"reason": "r"}),
        (FeedbackGiven, "target_message_id", {"rating": 1}),
        (ApprovalResolved, "approval_id", {"decision": "approved", "by": "ana"}),
        (ApprovalRequested, "approval_id", {"tool_use_id": "t", "tool_name": "n", "args": {}, "reason": "r"}),
        (
            PlanStepStarted,
            "step_id",
            {"plan_id": "p", "step_index": 0, "agent_id": "a", "agent_name": "A", "task": "t"},
        ),
        (JobProgress, "job_id", {}),
        (UserMessage, "source_agent_id", {"content": "hi"}),
        (AgentIdentity, "agent_id", {"agent_name": "A"}),
    ],
)
def test_an_id_in_a_payload_is_kept_in_upper_case(event_type: type[Any], field: str, fields: dict[str, Any]) -> None:
    """E-3: the rule governs every UUID-shaped id of ours."""
    assert getattr(event_type(**fields, **{field: LOWER}), field) == UPPER


def test_a_tool_use_id_stays_as_the_provider_wrote_it() -> None:
    """It goes back to the provider, which compares it byte for byte."""
    assert ToolRequest(tool_use_id=LOWER, tool_name="find").tool_use_id == LOWER


@pytest.mark.parametrize("wrong", ["", "not-a-uuid", UPPER + "0", UPPER + "\n", UPPER.replace("-", "")])
def test_an_id_that_is_no_uuid_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError):
        UserMessage(content="hi", session_id=wrong)


def test_a_trace_id_is_lower_case_hex() -> None:
    with pytest.raises(ValidationError):
        UserMessage(content="hi", trace_id="A" * 32)


def test_a_time_given_with_an_offset_is_kept_in_utc() -> None:
    """E-2: timestamps are UTC."""
    local = datetime(2026, 3, 2, 11, 0, tzinfo=timezone(timedelta(hours=2)))
    event = UserMessage(content="hi", timestamp=local)
    assert event.timestamp.tzinfo is UTC
    assert b'"2026-03-02T09:00:00Z"' in encode(event)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValidationError):
        UserMessage(content="hi", timestamp=datetime(2026, 3, 2))  # noqa: DTZ001


@pytest.mark.parametrize("tool_name", ["transfer_to_erp", "transfer_back_to_supervisor"])
def test_a_routing_tool_is_internal_even_if_its_event_says_otherwise(tool_name: str) -> None:
    """E-5: nobody but the one function decides."""
    event = ToolRequest(tool_use_id="t", tool_name=tool_name, is_internal=False)
    assert event.is_internal
    assert not event.is_visible


def test_an_internal_type_stays_hidden_even_if_its_event_says_otherwise() -> None:
    event = StepStarted(step_name="s", step_type="t", path="p", is_internal=False)
    assert not event.is_visible


def test_an_event_of_the_runtime_equals_a_validated_one() -> None:
    made = StepStarted(step_name="s", step_type="t", path="p")
    validated = StepStarted.model_validate(made.model_dump())
    assert made == validated
    assert encode(made) == encode(validated)
    assert list(made.model_dump()) == list(validated.model_dump())


def test_an_event_of_the_runtime_is_validated_once_its_envelope_comes_from_elsewhere() -> None:
    event = StepStarted(step_name="s", step_type="t", path="p", session_id=SessionId(new_id().lower()))
    assert event.session_id is not None
    assert event.session_id.isupper()
    with pytest.raises(ValidationError, match="step_type"):
        StepStarted.model_validate({"step_name": "s", "path": "p"})


@pytest.mark.parametrize("kind", [StepStarted, UserMessage])
def test_a_constructor_refuses_a_name_that_is_no_field(kind: type[Event]) -> None:
    """Decoding passes over it, so that an older program reads what a newer one stored."""
    fields: dict[str, Any] = {"content": "x", "step_name": "s", "step_type": "t", "path": "p"}
    known = {name: value for name, value in fields.items() if name in kind.model_fields}
    with pytest.raises(TypeError, match=f"{kind.__name__} has no field contents"):
        kind(**known, contents="x")
    assert kind.model_validate({**known, "contents": "x"}).type == kind.route.type


def test_a_model_without_a_row_cannot_be_defined() -> None:
    """E-1: the table comes first."""
    with pytest.raises(TypeError, match="no row"):
        type("Stray", (Event,), {"__annotations__": {"type": str}, "type": "stray", "__module__": __name__})


def test_an_unknown_type_is_refused_by_name() -> None:
    with pytest.raises(UnknownEventTypeError, match="weather"):
        decode({"type": "weather"})


def test_an_unknown_type_can_be_kept_with_all_its_fields() -> None:
    event = decode_any({"type": "weather", "sky": "rain", "session_id": LOWER})
    assert isinstance(event, UnknownEvent)
    assert json.loads(encode(event))["sky"] == "rain"
    assert event.session_id == UPPER


@pytest.mark.parametrize(
    "data", ["{", "[]", "7", '{"type": "complete"}', '{"type": "complete", "status": "odd"}', b"\xff"]
)
def test_what_cannot_be_read_is_told_so(data: str | bytes) -> None:
    with pytest.raises(UndecodableEventError):
        decode(data)


def test_an_unknown_type_with_a_broken_envelope_is_told_so() -> None:
    with pytest.raises(UndecodableEventError):
        decode_any({"type": "weather", "session_id": "nonsense"})


@pytest.fixture
def assistant_message_v3() -> Iterator[None]:
    """A program two versions later: `text` became `content`, then `finish` became `stop_reason`."""

    @upcast("assistant_message", 1)
    def rename_text(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in fields.items() if name != "text"} | {"content": fields["text"]}

    @upcast("assistant_message", 2)
    def rename_finish(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in fields.items() if name != "finish"} | {"stop_reason": fields["finish"]}

    current = AssistantMessage.route
    AssistantMessage.route = type(current)(
        **{name: getattr(current, name) for name in current.__slots__} | {"version": 3}
    )
    yield
    AssistantMessage.route = current
    for version in (1, 2):
        del UPCASTS["assistant_message", version]


OLD = Path(__file__).parent / "old_events.jsonl"


@pytest.mark.usefixtures("assistant_message_v3")
@pytest.mark.parametrize("line", OLD.read_text().splitlines())
def test_a_stored_event_of_an_old_version_is_lifted_when_read(line: str) -> None:
    """E-4: a recorded session stays readable for ever."""
    event = decode(line)
    assert isinstance(event, AssistantMessage)
    assert (event.content, event.stop_reason, event.version) == ("Hello from the past", "max_tokens", 3)


def test_an_event_of_a_newer_version_is_told_apart_from_damage() -> None:
    with pytest.raises(UndecodableEventError, match="newer"):
        decode({"type": "title_changed", "title": "t", "version": 2})


@pytest.mark.usefixtures("assistant_message_v3")
def test_a_version_without_an_upcast_is_told_so() -> None:
    with pytest.raises(UndecodableEventError):
        decode({"type": "assistant_message", "version": 0, "content": "x"})


@pytest.mark.usefixtures("assistant_message_v3")
def test_a_version_has_only_one_upcast() -> None:
    with pytest.raises(ValueError, match="already has an upcast"):
        upcast("assistant_message", 1)(lambda fields: fields)


def test_the_unchecked_constructor_of_an_event_is_made_once() -> None:
    """It is asked for with every event of a run: to make it costs as much as the event."""
    assert trusted(EVENT_TYPES["llm.request"]) is trusted(EVENT_TYPES["llm.request"])
    assert trusted(EVENT_TYPES["llm.request"]) is not trusted(EVENT_TYPES["llm.response"])


def test_an_event_that_is_not_validated_gets_its_id_and_time_where_it_is_emitted() -> None:
    at = datetime(2026, 10, 5, tzinfo=UTC)
    event = trusted(StepStarted)(step_name="a", step_type="function", path="a")
    assert not any((event.event_id, event.timestamp))

    stamped = event.stamp({"original_index": 1, "timestamp": at})
    assert is_uuid(stamped.event_id)
    assert stamped.timestamp == at
    assert event.stamp({"original_index": 2, "timestamp": at}).event_id != stamped.event_id, (
        "emitted again: another one"
    )
