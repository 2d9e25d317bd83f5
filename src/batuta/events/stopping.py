"""How a turn ends that is stopped while nobody runs it: what its owner would have told. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from batuta.events.conversation import AssistantMessage, Complete
from batuta.events.envelope import Event
from batuta.events.expiry import undecided_in
from batuta.events.plans import PlanCompleted, PlanGenerated, PlanStepCompleted
from batuta.events.tools import ApprovalResolved

REASON = "the turn was stopped"
NO_MODEL = "none"
"""The model of words that code says."""
SET_ASIDE = "its approval was set aside"


def end_of_stopped_turn(told: Sequence[Event], *, session_id: str, turn_id: str) -> list[Event]:
    """No step of its plan will run, and it is over. `told` is what the turn has told."""
    facts: dict[str, Any] = {"session_id": session_id, "turn_id": turn_id, **_context(told)}
    return [*_end_of_plan(told, facts, REASON), Complete(**facts, status="cancelled")]


def end_of_set_aside_turn(told: Sequence[Event], *, session_id: str, turn_id: str, words: str) -> list[Event]:
    """The same for a turn whose approval was set aside: the agent that asked says so, in `words`."""
    facts: dict[str, Any] = {"session_id": session_id, "turn_id": turn_id, **_context(told)}
    asked = undecided_in(told)
    agent = asked[-1].source_agent_id if asked else None
    said = AssistantMessage(**facts, content=words, model=NO_MODEL, source_agent_id=agent)
    return [*_end_of_plan(told, facts, SET_ASIDE), said, Complete(**facts, status="cancelled")]


def refusals(
    told: Sequence[Event],
    *,
    by: str,
    decision: Literal["rejected", "set_aside"] = "rejected",
    reason: str | None = REASON,
) -> list[ApprovalResolved]:
    """Nobody is asked any more."""
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
        for asked in undecided_in(told)
    ]


def _context(told: Sequence[Event]) -> dict[str, Any]:
    """The trace that the turn belongs to: its end is found there too."""
    known = next((event for event in told if event.trace_id is not None), None)
    return {} if known is None else {"correlation_id": known.correlation_id, "trace_id": known.trace_id}


def _end_of_plan(told: Sequence[Event], facts: dict[str, Any], reason: str) -> Iterator[Event]:
    plans = [event for event in told if isinstance(event, PlanGenerated)]
    ended = {event.plan_id for event in told if isinstance(event, PlanCompleted)}
    over = {event.step_id for event in told if isinstance(event, PlanStepCompleted)}
    for plan in plans:
        if plan.plan_id in ended:
            continue
        about = {**facts, "plan_id": plan.plan_id, "source_agent_id": plan.source_agent_id}
        for step in plan.steps:
            if step.step_id not in over:
                place = {"step_id": step.step_id, "step_index": step.step_index}
                yield PlanStepCompleted(**about, **place, status="skipped", error=reason)
        yield PlanCompleted(**about, status="cancelled", failure_reason=reason)
