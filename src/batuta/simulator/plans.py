"""What will go over the socket, decided beforehand: a plan is data, and a fault is a change of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from batuta.simulator.answers import Pace, PlannedAnswer, RawAnswer
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.sse import SseEvent, dump
from batuta.simulator.wire.turn import WireTurn

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Send:
    """Bytes to write; ``ends_event`` tells whether they complete what they belong to."""

    data: bytes
    ends_event: bool = True


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Cut:
    """Close the connection where it stands, without ending the response."""


@dataclass(frozen=True)
class Reset:
    """Reset the connection, so that the peer sees an error and not an end."""


Step: TypeAlias = Send | Wait | Cut | Reset


@dataclass(frozen=True, kw_only=True)
class DeliveryPlan:
    """A response. With a ``length`` it is one body of that size, without one it is chunked."""

    steps: tuple[Step, ...]
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None

    @property
    def is_stream(self) -> bool:
        return self.length is None


def body_plan(value: object, status: int = 200, headers: dict[str, str] | None = None) -> DeliveryPlan:
    data = (value if isinstance(value, str) else dump(value)).encode()
    return DeliveryPlan(steps=(Send(data),), status=status, headers=headers or {}, length=len(data))


def stream_plan(events: list[SseEvent]) -> DeliveryPlan:
    return DeliveryPlan(steps=tuple(Send(event.encode()) for event in events), content_type=EVENTS)


def failure_plan(dialect: Dialect, failure: WireFailure, headers: dict[str, str] | None = None) -> DeliveryPlan:
    return body_plan(dialect.error(failure), failure.status, headers)


def answer_plan(dialect: Dialect, answer: PlannedAnswer, turn: WireTurn) -> DeliveryPlan:
    raw = answer.raw_for(dialect.provider)
    if raw is not None:
        return _raw_plan(raw, turn.asked.streaming)
    if turn.asked.streaming:
        return stream_plan(dialect.events(answer, turn))
    return body_plan(dialect.whole(answer, turn))


def paced(plan: DeliveryPlan, pace: Pace) -> DeliveryPlan:
    """Spread a plan over time and over writes."""
    return replace(plan, steps=tuple(_spread(plan, pace)))


def _raw_plan(raw: RawAnswer, streaming: bool) -> DeliveryPlan:
    if streaming and raw.events:
        plan = stream_plan([SseEvent(item.data, item.event) for item in raw.events])
        return replace(plan, status=raw.status, headers=raw.headers)
    return body_plan(raw.body, raw.status, raw.headers)


def _spread(plan: DeliveryPlan, pace: Pace) -> Iterator[Step]:
    if pace.first_byte_ms:
        yield Wait(pace.first_byte_ms / 1000)
    for index, step in enumerate(plan.steps):
        if pace.delay_ms and index and isinstance(step, Send):
            yield Wait(pace.delay_ms / 1000)
        yield from _written(step, pace.bytes_per_write)


def _written(step: Step, size: int | None) -> Iterator[Step]:
    if size is None or not isinstance(step, Send):
        yield step
        return
    for start in range(0, len(step.data), size):
        is_last = start + size >= len(step.data)
        yield Send(step.data[start : start + size], ends_event=is_last and step.ends_event)
