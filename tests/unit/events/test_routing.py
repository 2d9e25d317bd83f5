"""The routing table against the table of the specification, row by row."""

from typing import get_args

import pytest

from batuta.events import ROUTES, Audience, CanonicalEvent, Persistence, Route, add_route, is_internal
from batuta.events.envelope import EVENT_TYPES
from batuta.events.routing import BY_STORE, BY_WIRE

SAME = "same"
SYNC, ASYNC, TRANSIENT = "sync_required", "async_allowed", "transient"

# canonical names, wire name, store name, persistence, audience; the last two are additions of our own
SPECIFIED: list[tuple[str, str | None, str | None, str, str]] = [
    ("session_start session_end", SAME, None, TRANSIENT, "external"),
    ("user_message", "user_message_confirmed", "user_message_sent", SYNC, "external"),
    ("thinking", "thinking_complete", "agent_thinking_block", ASYNC, "external"),
    ("assistant_message", "message", "agent_message_sent", ASYNC, "external"),
    ("tool_request", "tool_use", "tool_use_requested", ASYNC, "external"),
    ("tool_response", "tool_result", "tool_use_completed", ASYNC, "external"),
    ("approval_requested approval_resolved", SAME, SAME, SYNC, "external"),
    ("turn_paused content_refused", SAME, SAME, ASYNC, "external"),
    ("error", SAME, "error_occurred", ASYNC, "external"),
    ("complete", SAME, "turn_completed", SYNC, "external"),
    ("plan_generated plan_step_started plan_step_completed plan_completed", SAME, SAME, ASYNC, "external"),
    ("dataset_stored chart_drawn", SAME, SAME, ASYNC, "external"),
    ("agent_handoff", SAME, SAME, ASYNC, "external"),
    ("agent_changed", None, SAME, ASYNC, "internal"),
    ("title_changed feedback_given", SAME, SAME, ASYNC, "external"),
    ("content_delta thinking_delta tool_progress step_progress", SAME, None, TRANSIENT, "external"),
    ("job_progress file_progress tag_started tag_completed stream_discarded", SAME, None, TRANSIENT, "external"),
    ("step.started step.completed step.failed llm.request llm.response", None, SAME, ASYNC, "internal"),
    ("attempt.rejected effect.recorded tool.refused breaker.changed", None, SAME, ASYNC, "internal"),
    ("limiter.throttled budget.refused turn.started turn.resumed", None, SAME, ASYNC, "internal"),
    ("agent.execution.started agent.execution.completed agent.execution.failed", None, SAME, ASYNC, "internal"),
    ("agent.decision.recorded agent.retry.attempted agent.fallback.triggered", None, SAME, ASYNC, "internal"),
    ("agent.pipeline.started agent.pipeline.completed", None, SAME, ASYNC, "internal"),
    ("hook.failed effect.intended effect.abandoned", None, SAME, ASYNC, "internal"),
    ("llm.exchanged", None, None, TRANSIENT, "internal"),
]
ROWS = [(name, *rest) for names, *rest in SPECIFIED for name in names.split()]


@pytest.mark.parametrize(("name", "wire", "store", "persistence", "audience"), ROWS)
def test_a_row_says_what_the_specification_says(
    name: str, wire: str | None, store: str | None, persistence: str, audience: str
) -> None:
    """E-1: names, persistence and audience come from one table."""
    route = ROUTES[name]
    assert route.wire == (name if wire == SAME else wire)
    assert route.store == (name if store == SAME else store)
    assert (route.persistence, route.audience, route.version) == (persistence, audience, 1)


def test_the_table_holds_nothing_else() -> None:
    assert set(ROUTES) == {row[0] for row in ROWS}


def test_the_union_has_one_member_per_row() -> None:
    """E-1: one tagged union, one table."""
    union, _ = get_args(CanonicalEvent)
    members = {member.route.type: member for member in get_args(union)}
    assert set(members) == set(ROUTES)
    assert members == EVENT_TYPES


@pytest.mark.parametrize("event_type", list(ROUTES))
def test_a_model_takes_version_persistence_and_visibility_from_its_row(event_type: str) -> None:
    fields, route = EVENT_TYPES[event_type].model_fields, ROUTES[event_type]
    assert fields["version"].default == route.version
    assert fields["persistence"].default is route.persistence
    assert fields["is_internal"].default is (route.audience is Audience.INTERNAL)


def test_no_two_rows_share_a_name_on_the_socket_or_in_the_log() -> None:
    assert len(BY_WIRE) == sum(route.wire is not None for route in ROUTES.values())
    assert len(BY_STORE) == sum(route.store is not None for route in ROUTES.values())


@pytest.mark.parametrize(
    ("event_type", "wire", "store"),
    [("complete", "new", "new"), ("new", "message", "new"), ("new", "new", "turn_completed")],
)
def test_a_name_can_be_given_only_once(event_type: str, wire: str, store: str) -> None:
    route = Route(
        type=event_type,
        wire=wire,
        store=store,
        persistence=Persistence.ASYNC_ALLOWED,
        audience=Audience.EXTERNAL,
        role="system",
    )
    before = (dict(ROUTES), dict(BY_WIRE), dict(BY_STORE))
    with pytest.raises(ValueError, match="already has a row"):
        add_route(route)
    assert before == (ROUTES, BY_WIRE, BY_STORE)


@pytest.mark.parametrize(
    ("event_type", "tool_name", "is_marked", "expected"),
    [
        ("assistant_message", None, False, False),
        ("assistant_message", None, True, True),  # a handoff-back message, marked by the normaliser
        ("agent_changed", None, False, True),
        ("step.started", None, False, True),
        ("tool_request", "find", False, False),
        ("tool_request", "transfer_to_erp", False, True),
        ("tool_response", "transfer_back_to_supervisor", False, True),
        ("tool_response", "transfer_money", False, False),
        ("a_type_nobody_knows", None, False, False),
        ("a_type_nobody_knows", None, True, True),
    ],
)
def test_what_is_internal_is_decided_in_one_place(
    event_type: str, tool_name: str | None, is_marked: bool, expected: bool
) -> None:
    """E-5: routing tools, handoff-back messages, agent transitions, and whatever is marked."""
    assert is_internal(event_type, tool_name=tool_name, is_marked=is_marked) is expected
