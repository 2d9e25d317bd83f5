"""Faults on demand, as one table: what each does to a plan, or to the answer before it becomes one.

``fails`` says whether the client is left without an answer: then the scenario does not move on, and a client that
tries again finds the same answer waiting.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.utils import formatdate
from typing import TypeAlias

from pydantic import ValidationError

from batuta.simulator.answers import Block, Fault, FaultKind, PlannedAnswer, PlannedRefusal, Text
from batuta.simulator.plans import JSON, Cut, DeliveryPlan, Reset, Send, Step, Wait, failure_plan
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.sse import frame
from batuta.simulator.wire.turn import WireTurn


@dataclass(frozen=True)
class Strike:
    """A fault about to hit one exchange."""

    fault: Fault
    dialect: Dialect
    turn: WireTurn


Change: TypeAlias = Callable[[DeliveryPlan, Strike], DeliveryPlan]
DEFAULT_RETRY_AFTER: dict[int, float] = {429: 1.0}


@dataclass(frozen=True, kw_only=True)
class FaultEffect:
    plan: Change = lambda plan, strike: plan
    answer: Callable[[PlannedAnswer], PlannedAnswer] = lambda answer: answer
    fails: bool = True


def _status(code: int, message: str) -> FaultEffect:
    return FaultEffect(plan=lambda plan, strike: _error_plan(strike, code, message))


def _error_plan(strike: Strike, code: int, message: str) -> DeliveryPlan:
    fault = strike.fault
    retry_after = DEFAULT_RETRY_AFTER.get(code) if fault.retry_after is None else fault.retry_after
    retry_after = None if fault.retry_after_form == "none" else retry_after
    failure = WireFailure(status=code, message=fault.message or message, retry_after=retry_after)
    headers = {} if retry_after is None else {"retry-after": _retry_after(retry_after, strike)}
    return failure_plan(strike.dialect, failure, headers)


def _retry_after(seconds: float, strike: Strike) -> str:
    if strike.fault.retry_after_form == "date":
        return formatdate(strike.turn.created + seconds, usegmt=True)
    return f"{seconds:g}"


def _slow_first_byte(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return replace(plan, steps=(Wait(strike.fault.seconds), *plan.steps))


def _stalled(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return replace(plan, steps=(*_begin(plan, strike), Wait(strike.fault.seconds), Cut()))


def _cut_between_events(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    if strike.fault.clean and plan.is_stream:
        return replace(plan, steps=_begin(plan, strike))
    return replace(plan, steps=(*_begin(plan, strike), Cut()))


def _cut_mid_event(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    if not plan.is_stream:
        return _cut_between_events(plan, strike)
    rest = plan.steps[_position(plan, strike)]
    return replace(plan, steps=(*_begin(plan, strike), _half(rest), Cut()))


def _reset_mid_stream(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return replace(plan, steps=(*_begin(plan, strike), Reset()))


def _malformed_first(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return _malformed_at(plan, 0)


def _malformed_later(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return _malformed_at(plan, _position(plan, strike))


def _malformed_at(plan: DeliveryPlan, position: int) -> DeliveryPlan:
    broken = _broken_json(plan.steps[position], plan.is_stream)
    length = None if plan.length is None else len(broken.data)
    return replace(plan, steps=(*plan.steps[:position], broken, *plan.steps[position + 1 :]), length=length)


def _broken_json(step: Step, is_event: bool) -> Send:
    text = step.data.decode() if isinstance(step, Send) else ""
    if not is_event:
        return Send(text[: len(text) * 2 // 3].encode())
    head, _, data = text.rstrip("\n").partition("data: ")
    name = head.removeprefix("event: ").strip() or None
    return Send(frame(name, data[: len(data) * 2 // 3] or "{"))


def _wrong_content_type(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    page = b"<html><body><h1>Service temporarily busy</h1></body></html>"
    return DeliveryPlan(steps=(Send(page),), content_type="text/html", length=len(page))


def _empty_body(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return DeliveryPlan(steps=(Send(b""),), content_type=JSON, length=0)


def _connection_reset(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    return replace(plan, steps=(Reset(),))


def _error_event(plan: DeliveryPlan, strike: Strike) -> DeliveryPlan:
    status = strike.fault.status or 529
    message = strike.fault.message or "The simulated provider failed while it was answering."
    if not plan.is_stream:
        return _error_plan(strike, status, message)
    position = _position(plan, strike)
    failure = WireFailure(status=status, message=message, events_sent=position)
    said = (Send(event.encode()) for event in strike.dialect.error_events(failure, strike.turn))
    return replace(plan, steps=(*plan.steps[:position], *said))


def _begin(plan: DeliveryPlan, strike: Strike) -> tuple[Step, ...]:
    """What still arrives: the first events of a stream, half of a body."""
    if plan.is_stream:
        return plan.steps[: _position(plan, strike)]
    return (_half(plan.steps[0]),)


def _position(plan: DeliveryPlan, strike: Strike) -> int:
    """Where in the stream the fault strikes: always before its last event, or it would change nothing."""
    return min(strike.fault.after_events, len(plan.steps) - 1) if plan.is_stream else 0


def _half(step: Step) -> Send:
    data = step.data if isinstance(step, Send) else b""
    return Send(data[: len(data) // 2], ends_event=False)


def _refused(answer: PlannedAnswer) -> PlannedAnswer:
    return answer.model_copy(update={"blocks": (PlannedRefusal(type="refusal"),), "stop": "refusal"})


def _out_of_tokens(answer: PlannedAnswer) -> PlannedAnswer:
    """The answer as far as the middle of its first text; a tool call that was not reached is not made."""
    kept: list[Block] = []
    for block in answer.blocks:
        if isinstance(block, Text):
            kept.append(Text(text=block.content[: len(block.content) // 2]))
            break
        kept.append(block)
    return answer.model_copy(update={"blocks": tuple(kept), "stop": "max_tokens"})


def _paused(answer: PlannedAnswer) -> PlannedAnswer:
    return answer.model_copy(update={"stop": "pause"})


FAULTS: dict[FaultKind, FaultEffect] = {
    "bad_request": _status(400, "The request is not valid."),
    "unauthorized": _status(401, "The API key is not valid."),
    "forbidden": _status(403, "The API key may not use this resource."),
    "not_found": _status(404, "The model does not exist."),
    "too_large": _status(413, "The request exceeds the maximum size."),
    "rate_limited": _status(429, "Rate limit reached; try again later."),
    "server_error": _status(500, "Internal server error."),
    "bad_gateway": _status(502, "Bad gateway."),
    "unavailable": _status(503, "The service is unavailable."),
    "gateway_timeout": _status(504, "The request timed out."),
    "overloaded": _status(529, "The service is overloaded."),
    "slow_first_byte": FaultEffect(plan=_slow_first_byte, fails=False),
    "stalled_stream": FaultEffect(plan=_stalled),
    "cut_mid_event": FaultEffect(plan=_cut_mid_event),
    "cut_between_events": FaultEffect(plan=_cut_between_events),
    "malformed_json": FaultEffect(plan=_malformed_first),
    "malformed_event": FaultEffect(plan=_malformed_later),
    "wrong_content_type": FaultEffect(plan=_wrong_content_type),
    "empty_body": FaultEffect(plan=_empty_body),
    "connection_reset": FaultEffect(plan=_connection_reset),
    "reset_mid_stream": FaultEffect(plan=_reset_mid_stream),
    "error_event": FaultEffect(plan=_error_event),
    "refusal": FaultEffect(answer=_refused, fails=False),
    "max_tokens": FaultEffect(answer=_out_of_tokens, fails=False),
    "pause": FaultEffect(answer=_paused, fails=False),
}


class FaultError(ValueError):
    """A fault was asked for that cannot be understood; the message says what would be."""


def parse_fault(text: str) -> Fault:
    """Read a fault from a header: ``kind``, ``kind; name=value; ...``, or a JSON object.

    Raises:
        FaultError: the kind or a parameter is unknown.
    """
    try:
        if text.lstrip().startswith("{"):
            return Fault.model_validate(json.loads(text))
        kind, *parameters = (piece.strip() for piece in text.split(";"))
        pairs = (parameter.partition("=") for parameter in parameters if parameter)
        return Fault.model_validate({"kind": kind, **{name.strip(): value.strip() for name, _, value in pairs}})
    except (ValidationError, json.JSONDecodeError) as error:
        raise FaultError(f"cannot read fault {text!r}; known kinds: {', '.join(FAULTS)}. {error}") from error
