"""Model calls whose process died: the provider may have answered and counts them, so they are counted here too. Pure.

A call is in the log before it is made. If its end never came, the next owner of the turn writes one, with
what was reserved: an estimate, never less than what the provider took for one try.
"""

from collections.abc import Iterable

from batuta.events.envelope import Event
from batuta.events.runtime import LlmRequest, LlmResponse

IN_FLIGHT = "in flight, unknown"
"""The error of a call whose outcome is unknown."""


def ends_of_lost_calls(history: Iterable[Event]) -> list[LlmResponse]:
    """An end for each call of a turn that has none; `history` holds the turn's events so far."""
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
