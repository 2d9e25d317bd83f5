"""The events that are written for a turn whose owner cannot write them. Pure.

| what happened | what is written |
|---|---|
| it was stopped, or set aside, while no worker ran it | what its owner would have emitted |
| its attempts are used up | an error and its end |
| its process died during a model call | the end of that call, with what was reserved for it |
| an approval was not decided in time | the clock's decision |
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal

from batuta.events.conversation import AssistantMessage, Complete, ErrorOccurred
from batuta.events.envelope import Event
from batuta.events.plans import PlanCompleted, PlanGenerated, PlanStepCompleted
from batuta.events.queue import Work
from batuta.events.runtime import EffectRecorded, LlmRequest, LlmResponse, TurnResumed, TurnStarted
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.kernel.errors import ErrorCategory

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


CODE = "TURN_GIVEN_UP"


def end_of_dead_turn(history: Sequence[Event], work: Work, error: str) -> list[Event]:
    """The closing events; none if the turn has written its own end. `history` holds the turn's events so far.

    Its plan stays as it is: a person may have the turn tried again, and then it goes on.
    """
    if end_in(history) is not None:
        return []
    facts = work.stamp.envelope()
    why = f"the turn was given up after {work.attempts} attempts: {error}"
    failure = ErrorOccurred(**facts, code=CODE, message=why, category=ErrorCategory.LOGICAL)
    return [*ends_of_lost_calls(history), failure, Complete(**facts, status="failed", caused_by=failure.event_id)]


MOST_OWNERS = 10
"""How many times its attempts a turn may use up in all, however much its owners record: one whose effects have other
keys in each process records a new one for ever."""


def has_attempts_left(work: Work, history: Iterable[Event]) -> bool:
    """Whether work may be tried again: its attempts are the owners it may lose in a row that got no further.

    An owner gets further by recording an effect that was not recorded before. Such a turn gets nearer to its end; one
    that kills its owners dies of those that got nowhere.
    """
    return work.attempts - _last_productive_attempt(history) < work.max_attempts and (
        work.attempts < work.max_attempts * MOST_OWNERS
    )


def _last_productive_attempt(history: Iterable[Event]) -> int:
    """The attempt of the last owner that got further; one below where that owner gave its attempt back."""
    recorded: set[str] = set()
    productive = current = 0
    for event in history:
        if isinstance(event, (TurnStarted, TurnResumed)):
            current = event.attempt
            productive = min(productive, current - 1)
        elif isinstance(event, EffectRecorded) and event.key not in recorded:
            recorded.add(event.key)
            productive = current
        elif isinstance(event, ErrorOccurred) and event.code == CODE:
            productive = 0  # revived since: attempts are counted from the beginning
    return productive


def end_in(history: Iterable[Event]) -> Complete | None:
    """The end that a turn has written. That it was given up is none: it may have been revived since."""
    given_up: set[str] = set()
    for event in history:
        if isinstance(event, ErrorOccurred) and event.code == CODE:
            given_up.add(event.event_id)
        elif isinstance(event, Complete) and event.status != "paused" and event.caused_by not in given_up:
            return event
    return None


IN_FLIGHT = "in flight, unknown"
"""The error of a call whose outcome is unknown."""


def ends_of_lost_calls(history: Iterable[Event]) -> list[LlmResponse]:
    """An end for each call of a turn that has none; `history` holds the turn's events so far.

    A call is in the log before it is made. The provider may have answered and counts it, so it is counted here too:
    an estimate, never less than what the provider took for one try.
    """
    asked: dict[str, LlmRequest] = {}
    for event in history:
        if isinstance(event, LlmRequest):
            asked[event.call_id] = event
        elif isinstance(event, LlmResponse):
            asked.pop(event.call_id, None)
    return [_end_of(request) for request in asked.values()]


def _end_of(request: LlmRequest) -> LlmResponse:
    return LlmResponse(
        session_id=request.session_id,
        turn_id=request.turn_id,
        correlation_id=request.correlation_id,
        trace_id=request.trace_id,
        call_id=request.call_id,
        path=request.path,
        provider=request.provider,
        model=request.model,
        attempt=request.attempt,
        caller_tool=request.caller_tool,
        source_agent_id=request.source_agent_id,
        duration_ms=0.0,
        success=False,
        error=IN_FLIGHT,
        lost_tokens=request.reserved_tokens or 0,
        lost_cost=request.reserved_cost,
    )


def undecided_in(history: Iterable[Event]) -> list[ApprovalRequested]:
    """The approvals that wait, in the order they were asked for."""
    asked: dict[str, ApprovalRequested] = {}
    for event in history:
        if isinstance(event, ApprovalRequested):
            asked[event.approval_id] = event
        elif isinstance(event, ApprovalResolved):
            asked.pop(event.approval_id, None)
    return list(asked.values())


def is_expired(asked: ApprovalRequested, now: datetime) -> bool:
    """True if the time to decide has passed."""
    return asked.expires_at is not None and asked.expires_at <= now


def expiry_of(asked: ApprovalRequested) -> ApprovalResolved:
    """The clock's decision; it is written under the key that every decision of this approval has."""
    return ApprovalResolved(
        approval_id=asked.approval_id,
        decision="expired",
        by="clock",
        session_id=asked.session_id,
        turn_id=asked.turn_id,
        correlation_id=asked.correlation_id,
        trace_id=asked.trace_id,
    )


def decision_key(approval_id: str) -> str:
    """The client key of a decision: the log takes one under it, so each approval is decided once."""
    return f"approval/{approval_id}"
