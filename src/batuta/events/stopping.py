"""How a turn ends that is stopped while no worker runs it: the events its owner would have emitted. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from batuta.events.conversation import AssistantMessage, Complete
from batuta.events.envelope import Event
from batuta.events.expiry import undecided_in
from batuta.events.lost_calls import ends_of_lost_calls
from batuta.events.plans import PlanCompleted, PlanGenerated, PlanStepCompleted
from batuta.events.tools import ApprovalResolved

REASON = "the turn was stopped"
NO_MODEL = "none"
"""The model of words that code says."""
SET_ASIDE = "its approval was set aside"


def end_of_stopped_turn(history: Sequence[Event], *, session_id: str, turn_id: str) -> list[Event]:
    """No step of its plan will run, and it is over. `history` holds the turn's events so far."""
    facts: dict[str, Any] = {"session_id": session_id, "turn_id": turn_id, **_context(history)}
    return [*ends_of_lost_calls(history), *_end_of_plan(history, facts, REASON), Complete(**facts, status="cancelled")]


def end_of_set_aside_turn(history: Sequence[Event], *, session_id: str, turn_id: str, words: str) -> list[Event]:
    """The same for a turn whose approval was set aside: the agent that asked says so, in `words`."""
    facts: dict[str, Any] = {"session_id": session_id, "turn_id": turn_id, **_context(history)}
    asked = undecided_in(history)
    agent = asked[-1].source_agent_id if asked else None
    said = AssistantMessage(**facts, content=words, model=NO_MODEL, source_agent_id=agent)
    return [
        *ends_of_lost_calls(history),
        *_end_of_plan(history, facts, SET_ASIDE),
        said,
        Complete(**facts, status="cancelled"),
    ]


def refusals(
    history: Sequence[Event],
    *,
    by: str,
    decision: Literal["rejected", "set_aside"] = "rejected",
    reason: str | None = REASON,
) -> list[ApprovalResolved]:
    """Close the requests that are still open."""
    return [
        ApprovalResolved(
            approval_id=asked.approval_id,
            decision=decision,
            by=by,
            reason=reason,
            session_id=asked.session_id,
            turn_id=asked.turn_id,
            correlation_id=asked.correlation_id,
            trace_id=asked.trace_id,
        )
        for asked in undecided_in(history)
    ]


def _context(history: Sequence[Event]) -> dict[str, Any]:
    """The trace that the turn belongs to: its end is found there too."""
    known = next((event for event in history if event.trace_id is not None), None)
    return {} if known is None else {"correlation_id": known.correlation_id, "trace_id": known.trace_id}


def _end_of_plan(history: Sequence[Event], facts: dict[str, Any], reason: str) -> Iterator[Event]:
    plans = [event for event in history if isinstance(event, PlanGenerated)]
    ended = {event.plan_id for event in history if isinstance(event, PlanCompleted)}
    over = {event.step_id for event in history if isinstance(event, PlanStepCompleted)}
    for plan in plans:
        if plan.plan_id in ended:
            continue
        about = {**facts, "plan_id": plan.plan_id, "source_agent_id": plan.source_agent_id}
        for step in plan.steps:
            if step.step_id not in over:
                place = {"step_id": step.step_id, "step_index": step.step_index}
                yield PlanStepCompleted(**about, **place, status="skipped", error=reason)
        yield PlanCompleted(**about, status="cancelled", failure_reason=reason)
